/** Reads competition stats: rows by wallet or provider, each account and fill counted once in a row. */
import type { Wallet } from '#schemas/domain/control/state';
import type { Decimal } from '#schemas/domain/decimal';
import { type AccountProvider, accountName, providerFamily } from '#schemas/venues/accounts';
import { knownWallets } from '../queries/known-wallets.ts';
import { registeredBuilders } from '../queries/named-days.ts';
import type { ReturnsWindow } from '../queries/read-return-inputs.ts';
import { ledgerOf, ledgersOf, selectWalletsOf } from '../queries/select-wallets.ts';
import type { Caller, Dependencies } from '../routes/route.ts';
import { chainFillsThrough, coinFillsUntil } from '../views/followed-through.ts';
import { fillsThroughOf } from '../views/ledgers.ts';
import type { Views } from '../views/views.ts';
import { type FillFigures, joinFills, NO_FILLS, type StatsFigures, sumValues, UNKNOWN_FILLS } from './figures.ts';
import { type AccountFills, readAccountFills } from './read-fills.ts';
import { type AccountReturn, readReturns } from './read-returns.ts';
import { liveValues, type StatsValue, snapshotValue } from './read-values.ts';

/** Fills that have not arrived for longer before the end of the window make its figures unknown. */
const FILLS_LATE_MS = 600_000;

/** What is requested, as the parameters of the route. */
export interface StatsQuery {
  /** Unix ms, inclusive; null for all time. */
  readonly from: number | null;
  /** Unix ms, exclusive; null for now. */
  readonly to: number | null;
  readonly groupBy: 'provider' | 'wallet';
  readonly mode: 'snapshot' | 'live';
  readonly roi: boolean;
  /** Of which fills count; null for all fills. */
  readonly builders: readonly string[] | null;
  readonly provider?: AccountProvider | undefined;
  readonly walletId?: readonly string[] | undefined;
  readonly walletAddress?: readonly string[] | undefined;
}

interface StatsContext {
  readonly caller: Caller;
  /** Unix ms. */
  readonly now: number;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

export interface Stats {
  readonly rows: readonly StatsRow[];
  /** The total of a figure is that of the rows which have it. What several of them contain counts once. */
  readonly totalOf: (figure: Exclude<keyof StatsFigures, 'tradeCount'>) => Decimal | null;
}

/** A row of competition stats. */
export interface StatsRow extends StatsFigures {
  /** The id of a wallet, or a provider. */
  readonly name: string;
  readonly wallets: readonly Wallet[];
  /** Null while it is unavailable, and unless it was requested. */
  readonly returns: AccountReturn | null;
  /** Unix ms, the oldest; null while it is not known. */
  readonly fillsThrough: number | null;
  /** Unix ms, the oldest; null without a value. */
  readonly accountValueAsOf: number | null;
}

/** Rejects with 404 for a wallet that is not the caller's. */
export async function readStats(
  query: StatsQuery,
  { caller, now, signal }: StatsContext,
  dependencies: Dependencies,
): Promise<Stats> {
  const { control, views } = dependencies;
  const { from, to, groupBy, mode, roi, builders, provider } = query;
  const end = to ?? now;
  const wallets = selectWalletsOf(control.state, caller, query);
  const { complete } = await knownWallets(views, wallets);
  const isOnChain = wallets.some(({ provider: name }) => providerFamily(name) === 'venue_b');
  const storedThrough = {
    venue_a: await coinFillsUntil(views.freshness),
    venue_b: isOnChain ? await chainFillsThrough(views.freshness) : null,
  };
  const through = new Map(
    wallets.map((wallet) => [accountOf(wallet), throughOf(wallet, views.ledgers, storedThrough)]),
  );
  const isInTime = (time: number) => caller.sandbox || time >= Math.min(end, now) - FILLS_LATE_MS;
  const known = wallets.flatMap((wallet) => {
    const ledger = ledgerOf(views.ledgers, wallet);
    const fillsThrough = through.get(accountOf(wallet)) ?? null;
    if (!ledger || !complete.has(wallet) || fillsThrough === null || !isInTime(fillsThrough)) return [];
    return [{ ...ledger, provider: wallet.provider, fillsThrough }];
  });
  const buildersOfVenueA = builders ? registeredBuilders(control.state, caller) : [];
  const fills = await readAccountFills(dependencies, known, { from, to, now, builders, buildersOfVenueA });
  const values = await valuesOf(wallets, mode, now, caller.sandbox, signal, dependencies);
  const returns = roi ? await returnsOf(wallets, values, { from, to }, caller, dependencies) : null;

  const fillsOf = (own: readonly Wallet[]) => {
    const parts = new Map(ledgersOf(views.ledgers, own, provider).map((part) => [part.account, part.providers]));
    return joinFills(
      accountsOf(own).map((account) =>
        fillsOfAccount(fills.get(account), parts.get(account) ?? [], account, {
          isMine: builders !== null,
          needsBuilders: buildersOfVenueA.length > 0,
        }),
      ),
    );
  };
  const rowOf = (name: string, own: readonly Wallet[]): StatsRow => {
    const accounts = accountsOf(own);
    const ownValues = accounts.map((account) => values.get(account)!);
    return {
      name,
      wallets: own,
      ...fillsOf(own),
      ...sumValues(ownValues),
      returns: returns?.get(accounts[0]!) ?? null,
      fillsThrough: oldest(accounts.map((account) => fills.get(account)?.fillsThrough ?? through.get(account) ?? null)),
      accountValueAsOf: oldest(ownValues.flatMap(({ asOf }) => asOf ?? [])),
    };
  };
  const groups = new Map<string, Wallet[]>();
  for (const wallet of wallets) {
    const name = groupBy === 'wallet' ? wallet.id : wallet.provider;
    groups.set(name, [...(groups.get(name) ?? []), wallet]);
  }
  const rows = [...groups].map(([name, own]) => rowOf(name, own));
  const totalOf: Stats['totalOf'] = (figure) =>
    rowOf(
      '',
      rows.flatMap((row) => (row[figure] === null ? [] : row.wallets)),
    )[figure];
  return { rows, totalOf };
}

const accountOf = ({ provider, address }: Wallet) => accountName(providerFamily(provider), address);
/** The accounts of the wallets, each once. */
const accountsOf = (wallets: readonly Wallet[]) => [...new Set(wallets.map(accountOf))];

/** The oldest of the times; null without any, or if one is not known. */
function oldest(times: readonly (number | null)[]): number | null {
  if (times.length === 0 || times.some((time) => time === null)) return null;
  return Math.min(...(times as readonly number[]));
}

/**
 * Up to when all fills of an account have arrived and are in the tables, unix ms; null while it is not known.
 * @param stored `venue_a`: up to when the tables hold the fills that arrived; `venue_b`: the result for all of its accounts.
 */
function throughOf(
  wallet: Wallet,
  ledgers: Views['ledgers'],
  stored: { readonly venue_a: number | null; readonly venue_b: number | null },
): number | null {
  const account = accountOf(wallet);
  if (!ledgers.followed.has(account)) return null;
  if (providerFamily(wallet.provider) === 'venue_b') return stored.venue_b;
  if (stored.venue_a === null) return null;
  const through = fillsThroughOf(ledgers, account, stored.venue_a);
  return through === null ? null : Math.min(through, stored.venue_a);
}

/**
 * @param fills undefined while they are not known.
 * @param terms `isMine`: only fills under registered builders count. `needsBuilders`: one of them is of venue_a, so a fill
 * whose builder is unknown may count.
 */
function fillsOfAccount(
  fills: AccountFills | undefined,
  providers: readonly string[],
  account: string,
  { isMine, needsBuilders }: { readonly isMine: boolean; readonly needsBuilders: boolean },
): FillFigures {
  if (!fills) return UNKNOWN_FILLS;
  const rows = fills.sums.filter((row) => providers.includes(row.provider));
  if (needsBuilders && rows.some(({ hasUnknownBuilder }) => hasUnknownBuilder)) return UNKNOWN_FILLS;
  const isVenueA = account.startsWith('venue_a:');
  const none = isVenueA ? NO_FILLS : { ...UNKNOWN_FILLS, volumeUsd: NO_FILLS.volumeUsd };
  const joined = rows.length === 0 ? none : joinFills(rows);
  return isMine ? { ...joined, tradingFeeUsd: null } : joined;
}

/** The value of each account of the wallets. */
async function valuesOf(
  wallets: readonly Wallet[],
  mode: StatsQuery['mode'],
  now: number,
  isSandbox: boolean,
  signal: AbortSignal,
  dependencies: Parameters<typeof liveValues>[2],
): Promise<ReadonlyMap<string, StatsValue>> {
  const byName = new Map(
    wallets.map((wallet) => [accountOf(wallet), { family: providerFamily(wallet.provider), address: wallet.address }]),
  );
  const accounts = [...byName.values()];
  const values =
    mode === 'live'
      ? await liveValues(accounts, signal, dependencies, isSandbox)
      : accounts.map((account) => snapshotValue(account, dependencies.views, now, isSandbox));
  return new Map([...byName.keys()].map((name, at) => [name, values[at]!]));
}

/** The return of each account of the wallets; without `to` it ends with the value of the row. */
function returnsOf(
  wallets: readonly Wallet[],
  values: ReadonlyMap<string, StatsValue>,
  window: ReturnsWindow,
  caller: Caller,
  dependencies: Parameters<typeof readReturns>[3],
): ReturnType<typeof readReturns> {
  const byName = new Map(wallets.map((wallet) => [accountOf(wallet), wallet]));
  const subjects = [...byName].map(([name, wallet]) => {
    const { accountValueUsd: nav, asOf: ts } = values.get(name)!;
    return { wallet, value: nav === null || ts === null ? null : { ts, nav } };
  });
  return readReturns(subjects, window, caller, dependencies);
}
