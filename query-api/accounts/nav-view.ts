/** Deprecated view of the values of accounts over time: another form of their performance (specification, Portfolio). */
import { z } from 'zod';
import { WINDOWS, type Window } from '#schemas/domain/returns/series';
import { isoTimeSchema } from '#schemas/http/scalars';
import { PROVIDER_FAMILIES } from '#schemas/venues/accounts';
import { availabilitySchema, type performanceSchema, warningsSchema, windowSchema } from './performance.ts';
import { STORED_SOURCES, type StoredNav } from './stored-nav.ts';

export const navViewSchema = z.object({
  window: z.enum(WINDOWS).describe('How far back the series reach.'),
  providers: z.array(z.enum(PROVIDER_FAMILIES)).describe('The requested venues.'),
  series: z
    .array(
      z.object({
        provider: z.enum(PROVIDER_FAMILIES).describe('The venue.'),
        address: z.string().describe('The address in lower case.'),
        source: z
          .enum(['performance_projection', STORED_SOURCES.venue_a, STORED_SOURCES.venue_b])
          .describe('The series that the service has of followed accounts, else its own hourly snapshots.'),
        quality: windowSchema.shape.quality,
        points: z
          .array(
            z.object({
              t: z.number().int().describe('Unix seconds.'),
              navUsdc: z.number().nullable().describe('Value of the account; null where it is not known.'),
              netDepositsUsdc: z.number().nullable().describe('The value less the profit; null where not known.'),
            }),
          )
          .describe('Oldest first.'),
        availability: availabilitySchema,
      }),
    )
    .describe('One of each requested provider.'),
  warnings: z
    .array(
      warningsSchema.element.extend({
        code: z.enum(['series_unavailable', 'truncated']).describe('What is missing.'),
      }),
    )
    .describe('One for each series without data, and one for each that has only its newest 2,000 points.'),
  asOf: isoTimeSchema.describe('When the response was composed.'),
});
export type NavView = z.infer<typeof navViewSchema>;

/** @param stored for each account of the series its own snapshots, where the series is not ready; null without any. */
export function navView(
  window: Window,
  { windows, warnings, asOf }: z.infer<typeof performanceSchema>,
  stored: readonly (StoredNav | null)[],
): NavView {
  const { series } = windows[window]!;
  return {
    window,
    providers: series.map(({ provider }) => provider),
    series: series.map(({ availability, points, ...one }, at) => {
      const snapshots = stored[at] ?? null;
      if (snapshots !== null) {
        const { source, observedAt } = snapshots;
        const ofSnapshots = { ...availability, dataStatus: 'cached_stale' as const, observedAt };
        return { ...one, source, quality: 'degraded' as const, points: snapshots.points, availability: ofSnapshots };
      }
      return {
        ...one,
        quality: availability.reason === null ? ('authoritative' as const) : ('degraded' as const),
        points: points.map(({ t, navUsdc, netDepositsUsdc }) => ({ t, navUsdc, netDepositsUsdc })),
        availability,
      };
    }),
    warnings: [
      ...warnings,
      ...series.flatMap(({ provider }, at) =>
        stored[at]?.isTruncated
          ? [{ code: 'truncated' as const, provider, window, message: 'only the newest 2,000 snapshots are returned' }]
          : [],
      ),
    ],
    asOf,
  };
}
