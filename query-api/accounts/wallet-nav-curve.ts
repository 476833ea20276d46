/** The NAV curve of a bound wallet (specification, NAV and PnL series). */
import { z } from 'zod';
import { timeLimit } from '#infra/runtime/time-limit';
import { untilAborted } from '#infra/runtime/until-aborted';
import type { Wallet } from '#schemas/domain/control/state';
import { toNumber } from '#schemas/domain/decimal';
import { SOURCES, WINDOW_MS, type Window } from '#schemas/domain/returns/series';
import { isCovered, type NavPoint, snapshotCurve } from '#schemas/domain/returns/snapshot-curve';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { providerFamily, WALLET_PROVIDERS } from '#schemas/venues/accounts';
import { type ReturnInputs, readReturnInputsOf } from '../queries/read-return-inputs.ts';
import { ledgerOf } from '../queries/select-wallets.ts';
import type { Caller, Dependencies } from '../routes/route.ts';
import { fetchSeries } from '../upstream/read-series.ts';
import { impliedCurve } from './account-roi.ts';
import { currentValue } from './current-value.ts';
import { inputsThrough } from './read-roi.ts';
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
          .describe(
            'The first value and the flows since then; null from the first flow of unknown amount on, and where the flows are not known yet.',
          ),
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

/** How long a response waits for the flows up to the newest snapshots, ms: without them these have no net deposits. */
export const FLOWS_WAIT_MS = 5_000;

export interface CurveRead {
  /** Sandbox callers cause no reads. */
  readonly caller: Caller;
  /** Aborts when nobody waits for the result any more. */
  readonly signal: AbortSignal;
  /** Until when to wait for flows, unix ms: one time for all accounts of a response. */
  readonly flowsUntil: number;
}

/** Rejects with an `ApiError` if the series of the venue is needed and cannot be read. */
export async function walletNavCurve(
  wallet: Wallet,
  window: Window,
  read: CurveRead,
  dependencies: Pick<Dependencies, 'views' | 'store' | 'ingest'>,
): Promise<WalletNavCurve> {
  const { id: walletId, provider, address } = wallet;
  const { source, points, asOf } = await curveOf(wallet, window, read, dependencies);
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
  read: CurveRead,
  dependencies: Pick<Dependencies, 'views' | 'store' | 'ingest'>,
): Promise<Curve> {
  const { views, ingest } = dependencies;
  const { snapshots, history } = await readInputs(wallet, read, dependencies);
  const from = (views.events.now ?? Date.now()) - WINDOW_MS[window];
  if (isCovered(snapshots)) {
    const inWindow = snapshots.filter(({ hour }) => hour >= from);
    return { source: 'snapshot', points: snapshotCurve(inWindow, history), asOf: snapshots.at(-1)!.asOf };
  }
  if (providerFamily(wallet.provider) === 'venue_a') return { source: 'snapshot', points: [], asOf: null };
  const series = await fetchSeries(ingest, 'venue_b', wallet.address, window);
  const value = series.points.length === 0 ? null : await currentValue(wallet, read.caller, read.signal, dependencies);
  const points = value ? impliedCurve(series.points, value, { history }) : [];
  return { source: SOURCES.venue_b, points, asOf: series.fetchedAt };
}

/** What is known of the account, with the flows up to its newest snapshot where they arrive in time. */
async function readInputs(
  wallet: Wallet,
  { caller, signal, flowsUntil }: CurveRead,
  dependencies: Pick<Dependencies, 'views' | 'store' | 'ingest'>,
): Promise<ReturnInputs> {
  const stored = await readReturnInputsOf(dependencies, ledgerOf(dependencies.views.ledgers, wallet), null);
  const newest = stored.snapshots.at(-1);
  const waitMs = flowsUntil - Date.now();
  // Those of venue_b follow with the next blocks and need no request.
  if (!newest || !isCovered(stored.snapshots) || providerFamily(wallet.provider) !== 'venue_a' || waitMs <= 0)
    return stored;
  const ended = timeLimit(waitMs, signal);
  const read = { wallet, caller, signal: ended, window: null, blocksUntil: flowsUntil };
  try {
    return await untilAborted(inputsThrough(read, newest.asOf, stored, dependencies), ended);
  } catch (error) {
    if (error === ended.reason) return stored;
    throw error;
  }
}
