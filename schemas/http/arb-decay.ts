import { z } from 'zod';
import { universalIdField } from './fields.ts';
import { isoTimeSchema } from './scalars.ts';

/**
 * How long arbitrage of an event lasts (specification, Arb-decay record; contract, Markets): the median time from the peak
 * of the net edge to half of it or less, over the signals that began in the trailing 7 days.
 */
export const arbDecaySchema = z.object({
  universalId: universalIdField,
  signalsConsidered: z.number().int().describe('Signals that began in the trailing 7 days.'),
  decayedSignals: z.number().int().describe('Those that fell to half their peak or less, or ended.'),
  medianHalfLifeMs: z.number().int().nullable().describe('Median of their half-lives, ms; null when none has decayed.'),
  medianHalfLifeSec: z.number().int().nullable().describe('The same in seconds, rounded; null when none has decayed.'),
  computedAt: isoTimeSchema.describe('The moment up to which signals count.'),
});

/** Rounds milliseconds to seconds; null stays null. */
export function halfLifeSec(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms / 1_000);
}
