import { z } from 'zod';
import { ApiError } from '#schemas/errors';
import { timeParameter } from '#schemas/http/parameters';
import { readUsage } from '../../../queries/read-usage.ts';
import { defineOwnRoute } from '../../route.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
/** What the table's times can hold (DateTime64): the years 1900 to 2299. */
const FIRST_MS = Date.UTC(1900, 0, 1);
const LAST_MS = Date.UTC(2299, 11, 31);

const dayOf = (ms: number) => Math.min(LAST_MS, Math.max(FIRST_MS, Math.floor(ms / DAY_MS) * DAY_MS));
const day = timeParameter.describe('A UTC day, as 2026-03-01; of a time its day.').optional();

export const getUsage = defineOwnRoute({
  method: 'GET',
  path: '/v1/me/usage',
  scope: 'read',
  sku: 'api.request',
  summary: 'Units that the own organization used by UTC day and SKU; the last 30 days by default.',
  params: z.object({}),
  query: z.object({ from: day, to: day }),
  response: z.object({
    usage: z.array(z.object({ day: z.iso.date(), sku: z.string(), units: z.number().int() })),
  }),
  async handle({ query, caller }, { store }) {
    const to = dayOf(query.to ?? Date.now());
    const from = dayOf(query.from ?? to - (DEFAULT_DAYS - 1) * DAY_MS);
    if (from > to) throw new ApiError('validation_failed', 'from: must not be after to');
    return { usage: await readUsage(store, caller.orgId, from, to) };
  },
});
