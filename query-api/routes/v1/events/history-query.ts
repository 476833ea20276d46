import { z } from 'zod';
import { ApiError } from '#schemas/errors';
import { clampedInteger, cursorParameter, timeParameter } from '#schemas/http/parameters';
import type { HistoryRange } from '../../../queries/read-event-history.ts';

/** The query of a history that pages back in time. */
export const historyQuery = z.object({
  from: timeParameter.describe('unix ms or ISO-8601, inclusive; by default everything').optional(),
  to: timeParameter.describe('unix ms or ISO-8601, inclusive; by default the newest').optional(),
  limit: clampedInteger({ min: 1, max: 1_000, fallback: 100 }),
  cursor: cursorParameter.optional(),
});

/** Throws 400 if the range ends before it starts. */
export function historyRange({ from = 0, to, limit, cursor }: z.infer<typeof historyQuery>): HistoryRange {
  if (to !== undefined && from > to) throw new ApiError('validation_failed', 'from: must not be after to');
  return { from, to: to ?? null, limit, cursor: cursor ?? null };
}
