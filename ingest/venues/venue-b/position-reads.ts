/** Serves reads of positions: all pages, which are stored in the outcome alone. */
import { venueBPositions } from '#schemas/requests/positions';
import { noRoomError } from '../../feed/reserve-in-time.ts';
import { readInTime } from '../../requests/read-in-time.ts';
import { defineHandler, type RequestHandler } from '../../requests/request-handler.ts';
import { type AcquisitionsOptions, readPages } from './acquisitions.ts';
import { ACQUISITIONS_RUNNING, ACQUISITIONS_TOTAL_MS, ACQUISITIONS_WAIT_MS, PRIORITIES } from './declaration.ts';

export function createPositionReads({
  url,
  http,
  budget,
}: Pick<AcquisitionsOptions, 'url' | 'http' | 'budget'>): RequestHandler {
  return defineHandler({
    kind: venueBPositions,
    running: ACQUISITIONS_RUNNING,
    expiresAfterMs: ACQUISITIONS_WAIT_MS,
    expiredBecause: () => noRoomError(budget, 1),
    run: ({ address }, { signal, requestedAt, orgIds: payers }) =>
      readInTime(requestedAt + ACQUISITIONS_TOTAL_MS, signal, async (inTime) => {
        const roomUntil = requestedAt + ACQUISITIONS_WAIT_MS;
        const spend = { priority: PRIORITIES.reads, payers, roomUntil, signal: inTime };
        const pages = await readPages({ url, http }, address, spend);
        return { pages: pages.map(({ payload }) => payload.toString()), fetchedAt: pages[0]!.fetchedAt };
      }),
  });
}
