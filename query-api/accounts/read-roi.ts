/** Calculates the return of an account, and reads what is missing for it. */
import { LogError } from '#infra/log/log';
import { RequestError } from '#infra/requests/request-error';
import { pause } from '#infra/runtime/pause';
import type { Wallet } from '#schemas/domain/control/state';
import type { Roi } from '#schemas/domain/returns/roi';
import { SERIES_LIFETIME_MS, type SeriesPoint, WINDOWS } from '#schemas/domain/returns/series';
import { accountFlowsRead } from '#schemas/requests/account-flows';
import type { FollowedLedger } from '#schemas/topics/ledgers';
import { accountName, providerFamily } from '#schemas/venues/accounts';
import {
  flowsFollowedThrough,
  type ReturnInputs,
  type ReturnsWindow,
  readReturnInputsOf,
} from '../queries/read-return-inputs.ts';
import { ledgerOf } from '../queries/select-wallets.ts';
import type { Caller, Dependencies } from '../routes/route.ts';
import { fetchSeries } from '../upstream/read-series.ts';
import type { Freshness } from '../views/freshness.ts';
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
  /** Until when to wait for blocks of venue_b that are known to exist, unix ms: one time for all accounts of a response. */
  readonly blocksUntil: number;
}

/** How long a response waits for the blocks up to the ends of its windows, ms. */
export const BLOCKS_WAIT_MS = 5_000;

/**
 * Resolves with the return, or the reason why there is none. Rejects with an `ApiError` if a series of the venue is needed
 * and cannot be read.
 * @param known what the tables hold of the account for the window; they are read without it.
 */
export async function readRoi(read: RoiRead, dependencies: RoiDependencies, known?: ReturnInputs): Promise<Roi> {
  const { wallet, caller } = read;
  const { views } = dependencies;
  const family = providerFamily(wallet.provider);
  const now = views.events.now ?? Date.now();
  // Nothing is known of the future.
  const to = read.to === null ? null : Math.min(read.to, now);
  const window = { from: read.from, to, current: to === null ? read.current : null };
  const through = to ?? window.current?.ts;
  if (through === undefined) return { reason: 'no_value' };
  const stored = known ?? (await readReturnInputsOf(dependencies, ledgerOf(views.ledgers, wallet), read));
  // The snapshot that anchors the end is a value of some minutes later.
  const anchor = stored.snapshots.findLast(({ hour }) => hour <= through);
  const inputs = await inputsThrough(
    { ...read, window: read },
    Math.max(through, anchor?.asOf ?? 0),
    stored,
    dependencies,
  );
  const series = knownSeries(views.accountSeries, accountName(family, wallet.address));
  const roi = accountRoi(inputs, series, window);
  if (family === 'venue_a' || roi.reason !== 'not_anchored' || caller.sandbox) return roi;
  return impliedRoi(read, inputs, window, dependencies);
}

export interface InputsRead extends Pick<RoiRead, 'wallet' | 'caller' | 'signal' | 'blocksUntil'> {
  /** Of what `stored` was read for. */
  readonly window: ReturnsWindow | null;
}

/**
 * Waits for the flows of an account if they are not known up to a time. Those of venue_a are loaded hourly, so they are
 * requested first; those of venue_b follow with the next blocks. Resolves with what is known in the end.
 */
export async function inputsThrough(
  { wallet, caller, signal, window, blocksUntil }: InputsRead,
  through: number,
  stored: ReturnInputs,
  dependencies: RoiDependencies,
): Promise<ReturnInputs> {
  const { views, ingest } = dependencies;
  const ledger = ledgerOf(views.ledgers, wallet);
  const isKnown = stored.history.knownThrough >= through;
  if (isKnown || !ledger || caller.sandbox) return stored;
  const read = () => readReturnInputsOf(dependencies, ledger, window);
  if (providerFamily(wallet.provider) === 'venue_b') {
    // Before the transfers of the account are followed, or any block is, the next block does not make its flows known.
    if (stored.history.knownThrough <= 0) return stored;
    const isFollowed = async () => (await followedNow(views.freshness, ledger)) >= through;
    // A value that was read only now is that of a block to come.
    const until = Math.max(blocksUntil, through + BLOCKS_WAIT_MS);
    return awaitInputs(async () => ((await isFollowed()) ? read() : stored), through, until, signal);
  }
  try {
    await ingest.send(accountFlowsRead, { address: wallet.address, through });
  } catch (error) {
    // Then the flows remain unknown, as the response states.
    if (error instanceof RequestError || error instanceof LogError) return stored;
    throw error;
  }
  return awaitInputs(read, through, Date.now() + PROCESSED_WITHIN_MS, signal);
}

/** Stage and sink process a response within a second; this also covers one that is behind. */
const PROCESSED_WITHIN_MS = 8_000;
const POLL_MS = 100;

/** What the accounts that wait for blocks looked at last: all of them look once per `POLL_MS`. */
const looks = new WeakMap<Freshness, { readonly at: number; readonly through: Promise<number> }>();

function followedNow(freshness: Freshness, ledger: FollowedLedger): Promise<number> {
  const last = looks.get(freshness);
  const now = performance.now();
  if (last && now - last.at < POLL_MS) return last.through;
  const through = flowsFollowedThrough(freshness, [ledger]);
  looks.set(freshness, { at: now, through });
  return through;
}

async function awaitInputs(
  read: () => Promise<ReturnInputs>,
  through: number,
  until: number,
  signal: AbortSignal,
): Promise<ReturnInputs> {
  for (;;) {
    const inputs = await read();
    if (inputs.history.knownThrough >= through || Date.now() >= until) return inputs;
    if (!(await pause(POLL_MS, signal))) return inputs;
  }
}

/** Of venue_b without snapshots at both ends: by the finest series of the venue that anchors the window. */
async function impliedRoi(
  read: RoiRead,
  inputs: ReturnInputs,
  window: RoiWindow,
  dependencies: RoiDependencies,
): Promise<Roi> {
  const { wallet, caller, signal } = read;
  const value = window.current ?? (await currentValue(wallet, caller, signal, dependencies));
  if (!value) return { reason: 'not_anchored' };
  // Its flows are among those that the values of the series follow from.
  const known = await inputsThrough({ ...read, window: read }, value.ts, inputs, dependencies);
  const isKnown = known.history.knownThrough >= value.ts;
  const checked = (roi: Roi): Roi => (roi.reason === null && !isKnown ? { reason: 'flows_unknown' } : roi);
  const series: SeriesPoint[][] = [];
  // Without a start the oldest point of all counts, so every series is needed.
  for (const name of WINDOWS) {
    const { points } = await fetchSeries(dependencies.ingest, 'venue_b', wallet.address, name);
    series.push(impliedSeries(pointsOfValue(points, value), value, known));
    const roi = window.from === null ? null : accountRoi(known, series, window);
    if (roi && roi.reason !== 'not_anchored') return checked(roi);
  }
  return checked(accountRoi(known, series, window));
}

/** The PnL of a value is that of the last point up to its time. The newest point is up to a minute newer than a current value. */
function pointsOfValue(points: readonly SeriesPoint[], { ts: valuedAt }: CurrentValue): SeriesPoint[] {
  return points.filter(({ ts }) => ts <= valuedAt + SERIES_LIFETIME_MS);
}
