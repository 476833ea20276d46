/** Deprecated view of the values of accounts over time: another form of their performance (specification, Portfolio). */
import { z } from 'zod';
import { WINDOWS, type Window } from '#schemas/domain/returns/series';
import { isoTimeSchema } from '#schemas/http/scalars';
import { PROVIDER_FAMILIES } from '#schemas/venues/accounts';
import { availabilitySchema, type performanceSchema, warningsSchema, windowSchema } from './performance.ts';

export const navViewSchema = z.object({
  window: z.enum(WINDOWS).describe('How far back the series reach.'),
  providers: z.array(z.enum(PROVIDER_FAMILIES)).describe('The requested venues.'),
  series: z
    .array(
      z.object({
        provider: z.enum(PROVIDER_FAMILIES).describe('The venue.'),
        address: z.string().describe('The address in lower case.'),
        source: z.literal('performance_projection').describe('The series that the service has of followed accounts.'),
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
  warnings: warningsSchema,
  asOf: isoTimeSchema.describe('When the response was composed.'),
});
export type NavView = z.infer<typeof navViewSchema>;

export function navView(window: Window, { windows, warnings, asOf }: z.infer<typeof performanceSchema>): NavView {
  const { series } = windows[window]!;
  return {
    window,
    providers: series.map(({ provider }) => provider),
    series: series.map(({ availability, points, ...one }) => ({
      ...one,
      quality: availability.reason === null ? 'authoritative' : 'degraded',
      points: points.map(({ t, navUsdc, netDepositsUsdc }) => ({ t, navUsdc, netDepositsUsdc })),
      availability,
    })),
    warnings,
    asOf,
  };
}
