import { z } from 'zod';
import { ApiError } from '#schemas/errors';
import { timeParameter } from '#schemas/http/parameters';
import { readUsage, type UsageRow } from '../../../queries/read-usage.ts';
import { defineCallerRoute } from '../../route.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
/** Range of the column type DateTime64: the years 1900 to 2299. */
const FIRST_MS = Date.UTC(1900, 0, 1);
const LAST_MS = Date.UTC(2299, 11, 31);

const dayOf = (ms: number) => Math.min(LAST_MS, Math.max(FIRST_MS, Math.floor(ms / DAY_MS) * DAY_MS));
const day = timeParameter.describe('A UTC day, for example 2026-03-01. Of a time only the day counts.').optional();

export const getUsage = defineCallerRoute({
  method: 'GET',
  path: '/v1/me/usage',
  scope: 'read',
  sku: 'api.request',
  summary: "Usage of the caller's organization by UTC day and SKU; by default of the last 30 days.",
  params: z.object({}),
  query: z.object({ from: day, to: day }),
  response: z.object({
    usage: z
      .array(
        z.object({
          day: z.iso.date().describe('UTC day.'),
          sku: z.string().describe('What was used.'),
          units: z.number().int().describe('How much of it.'),
        }),
      )
      .describe('By day, then SKU; without days of no usage.'),
  }),
  async handle({ query, caller: { orgId } }, { store, usage }) {
    const now = Date.now();
    const to = dayOf(query.to ?? now);
    const from = dayOf(query.from ?? to - (DEFAULT_DAYS - 1) * DAY_MS);
    if (from > to) throw new ApiError('validation_failed', 'from: must not be after to');
    const today = dayOf(now);
    const counted = from <= today && today <= to ? usage.unitsOfDay(orgId, now) : new Map<string, number>();
    const day = new Date(today).toISOString().slice(0, 10);
    return { usage: withToday(await readUsage(store, orgId, from, to), day, counted) };
  },
});

/** Replaces today's rows with this node's counts for all nodes where these are higher: they are more recent than the table. */
function withToday(rows: readonly UsageRow[], day: string, counted: ReadonlyMap<string, number>): UsageRow[] {
  const known = new Map(rows.filter((row) => row.day === day).map(({ sku, units }) => [sku, units]));
  const today = [...new Set([...known.keys(), ...counted.keys()])]
    .sort()
    .map((sku) => ({ day, sku, units: Math.max(known.get(sku) ?? 0, counted.get(sku) ?? 0) }));
  return [...rows.filter((row) => row.day < day), ...today, ...rows.filter((row) => row.day > day)];
}
