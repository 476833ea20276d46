/** The NAV curve of a bound wallet (specification, NAV and PnL series). */
import { z } from 'zod';
import type { Wallet } from '#schemas/domain/control/state';
import { toNumber } from '#schemas/domain/decimal';
import { SOURCES, WINDOW_MS, type Window } from '#schemas/domain/returns/series';
import { isCovered, type NavPoint, snapshotCurve } from '#schemas/domain/returns/snapshot-curve';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { providerFamily, WALLET_PROVIDERS } from '#schemas/venues/accounts';
import { readReturnInputsOf } from '../queries/read-return-inputs.ts';
import { ledgerOf } from '../queries/select-wallets.ts';
import type { Caller, Dependencies } from '../routes/route.ts';
import { fetchSeries } from '../upstream/read-series.ts';
import { impliedCurve } from './account-roi.ts';
import { currentValue } from './current-value.ts';
import { windowField } from './wallet-pnl-curve.ts';

export const walletNavCurveSchema = z.object({
  walletId: z.string().describe('The bound wallet.'),
  provider: z.enum(WALLET_PROVIDERS).describe('The provider of the binding. The curve is that of the whole account.'),
  address: z.string().describe('The address in lower case.'),
  window: windowField,
  source: z
    .enum(['snapshot', SOURCES.venue_b])
    .describe('`snapshot`: hourly snapshots, of an account with at least two, and of every account of venue_a.'),
  points: z
    .array(
      z.object({
        t: z.number().int().describe('Unix seconds; of a snapshot the hour mark.'),
        navUsdc: z.number().describe('What the account was worth.'),
        netDepositsUsdc: z
          .number()
          .nullable()
          .describe('The first value and the flows since then; null from the first flow of unknown amount on.'),
      }),
    )
    .describe('Oldest first, at most 2,000; empty for an account without snapshots and series.'),
  asOf: isoTimeSchema
    .nullable()
    .describe('The time of the newest snapshot, or when the venue returned the series; null without points.'),
});
export type WalletNavCurve = z.infer<typeof walletNavCurveSchema>;

interface Curve extends Pick<WalletNavCurve, 'source'> {
  readonly points: readonly NavPoint[];
  /** Unix ms. */
  readonly asOf: number | null;
}

/** Rejects with an `ApiError` if the series of the venue is needed and cannot be read. */
export async function walletNavCurve(
  wallet: Wallet,
  window: Window,
  caller: Caller,
  signal: AbortSignal,
  dependencies: Pick<Dependencies, 'views' | 'store' | 'ingest'>,
): Promise<WalletNavCurve> {
  const { id: walletId, provider, address } = wallet;
  const { source, points, asOf } = await curveOf(wallet, window, caller, signal, dependencies);
  return {
    walletId,
    provider,
    address,
    window,
    source,
    points: points.map(({ t, nav, netDeposits }) => ({
      t,
      navUsdc: toNumber(nav),
      netDepositsUsdc: netDeposits === null ? null : toNumber(netDeposits),
    })),
    asOf: asOf === null || points.length === 0 ? null : isoTime(asOf),
  };
}

async function curveOf(
  wallet: Wallet,
  window: Window,
  caller: Caller,
  signal: AbortSignal,
  dependencies: Pick<Dependencies, 'views' | 'store' | 'ingest'>,
): Promise<Curve> {
  const { views, ingest } = dependencies;
  const { snapshots, history } = await readReturnInputsOf(dependencies, ledgerOf(views.ledgers, wallet), null);
  const from = (views.events.now ?? Date.now()) - WINDOW_MS[window];
  if (isCovered(snapshots)) {
    const inWindow = snapshots.filter(({ hour }) => hour >= from);
    return { source: 'snapshot', points: snapshotCurve(inWindow, history), asOf: snapshots.at(-1)!.asOf };
  }
  if (providerFamily(wallet.provider) === 'venue_a') return { source: 'snapshot', points: [], asOf: null };
  const series = await fetchSeries(ingest, 'venue_b', wallet.address, window);
  const value = series.points.length === 0 ? null : await currentValue(wallet, caller, signal, dependencies);
  const points = value ? impliedCurve(series.points, value, { history }) : [];
  return { source: SOURCES.venue_b, points, asOf: series.fetchedAt };
}
