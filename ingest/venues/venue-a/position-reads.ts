/** Serves reads of positions: the state of an account on every dex, each with its own failure. */
import { type VenueAPositions, venueAPositions } from '#schemas/requests/positions';
import type { InfoRequest, InfoResult } from '#schemas/requests/venue-a-info';
import { UpstreamError } from '../../feed/errors.ts';
import { readInTime } from '../../requests/read-in-time.ts';
import { defineHandler, type RequestContext, type RequestHandler } from '../../requests/request-handler.ts';
import { ACQUISITIONS_RUNNING, READS_TOTAL_MS, READS_WAIT_MS } from './declaration.ts';
import { type DexList, readDexNames } from './dex-list.ts';

/** Reads `info` on behalf of clients. Rejects with an `UpstreamError`. */
export type ReadInfo = (request: InfoRequest, context: RequestContext) => Promise<InfoResult>;

/** @param dexes the list that is polled; without it, it is read each time. */
export function createPositionReads(read: ReadInfo, dexes?: Pick<DexList, 'isRecent' | 'names'>): RequestHandler {
  return defineHandler({
    kind: venueAPositions,
    running: ACQUISITIONS_RUNNING,
    expiresAfterMs: READS_WAIT_MS,
    run: ({ address }, { signal, ...context }) =>
      readInTime(context.requestedAt + READS_TOTAL_MS, signal, (inTime) => {
        const readNow = (request: InfoRequest) => read(request, { ...context, signal: inTime });
        return readPositions(address, readNow, dexes?.isRecent() ? dexes.names() : null);
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
