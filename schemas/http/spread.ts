import { z } from 'zod';
import type { Spread } from '../topics/derived.ts';
import { decimalNumberOrNull, isoTime, isoTimeSchema } from './scalars.ts';

/**
 * A spread snapshot (specification, Spread snapshot; the contract, Markets, adds `marketId`): the YES book of every
 * linked market in use, sorted by provider then marketId. An empty side is null, and so is yesMid then.
 */
export const spreadSnapshotSchema = z.object({
  universalId: z.string(),
  legs: z.array(
    z.object({
      provider: z.string(),
      marketId: z.string(),
      yesBid: z.number().nullable(),
      yesAsk: z.number().nullable(),
      yesMid: z.number().nullable(),
    }),
  ),
  fetchedAt: isoTimeSchema,
});
export type SpreadSnapshot = z.infer<typeof spreadSnapshotSchema>;

/** The snapshot of a spread of the topics. `fetchedAt` is the moment of the newest change in it; REST tells the pipeline's time instead. */
export function toSpreadSnapshot(spread: Spread): SpreadSnapshot {
  return {
    universalId: spread.universalId,
    legs: spread.legs.map(({ provider, marketId, yesBid, yesAsk, yesMid }) => ({
      provider,
      marketId,
      yesBid: decimalNumberOrNull(yesBid),
      yesAsk: decimalNumberOrNull(yesAsk),
      yesMid: decimalNumberOrNull(yesMid),
    })),
    fetchedAt: isoTime(spread.receivedAt),
  };
}
