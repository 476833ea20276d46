/** Hints that somebody wants the series of a followed account soon: ingest then requests it before its hour is over. */
import { z } from 'zod';
import { WINDOWS } from '../domain/returns/series.ts';
import { defineKind } from './kind.ts';

const refreshOf = (name: string) =>
  defineKind({
    name,
    params: z.object({
      address: z.string().describe('The account, lower case.'),
      windows: z.array(z.enum(WINDOWS)),
    }),
    result: z.object({
      hints: z
        .array(
          z.object({
            window: z.enum(WINDOWS),
            accepted: z.boolean().describe('False if there was a hint in the last minute.'),
            nextHintAt: z.number().int().describe('From when another hint is accepted, unix ms.'),
          }),
        )
        .describe('In the order of the windows.'),
    }),
    limits: { perOrganization: 100, total: 1_000 },
    waitMs: 10_000,
    // Each hint counts against the limit of a minute, which ingest applies.
    lifetimeMs: () => 0,
  });

/** The kind of each venue. */
export const SERIES_REFRESHES = {
  venue_a: refreshOf('venue_a.series-refresh'),
  venue_b: refreshOf('venue_b.series-refresh'),
} as const;
export type SeriesHint = ReturnType<typeof SERIES_REFRESHES.venue_a.result.parse>['hints'][number];
