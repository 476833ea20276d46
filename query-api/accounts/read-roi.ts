/** Calculates the return of an account, and reads what is missing for it. */
import { LogError } from '#infra/log/log';
import { RequestError } from '#infra/requests/request-error';
import { pause } from '#infra/runtime/pause';
import type { Wallet } from '#schemas/domain/control/state';
import type { Roi } from '#schemas/domain/returns/roi';
import { SERIES_LIFETIME_MS, type SeriesPoint, WINDOWS } from '#schemas/domain/returns/series';
import { accountFlowsRead } from '#schemas/requests/account-flows';
import { accountName, providerFamily } from '#schemas/venues/accounts';
import { type ReturnInputs, readReturnInputsOf } from '../queries/read-return-inputs.ts';
import { ledgerOf } from '../queries/select-wallets.ts';
import type { Caller, Dependencies } from '../routes/route.ts';
import { fetchSeries } from '../upstream/read-series.ts';
import { accountRoi, impliedSeries, knownSeries, type RoiWindow } from './account-roi.ts';
import { type CurrentValue, currentValue } from './current-value.ts';

export type RoiDependencies = Pick<Dependencies, 'views' | 'store' | 'ingest'>;

export interface RoiRead extends RoiWindow {
  /** The wallet whose account is meant. */
  readonly wallet: Wallet;
  /** Sandbox callers cause no reads. */
  readonly caller: Caller;
  /** Aborts when nobody waits for the result any more. */
  readonly signal: AbortSignal;
}

/**
 * Resolves with the return, or the reason why there is none. Rejects with an `ApiError` if a series of the venue is needed
 * and cannot be read.
 * @param known what the tables hold of the account; they are read without it.
 */
export async function readRoi(read: RoiRead, dependencies: RoiDependencies, known?: ReturnInputs): Promise<Roi> {
  const { wallet, caller } = read;
  const { views, store } = dependencies;
  const family = providerFamily(wallet.provider);
  const now = views.events.now ?? Date.now();
  // Nothing is known of the future.
  const to = read.to === null ? null : Math.min(read.to, now);
  const window = { from: read.from, to, current: to === null ? read.current : null };
  const through = to ?? window.current?.ts;
  if (through === undefined) return { reason: 'no_value' };
  const stored = known ?? (await readReturnInputsOf(store, ledgerOf(views.ledgers, wallet)));
  const inputs = await inputsThrough(read, through, stored, dependencies);
  const series = knownSeries(views.accountSeries, accountName(family, wallet.address));
  const roi = accountRoi(inputs, series, window);
  if (family === 'venue_a' || roi.reason !== 'not_anchored' || caller.sandbox) return roi;
  return impliedRoi(read, inputs, window, dependencies);
}

/** Reads the flows of an account of venue_a if they are not known up to a time: they are loaded hourly. */
async function inputsThrough(
  { wallet, caller, signal }: RoiRead,
  through: number,
  stored: ReturnInputs,
  { views, store, ingest }: RoiDependencies,
): Promise<ReturnInputs> {
  const ledger = ledgerOf(views.ledgers, wallet);
  const isKnown = stored.history.knownThrough >= through;
  if (isKnown || !ledger || caller.sandbox || providerFamily(wallet.provider) !== 'venue_a') return stored;
  try {
    await ingest.send(accountFlowsRead, { address: wallet.address, through });
  } catch (error) {
    // Then the flows remain unknown, as the response states.
    if (error instanceof RequestError || error instanceof LogError) return stored;
    throw error;
  }
  return awaitInputs(() => readReturnInputsOf(store, ledger), through, signal);
}

/** The stage and the sink process a response within about a second; this also covers one that is behind. */
const PROCESSED_WITHIN_MS = 5_000;
const POLL_MS = 100;

async function awaitInputs(
  read: () => Promise<ReturnInputs>,
  through: number,
  signal: AbortSignal,
): Promise<ReturnInputs> {
  const until = Date.now() + PROCESSED_WITHIN_MS;
  for (;;) {
    const inputs = await read();
    if (inputs.history.knownThrough >= through || Date.now() >= until) return inputs;
    if (!(await pause(POLL_MS, signal))) return inputs;
  }
}

/** Of venue_b without snapshots at both ends: by the finest series of the venue that anchors the window. */
async function impliedRoi(
  { wallet, caller, signal }: RoiRead,
  inputs: ReturnInputs,
  window: RoiWindow,
  dependencies: RoiDependencies,
): Promise<Roi> {
  const value = window.current ?? (await currentValue(wallet, caller, signal, dependencies));
  if (!value) return { reason: 'not_anchored' };
  const series: SeriesPoint[][] = [];
  // Without a start the oldest point of all counts, so every series is needed.
  for (const name of WINDOWS) {
    const { points } = await fetchSeries(dependencies.ingest, 'venue_b', wallet.address, name);
    series.push(impliedSeries(pointsOfValue(points, value), value, inputs));
    const roi = window.from === null ? null : accountRoi(inputs, series, window);
    if (roi && roi.reason !== 'not_anchored') return roi;
  }
  return accountRoi(inputs, series, window);
}

/** The PnL of a value is that of the last point up to its time. The newest point is up to a minute newer than a current value. */
function pointsOfValue(points: readonly SeriesPoint[], { ts: valuedAt }: CurrentValue): SeriesPoint[] {
  return points.filter(({ ts }) => ts <= valuedAt + SERIES_LIFETIME_MS);
}
