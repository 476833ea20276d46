import { z } from 'zod';
import { anomalyRecordSchema, toAnomalyRecord } from '#schemas/http/anomaly';
import { universalIdField } from '#schemas/http/fields';
import { clampedInteger } from '#schemas/http/parameters';
import { ANOMALY_KINDS } from '#schemas/topics/anomalies';
import { findEvent } from '../../../queries/find-event.ts';
import { ANOMALIES_WINDOW_MS, readAnomalies } from '../../../queries/read-anomalies.ts';
import { defineRoute } from '../../route.ts';
import { eventPath } from './event-path.ts';

export const getAnomalyHistory = defineRoute({
  method: 'GET',
  path: '/v1/events/:universalId/anomaly-history',
  scope: 'read',
  sku: 'api.request',
  cacheTtlMs: 1_000,
  summary: 'Anomalies of the last 7 days on all markets that are linked now, newest first.',
  params: eventPath,
  query: z.object({
    kind: z.enum(ANOMALY_KINDS).optional().describe('Only this kind.'),
    limit: clampedInteger({ min: 1, max: 1_000, fallback: 100 }),
  }),
  response: z.object({
    universalId: universalIdField,
    anomalies: z.array(anomalyRecordSchema).describe('Newest first.'),
  }),
  async handle({ params, query }, { views, store }) {
    const { universalId, links, receivedAt } = await findEvent(views.events, store, params.universalId);
    const anomalies = await readAnomalies(store, {
      markets: links,
      kind: query.kind ?? null,
      since: (views.events.now ?? receivedAt) - ANOMALIES_WINDOW_MS,
      limit: query.limit,
    });
    return { universalId, anomalies: anomalies.map((anomaly) => toAnomalyRecord(anomaly, universalId)) };
  },
});
