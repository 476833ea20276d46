import { z } from 'zod';
import { marketKey } from '#schemas/domain/providers';
import { anomalyRecordSchema, toAnomalyRecord } from '#schemas/http/anomaly';
import { clampedInteger, timeParameter } from '#schemas/http/parameters';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { survivorOf } from '../../../queries/find-event.ts';
import { marketsOfInterest } from '../../../queries/markets-of-interest.ts';
import { type AnomalyRow, readAnomalies } from '../../../queries/read-anomalies.ts';
import type { EventIndex } from '../../../views/event-index.ts';
import { defineCallerRoute } from '../../route.ts';

const DAY_MS = 86_400_000;
const LONGEST_MS = 30 * DAY_MS;

export const getAnomalyFeed = defineCallerRoute({
  method: 'GET',
  path: '/v1/me/anomaly-feed',
  scope: 'read',
  sku: 'api.request',
  servesMarketData: true,
  summary:
    'Anomalies on events in whose markets a bound wallet traded in the last 30 days; on all events if there are none.',
  params: z.object({}),
  query: z.object({
    since: timeParameter
      .describe('unix ms or ISO-8601; 24 hours ago by default, clamped to the last 30 days')
      .optional(),
    limit: clampedInteger({ min: 1, max: 1_000, fallback: 100 }),
  }),
  response: z.object({
    anomalies: z.array(anomalyRecordSchema).describe('Newest first.'),
    window: z
      .object({ from: isoTimeSchema.describe('Start, inclusive.'), to: isoTimeSchema.describe('End, inclusive.') })
      .describe('The period that was searched.'),
  }),
  async handle({ query, caller }, { views: { events }, store, control }) {
    // Before the first clock record there are no anomalies, so any window will do.
    const now = events.now ?? Date.now();
    const since = Math.min(now, Math.max(now - LONGEST_MS, query.since ?? now - DAY_MS));
    const markets = await marketsOfInterest(store, events, control.state, caller, now);
    const anomalies = await readAnomalies(store, { markets, kind: null, since, limit: query.limit });
    return {
      anomalies: anomalies.map((one) => toAnomalyRecord(one, eventOf(events, one))),
      // The clock ticks every 5 s, so a record may be newer than the last clock record.
      window: { from: isoTime(since), to: isoTime(Math.max(now, ...anomalies.map(({ ts }) => ts))) },
    };
  },
});

/** The event that the market is linked to now; if there is none, the event of the anomaly. */
function eventOf(index: EventIndex, { provider, marketId, universalId }: AnomalyRow): string | undefined {
  return index.byMarket.get(marketKey(provider, marketId)) ?? survivorOf(index, universalId)?.universalId;
}
