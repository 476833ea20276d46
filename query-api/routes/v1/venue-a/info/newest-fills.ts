import { ApiError } from '#schemas/errors';
import { PROVIDER } from '../../../../upstream/read-info.ts';

const FILLS_MAX = 2_000;

interface Fill {
  readonly time: number;
  readonly liquidation?: unknown;
}

/** The newest fills first, in the venue's order within a time; each with `liquidation`, null where the venue has none. */
export function newestFills(native: unknown): unknown {
  if (!Array.isArray(native))
    throw new ApiError('upstream_unavailable', 'the venue returned no list of fills', {
      upstream: { provider: PROVIDER, status: 200, body: native },
    });
  return (native as readonly Fill[])
    .toSorted((a, b) => Number(b.time) - Number(a.time))
    .slice(0, FILLS_MAX)
    .map((fill) => ({ ...fill, liquidation: fill.liquidation ?? null }));
}
