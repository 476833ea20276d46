/** The newest fills of an account of venue_a: those that a self-hosted node wrote, and those that the venue returns. */
import type { InfoResult } from '#schemas/requests/venue-a-info';
import { readNodeFills } from '../queries/read-node-fills.ts';
import type { Dependencies } from '../routes/route.ts';
import { readInfo } from './read-info.ts';
import { unusableResponse } from './unusable-response.ts';

const FILLS_MAX = 2_000;

interface Fill {
  readonly time: number;
  readonly coin: string;
  readonly tid?: number;
  readonly liquidation?: unknown;
}

/** Reads fills. The venue is not asked if the node's are complete. Rejects with an `ApiError` if its read fails. */
export async function readUserFills(
  { ingest, store, views }: Pick<Dependencies, 'ingest' | 'store' | 'views'>,
  user: string,
): Promise<InfoResult> {
  const stored = await readNodeFills(store, views, user, { limit: FILLS_MAX });
  if (stored.isComplete) return { native: newestFills(stored.fills, []), fetchedAt: Date.now(), source: 'node' };
  const read = await readInfo(ingest, { type: 'userFills', user });
  return { ...read, native: newestFills(stored.fills, read.native) };
}

/**
 * Merges fills on time, coin and tid; what a node wrote of a fill is used, since it has more fields. Returns the newest
 * ones first, in the order of the venue within a time, each with `liquidation`, null where there was none.
 */
export function newestFills(ofNode: readonly unknown[], ofVenue: unknown): readonly unknown[] {
  if (!Array.isArray(ofVenue) || ofVenue.some((fill) => typeof fill !== 'object' || fill === null))
    throw unusableResponse('the venue returned no list of fills', ofVenue);
  const missing = new Map((ofNode as readonly Fill[]).map((fill) => [keyOf(fill), fill]));
  const merged = (ofVenue as readonly Fill[]).map((fill) => {
    const key = keyOf(fill);
    const same = missing.get(key) ?? fill;
    missing.delete(key);
    return same;
  });
  return [...merged, ...missing.values()]
    .sort((a, b) => Number(b.time) - Number(a.time))
    .slice(0, FILLS_MAX)
    .map((fill) => ({ ...fill, liquidation: fill.liquidation ?? null }));
}

const keyOf = ({ time, coin, tid }: Fill): string => `${time} ${coin} ${tid}`;
