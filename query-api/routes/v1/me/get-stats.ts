import { z } from 'zod';
import { attributionRows } from '#schemas/domain/control/rows';
import type { Wallet } from '#schemas/domain/control/state';
import { type Decimal, toNumber } from '#schemas/domain/decimal';
import { ApiError } from '#schemas/errors';
import { timeParameter } from '#schemas/http/parameters';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { accountName, providerFamily, WALLET_PROVIDERS } from '#schemas/venues/accounts';
import { knownWallets } from '../../../queries/known-wallets.ts';
import { type FillSums, readFillSums } from '../../../queries/read-fill-sums.ts';
import { ledgersOf, selectWalletsOf } from '../../../queries/select-wallets.ts';
import {
  type FillFigures,
  joinFills,
  NO_FILLS,
  type StatsFigures,
  sortByFigure,
  sumFigures,
  UNKNOWN_FILLS,
} from '../../../stats/figures.ts';
import { liveValues, type StatsValue, snapshotValue } from '../../../stats/read-values.ts';
import { fillsThroughOf, type LedgersView } from '../../../views/ledgers.ts';
import { CustomResponse, defineCallerRoute } from '../../route.ts';
import { walletSelection } from './wallet-selection.ts';

const SORTS = ['realizedPnlUsd', 'unrealizedPnlUsd', 'accountValueUsd', 'volumeUsd'] as const;
const MODES = ['snapshot', 'live'] as const;
const CACHE = ['cache-control', 'private, max-age=15, stale-while-revalidate=30'];
/** Fills that have not arrived for longer before the end of the window make its figures unknown. */
const FILLS_LATE_MS = 600_000;

const usd = (description: string) => z.number().nullable().describe(description);
const sums = {
  accountValueUsd: usd('What the accounts are worth, not windowed; null if it is not known.'),
  volumeUsd: usd('Price times quantity of the fills in the window; null while they are not known.'),
  realizedPnlUsd: usd("The venue's own figure for closed positions, gross of fees; null for venue_b."),
  unrealizedPnlUsd: usd('Of open positions, not windowed; null for venue_b.'),
  tradingFeeUsd: usd('Fees without those of builders; null for venue_b and with `platform=mine`.'),
  builderFeeUsd: usd('Fees of builders; null for venue_b.'),
};
const rowSchema = z.object({
  walletId: z.string().describe('The binding (`groupBy=wallet`).').optional(),
  address: z.string().describe('Its address (`groupBy=wallet`).').optional(),
  provider: z.enum(WALLET_PROVIDERS).describe('The provider of the bindings.'),
  walletCount: z.number().int().describe('Bindings behind the row (`groupBy=provider`).').optional(),
  ...sums,
  tradeCount: z.number().int().nullable().describe('Fills in the window; null for venue_b.'),
  fillsThrough: isoTimeSchema.nullable().describe('Up to when all fills have arrived, the oldest; null before.'),
  accountValueAsOf: isoTimeSchema.nullable().describe('The time of the value, the oldest; null without one.'),
});

export const getStats = defineCallerRoute({
  method: 'GET',
  path: '/v1/me/stats',
  scope: 'read',
  sku: 'pnl.read',
  servesMarketData: true,
  summary: 'Competition stats of the bound wallets, by wallet or provider.',
  params: z.object({}),
  query: z.object({
    from: timeParameter.describe('unix ms or ISO-8601 of the venue, inclusive; all time by default').optional(),
    to: timeParameter.describe('unix ms or ISO-8601 of the venue, exclusive; now by default').optional(),
    groupBy: z.enum(['provider', 'wallet']).default('provider').describe('What a row is.'),
    mode: z
      .enum(MODES)
      .describe('`snapshot` (default): values of the newest hourly snapshot; `live`: of now.')
      .optional(),
    nav: z.enum(MODES).describe('Deprecated: as `mode`, which wins.').optional(),
    sort: z
      .enum(SORTS.flatMap((figure) => [figure, `-${figure}`] as const))
      .default('-realizedPnlUsd')
      .describe('A figure of the rows, descending with `-`; unknown ones last.'),
    platform: z.enum(['all', 'mine']).default('all').describe('`mine`: only fills under registered builders.'),
    ...walletSelection,
  }),
  response: z.object({
    total: z.object(sums).describe('Of all rows; what several of them contain counts once.'),
    data: z.array(rowSchema).describe('One row for each binding or provider.'),
    window: z
      .object({
        from: isoTimeSchema.nullable().describe('Start, inclusive; null for all time.'),
        to: isoTimeSchema.describe('End, exclusive.'),
      })
      .describe('The period of the fills.'),
    applied: z
      .object({
        groupBy: z.enum(['provider', 'wallet']).describe('As requested.'),
        sort: z
          .object({
            field: z.enum(SORTS).describe('The figure.'),
            dir: z.enum(['asc', 'desc']).describe('The direction.'),
          })
          .describe('The order of the rows.'),
        platform: z.enum(['all', 'mine']).describe('As requested.'),
      })
      .describe('What the rows follow from.'),
  }),
  async handle({ query, caller, signal }, dependencies) {
    const { control, views, store } = dependencies;
    const now = caller.sandbox ? (views.events.now ?? Date.now()) : Date.now();
    const { from = null, to = now, groupBy, sort, platform, provider } = query;
    if (from !== null && from > to) throw new ApiError('validation_failed', 'from: must not be after to');
    const builders = attributionRows(control.state, caller).map(({ builder }) => builder);
    if (platform === 'mine' && builders.length === 0)
      throw new ApiError('no_platform_attribution', 'platform: no builder is registered');
    const wallets = selectWalletsOf(control.state, caller, query);
    const { complete } = await knownWallets(views, wallets);
    const through = new Map(
      wallets.map((wallet) => [accountOf(wallet), throughOf(wallet, views.ledgers, views.events.now)]),
    );
    const end = Math.min(to, now);
    const isKnown = (wallet: Wallet) => {
      const time = through.get(accountOf(wallet)) ?? null;
      return complete.has(wallet) && time !== null && (caller.sandbox || time >= end - FILLS_LATE_MS);
    };
    const counted = wallets.filter(isKnown);
    const sumsRead = await readFillSums(
      store,
      ledgersOf(views.ledgers, counted, provider),
      { from, to },
      platform === 'mine' ? builders : null,
    );
    const values = await valuesOf(
      wallets,
      query.mode ?? query.nav ?? 'snapshot',
      now,
      caller.sandbox,
      signal,
      dependencies,
    );
    const fillsOf = (own: readonly Wallet[]) =>
      ledgersOf(views.ledgers, own.filter(isKnown), provider).map(({ account, providers }) =>
        fillsOfAccount(
          sumsRead.filter((row) => row.account === account && providers.includes(row.provider)),
          account,
          platform,
        ),
      );
    const rowOf = (name: string, own: readonly Wallet[]): Row => {
      const accounts = [...new Set(own.map(accountOf))];
      const times = accounts.map((account) => through.get(account) ?? null);
      const valueTimes = accounts.map((account) => values.get(account)!.asOf);
      return {
        name,
        wallets: own,
        ...sumFigures(
          fillsOf(own),
          accounts.map((account) => values.get(account)!),
        ),
        fillsThrough: oldest(times),
        accountValueAsOf: oldest(valueTimes.filter((time) => time !== null)),
      };
    };
    const groups = new Map<string, Wallet[]>();
    for (const wallet of wallets) {
      const name = groupBy === 'wallet' ? wallet.id : wallet.provider;
      groups.set(name, [...(groups.get(name) ?? []), wallet]);
    }
    const rows = [...groups].map(([name, own]) => rowOf(name, own));
    const field = sort.replace('-', '') as (typeof SORTS)[number];
    const isDescending = sort.startsWith('-');
    const total = rowOf('', wallets);
    const body = {
      total: sumsOf(total),
      data: sortByFigure(rows, field, isDescending).map((row) => toRecord(row, groupBy)),
      window: { from: from === null ? null : isoTime(from), to: isoTime(to) },
      applied: { groupBy, sort: { field, dir: isDescending ? ('desc' as const) : ('asc' as const) }, platform },
    };
    return new CustomResponse(200, body, CACHE);
  },
});

interface Row extends StatsFigures {
  readonly name: string;
  readonly wallets: readonly Wallet[];
  readonly fillsThrough: number | null;
  readonly accountValueAsOf: number | null;
}

const accountOf = ({ provider, address }: Wallet) => accountName(providerFamily(provider), address);

/** The oldest of the times; null without any, or if one is not known. */
function oldest(times: readonly (number | null)[]): number | null {
  if (times.length === 0 || times.some((time) => time === null)) return null;
  return Math.min(...(times as readonly number[]));
}

/** Up to when all fills of an account have arrived; those of venue_b arrive in the order of the pipeline. */
function throughOf(wallet: Wallet, ledgers: LedgersView, now: number | null): number | null {
  const account = accountOf(wallet);
  if (!ledgers.followed.has(account)) return null;
  return providerFamily(wallet.provider) === 'venue_a' ? fillsThroughOf(ledgers, account, now ?? 0) : now;
}

function fillsOfAccount(rows: readonly FillSums[], account: string, platform: 'all' | 'mine'): FillFigures {
  if (platform === 'mine' && rows.some(({ hasUnknownBuilder }) => hasUnknownBuilder)) return UNKNOWN_FILLS;
  const isVenueA = account.startsWith('venue_a:');
  const none = isVenueA ? NO_FILLS : { ...UNKNOWN_FILLS, volumeUsd: NO_FILLS.volumeUsd };
  const joined = rows.length === 0 ? none : joinFills(rows);
  return platform === 'mine' ? { ...joined, tradingFeeUsd: null } : joined;
}

/** The value of each account of the wallets. */
async function valuesOf(
  wallets: readonly Wallet[],
  mode: (typeof MODES)[number],
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

const numberOrNull = (value: Decimal | null) => (value === null ? null : toNumber(value));

function sumsOf(row: StatsFigures) {
  return {
    accountValueUsd: numberOrNull(row.accountValueUsd),
    volumeUsd: numberOrNull(row.volumeUsd),
    realizedPnlUsd: numberOrNull(row.realizedPnlUsd),
    unrealizedPnlUsd: numberOrNull(row.unrealizedPnlUsd),
    tradingFeeUsd: numberOrNull(row.tradingFeeUsd),
    builderFeeUsd: numberOrNull(row.builderFeeUsd),
  };
}

function toRecord(row: Row, groupBy: 'provider' | 'wallet'): z.infer<typeof rowSchema> {
  const [first] = row.wallets;
  const { id: walletId, address, provider } = first!;
  return {
    ...(groupBy === 'wallet' ? { walletId, address } : { walletCount: row.wallets.length }),
    provider,
    ...sumsOf(row),
    tradeCount: row.tradeCount,
    fillsThrough: row.fillsThrough === null ? null : isoTime(row.fillsThrough),
    accountValueAsOf: row.accountValueAsOf === null ? null : isoTime(row.accountValueAsOf),
  };
}
