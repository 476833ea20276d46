/** Serves reads of positions: the state of an account on every dex, each with its own failure. */
import { type VenueAPositions, venueAPositions } from '#schemas/requests/positions';
import type { InfoRequest, InfoResult } from '#schemas/requests/venue-a-info';
import { UpstreamError } from '../../feed/errors.ts';
import { readInTime } from '../../requests/read-in-time.ts';
import { defineHandler, type RequestContext, type RequestHandler } from '../../requests/request-handler.ts';
import { ACQUISITIONS_RUNNING, READS_TOTAL_MS, READS_WAIT_MS } from './declaration.ts';
import { type DexList, readDexNames } from './dex-list.ts';
import { infoWeightMax } from './info-weight.ts';
import { type ReadBudget, whileWaiting } from './waiting-reads.ts';

/** Reads `info` on behalf of clients. Rejects with an `UpstreamError`. */
export type ReadInfo = (request: InfoRequest, context: RequestContext) => Promise<InfoResult>;

/** The parts of ingest that reads need to send requests to the venue; a recording has none. */
export interface LiveReads {
  /** The weight that reads spend. */
  readonly budget: ReadBudget;
  /** The list that is polled. */
  readonly dexes: Pick<DexList, 'isRecent' | 'names'>;
}

/** @param live without it the list of dexes is read each time. */
export function createPositionReads(read: ReadInfo, live?: LiveReads): RequestHandler {
  return defineHandler({
    kind: venueAPositions,
    running: ACQUISITIONS_RUNNING,
    expiresAfterMs: READS_WAIT_MS,
    // Each state waits for weight of its own, so the weight of one is enough to start.
    ...(live ? whileWaiting(live.budget, () => infoWeightMax({ type: 'clearinghouseState' })) : {}),
    run: ({ address }, { signal, ...context }) =>
      readInTime(context.requestedAt + READS_TOTAL_MS, signal, (inTime) => {
        const readNow = (request: InfoRequest) => read(request, { ...context, signal: inTime });
        return readPositions(address, readNow, live?.dexes.isRecent() ? live.dexes.names() : null);
      }),
  });
}

/** Rejects with an `UpstreamError` if the list of dexes cannot be read; a dex that cannot be read has its failure. */
async function readPositions(
  user: string,
  read: (request: InfoRequest) => Promise<InfoResult>,
  listed: readonly string[] | null,
): Promise<VenueAPositions> {
  const names = listed ?? readDexNames((await read({ type: 'perpDexs' })).native);
  const states = ['', ...names].map(async (dex) => {
    try {
      const state = await read({ type: 'clearinghouseState', user, ...(dex === '' ? {} : { dex }) });
      return { dex, native: state.native, fetchedAt: state.fetchedAt, failure: null };
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      const failure = error.code === 'upstream_rate_limited' ? ('rate_limited' as const) : ('upstream_failed' as const);
      return { dex, native: null, fetchedAt: null, failure };
    }
  });
  return { states: await Promise.all(states) };
}
