/** The returns of accounts for competition stats, as of at most half a minute ago. */
import { timeLimit } from '#infra/runtime/time-limit';
import type { Wallet } from '#schemas/domain/control/state';
import type { Decimal } from '#schemas/domain/decimal';
import { type PnlPoint, pnlCurve } from '#schemas/domain/returns/pnl-curve';
import type { Roi, RoiFigures } from '#schemas/domain/returns/roi';
import { accountName, providerFamily } from '#schemas/venues/accounts';
import type { CurrentValue } from '../accounts/current-value.ts';
import { readFewAtOnce } from '../accounts/read-few-at-once.ts';
import { BLOCKS_WAIT_MS, type RoiDependencies, readRoi } from '../accounts/read-roi.ts';
import type { Reader } from '../queries/query.ts';
import { type ReturnsWindow, readReturnInputs } from '../queries/read-return-inputs.ts';
import { ledgerOf } from '../queries/select-wallets.ts';
import type { Caller } from '../routes/route.ts';
import { FigureCache } from './figure-cache.ts';
import { STATS_CACHE_MS } from './read-fills.ts';

/** Points of the curve of a row. */
const CURVE_POINTS_MAX = 50;
/** Entries have some kilobytes at most. */
const ACCOUNTS_MAX = 2_000;
/** How long a response waits for what it has to read of the venues. */
const READS_MS = 10_000;

/** Without the flows, of which an account can have many. */
export type ReturnFigures = Omit<RoiFigures, 'flows'>;

export interface AccountReturn {
  readonly figures: ReturnFigures;
  readonly curve: readonly PnlPoint[];
}

/** An account with the value that ends a window without `to`. */
export interface ReturnSubject {
  /** Any wallet that names the account. */
  readonly wallet: Wallet;
  readonly value: CurrentValue | null;
}

/** The sandbox has a store of its own. */
const caches = new WeakMap<Reader, FigureCache<AccountReturn | null>>();

/** Resolves with the return of each account, by account; null where it is unavailable. */
export async function readReturns(
  subjects: readonly ReturnSubject[],
  { from, to }: ReturnsWindow,
  caller: Caller,
  dependencies: RoiDependencies,
): Promise<ReadonlyMap<string, AccountReturn | null>> {
  const { store, views } = dependencies;
  const cache = caches.get(store) ?? new FigureCache({ lifetimeMs: STATS_CACHE_MS, entriesMax: ACCOUNTS_MAX });
  caches.set(store, cache);
  const byKey = new Map<string, ReturnSubject>();
  for (const subject of subjects) {
    const { wallet, value } = subject;
    // The end of a window without `to` is the value of this response.
    const end = to ?? (value && [value.ts, `${value.nav}`]);
    byKey.set(JSON.stringify([accountOf(wallet), ledgerOf(views.ledgers, wallet)?.ledger, from, to, end]), subject);
  }
  const read = async (missing: readonly string[]) => {
    const wanted = missing.map((key) => byKey.get(key)!);
    const ledgers = wanted.flatMap(({ wallet }) => ledgerOf(views.ledgers, wallet) ?? []);
    const inputs = await readReturnInputs(dependencies, ledgers, { from, to });
    // Others may wait for these reads, too, so they do not end with one client.
    const signal = timeLimit(READS_MS);
    const blocksUntil = Date.now() + BLOCKS_WAIT_MS;
    const readOne = ({ wallet, value }: ReturnSubject) => {
      const roi = { wallet, from, to, current: value, caller, signal, blocksUntil };
      return readRoi(roi, dependencies, inputs.get(accountOf(wallet)));
    };
    const results = await readFewAtOnce(wanted, readOne, signal);
    return results.map((result) => ('value' in result ? toReturn(result.value) : null));
  };
  const found = await cache.getAll([...byKey.keys()], read, (result) => result !== null);
  return new Map([...byKey.values()].map(({ wallet }, at) => [accountOf(wallet), found[at]!]));
}

const accountOf = ({ provider, address }: Wallet) => accountName(providerFamily(provider), address);

function toReturn(roi: Roi): AccountReturn | null {
  if (roi.reason !== null) return null;
  const { flows: _flows, ...figures } = roi.figures;
  return { figures, curve: pnlCurve(roi, CURVE_POINTS_MAX) };
}

/** What rows can be sorted by. */
export const RETURN_FIGURES = {
  mwrPct: ({ mwr }: ReturnFigures): Decimal | null => mwr,
  twrPct: ({ twr }: ReturnFigures): Decimal | null => twr,
  simpleRoiPct: ({ simple }: ReturnFigures): Decimal | null => simple,
  netPnlUsd: ({ netPnl }: ReturnFigures): Decimal | null => netPnl,
} as const;
