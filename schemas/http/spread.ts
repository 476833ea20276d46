import { z } from 'zod';
import { largestDistance } from '../domain/consensus-score.ts';
import { formatDecimal } from '../domain/decimal.ts';
import type { Spread } from '../topics/derived.ts';
import { fetchedAtField, marketIdField, providerField, universalIdField } from './fields.ts';
import { decimalNumberOrNull, isoTime, isoTimeSchema } from './scalars.ts';

/**
 * A spread snapshot (specification, Spread snapshot; the contract, Markets, adds `marketId`; `state`, `asOf` and
 * `spread` are our own): the YES book of every linked market in use, sorted by provider then marketId. An empty side is null, which makes
 * yesMid null too.
 */
export const spreadSnapshotSchema = z
  .object({
    universalId: universalIdField,
    legs: z
      .array(
        z.object({
          provider: providerField,
          marketId: marketIdField,
          yesBid: z.number().nullable().describe('Best bid of YES; null for an empty side.'),
          yesAsk: z.number().nullable().describe('Best ask of YES; null for an empty side.'),
          yesMid: z.number().nullable().describe('Their middle; null unless both are known.'),
          state: z
            .enum(['live', 'recovering', 'stale', 'venue_down', 'closed', 'resolved'])
            .nullable()
            .describe(
              'Whether the leg can be relied on: live, recovering, stale or venue_down, as in status frames; closed or resolved for a market that is no longer traded, which has no prices; null while nothing is known about it, and then it has no prices either.',
            ),
          asOf: isoTimeSchema
            .nullable()
            .describe('When the last frame of its YES book was received; null before the first.'),
        }),
      )
      .describe('One for each linked market in use, by provider, then market.'),
    spread: z
      .number()
      .nullable()
      .describe('The largest distance between the yesMids of live legs; null with fewer than two.'),
    fetchedAt: fetchedAtField,
  })
  .meta({ id: 'Spread' });
export type SpreadSnapshot = z.infer<typeof spreadSnapshotSchema>;

/** The snapshot of a spread of the topics. `fetchedAt` is the time of its newest change; REST returns the current event time. */
export function toSpreadSnapshot(spread: Spread): SpreadSnapshot {
  const distance = largestDistance(spread.legs);
  return {
    universalId: spread.universalId,
    legs: spread.legs.map(({ provider, marketId, yesBid, yesAsk, yesMid, state, bookAt }) => ({
      provider,
      marketId,
      yesBid: decimalNumberOrNull(yesBid),
      yesAsk: decimalNumberOrNull(yesAsk),
      yesMid: decimalNumberOrNull(yesMid),
      state,
      asOf: bookAt === null ? null : isoTime(bookAt),
    })),
    spread: decimalNumberOrNull(distance === null ? null : formatDecimal(distance)),
    fetchedAt: isoTime(spread.receivedAt),
  };
}
