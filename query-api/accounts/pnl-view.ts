/** Deprecated views of the profit of accounts: other forms of their performance (specification, Portfolio). */
import { z } from 'zod';
import { WINDOWS, type Window } from '#schemas/domain/returns/series';
import { isoTimeSchema } from '#schemas/http/scalars';
import { PROVIDER_FAMILIES } from '#schemas/venues/accounts';
import { byWindow, type performanceSchema, warningsSchema, windowSchema, windowStatus } from './performance.ts';

const SOURCE = 'performance_projection';
const source = z.literal(SOURCE).describe('The series that the service has of followed accounts.');
const points = z
  .array(
    z.object({
      t: z.number().int().describe('Unix seconds.'),
      pnl: z.number().describe('Profit since the first point.'),
    }),
  )
  .describe('Oldest first; empty unless the series is ready.');
const MERGED = 'The sum of all series; null unless each is ready.';
const merged = points.nullable().describe(MERGED);
const single = 'Without `windows` only.';
const batched = 'With `windows` only.';

export const pnlViewSchema = z.object({
  window: z.enum(WINDOWS).optional().describe(single),
  windows: z.array(z.enum(WINDOWS)).optional().describe(batched),
  providers: z.array(z.enum(PROVIDER_FAMILIES)).describe('The requested venues.'),
  series: z
    .array(
      z.object({
        provider: z.enum(PROVIDER_FAMILIES).describe('The venue.'),
        address: z.string().describe('The address in lower case.'),
        bound: z.boolean().describe('True if the organization binds the account.'),
        source: source.optional().describe(single),
        points: points.optional().describe(single),
        byWindow: byWindow(z.object({ source, status: windowStatus, points }))
          .optional()
          .describe(batched),
      }),
    )
    .describe('One of each requested provider.'),
  merged: merged.describe('The sum of all series; null with `windows`, or unless each series is ready.'),
  mergedByWindow: byWindow(merged, MERGED).optional().describe(batched),
  canonical: windowSchema.optional().describe(`${single} The window as in the performance.`),
  canonicalByWindow: byWindow(windowSchema).optional().describe(`${batched} The windows as in the performance.`),
  warnings: warningsSchema,
  asOf: isoTimeSchema.describe('When the response was composed.'),
});
export type PnlView = z.infer<typeof pnlViewSchema>;
type Performance = z.infer<typeof performanceSchema>;
type WindowView = z.infer<typeof windowSchema>;

/** @param bound for each account in the order of the series. */
export function singlePnl(window: Window, performance: Performance, bound: readonly boolean[]): PnlView {
  const canonical = performance.windows[window]!;
  return {
    window,
    ...commonOf(canonical, performance),
    series: canonical.series.map(({ provider, address, points: all }, at) => ({
      provider,
      address,
      bound: bound[at]!,
      source: SOURCE,
      points: pnlOf(all),
    })),
    merged: canonical.merged && pnlOf(canonical.merged),
    canonical,
  };
}

/** @param bound for each account in the order of the series. */
export function batchedPnl(windows: readonly Window[], performance: Performance, bound: readonly boolean[]): PnlView {
  const first = performance.windows[windows[0]!]!;
  return {
    windows: [...windows],
    ...commonOf(first, performance),
    series: first.series.map(({ provider, address }, at) => ({
      provider,
      address,
      bound: bound[at]!,
      byWindow: inWindows(windows, performance, ({ series }) => {
        const { availability, points: all } = series[at]!;
        const status = availability.reason === null ? ('ready' as const) : ('unavailable' as const);
        return { source: SOURCE, status, points: pnlOf(all) } as const;
      }),
    })),
    merged: null,
    mergedByWindow: inWindows(windows, performance, (one) => one.merged && pnlOf(one.merged)),
    canonicalByWindow: performance.windows,
  };
}

function commonOf({ series }: WindowView, { warnings, asOf }: Performance) {
  return { providers: series.map(({ provider }) => provider), warnings, asOf };
}

function inWindows<T>(windows: readonly Window[], performance: Performance, of: (window: WindowView) => T) {
  return Object.fromEntries(windows.map((window) => [window, of(performance.windows[window]!)])) as Partial<
    Record<Window, T>
  >;
}

const pnlOf = (all: readonly { readonly t: number; readonly pnl: number }[]) => all.map(({ t, pnl }) => ({ t, pnl }));
