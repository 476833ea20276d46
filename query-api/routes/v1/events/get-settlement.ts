import { z } from 'zod';
import { fetchedAtField, universalIdField } from '#schemas/http/fields';
import { booleanParameter } from '#schemas/http/parameters';
import { isoTime } from '#schemas/http/scalars';
import { settlementRecordSchema } from '#schemas/http/settlement';
import { eventTopic } from '#schemas/topics/derived';
import { findEvent } from '../../../queries/find-event.ts';
import { readSettlements, SETTLEMENT_TOPICS } from '../../../queries/read-settlements.ts';
import { tablesUntil } from '../../../views/freshness.ts';
import { defineRoute } from '../../route.ts';
import { eventPath } from './event-path.ts';

export const getSettlement = defineRoute({
  method: 'GET',
  path: '/v1/events/:universalId/settlement',
  scope: 'read',
  sku: 'api.request',
  cacheTtlMs: 1_000,
  summary:
    'How the markets of used links were resolved, one record each, in order of resolution; all=true adds the markets of unused links.',
  params: eventPath,
  query: z.object({
    all: booleanParameter.describe('true adds the markets of unused links; default false'),
  }),
  response: z.object({
    universalId: universalIdField,
    records: z.array(settlementRecordSchema).describe('In order of resolution.'),
    fetchedAt: fetchedAtField,
  }),
  async handle({ params, query }, { views, store }) {
    const { universalId, links, receivedAt } = await findEvent(views.events, store, params.universalId);
    const at = await tablesUntil(views.freshness, eventTopic, SETTLEMENT_TOPICS, receivedAt);
    const records = await readSettlements(store, query.all ? links : links.filter(({ used }) => used));
    return {
      universalId,
      records: records.filter(({ resolvedAt }) => Date.parse(resolvedAt) <= at),
      fetchedAt: isoTime(at),
    };
  },
});
