/** The query of routes that return candles (specification, candle query parameters). */
import { z } from 'zod';
import { INTERVAL_NAMES } from '../domain/candles/sources.ts';
import { ApiError } from '../errors.ts';
import { clampedInteger, timeParameter } from './parameters.ts';

export const candleQuery = z.object({
  interval: z.enum(INTERVAL_NAMES).default('1h').describe('Length of a bar; default 1h.'),
  limit: clampedInteger({ min: 1, max: 5_000, fallback: 100 }),
  start_time: timeParameter
    .describe('Start of the window, inclusive; unix ms (0, or from 2001 on) or ISO-8601.')
    .optional(),
  end_time: timeParameter
    .describe('End of the window, exclusive; unix ms (0, or from 2001 on) or ISO-8601.')
    .optional(),
});

/** The window of a query. Throws 400 if it ends before it starts. */
export function windowOf({ interval, limit, start_time, end_time }: CandleQuery) {
  const [start, end] = [start_time ?? null, end_time ?? null];
  if (start !== null && end !== null && start >= end)
    throw new ApiError('validation_failed', 'start_time: must be before end_time');
  return { interval, limit, start, end };
}

export type CandleQuery = z.infer<typeof candleQuery>;
