import { z } from 'zod';
import { anomalyRecordSchema } from '#schemas/http/anomaly';
import { disputePhaseRecordSchema } from '#schemas/http/dispute-phase';
import { paginationSchema, toPagination } from '#schemas/http/pagination';
import { clampedInteger, cursorParameter } from '#schemas/http/parameters';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { settlementRecordSchema } from '#schemas/http/settlement';
import { universalEventSchema } from '#schemas/http/universal-event';
import { ACTIVITY_KINDS, type ActivityKind, readActivity } from '../../../queries/read-activity.ts';
import { defineRoute } from '../../route.ts';

const ofEvent = {
  universalId: universalEventSchema.shape.universalId,
  canonicalName: universalEventSchema.shape.canonicalName,
  ts: isoTimeSchema.describe('`ts` of an anomaly and of a dispute phase, `resolvedAt` of a settlement.'),
};
const kindField = <K extends ActivityKind>(kind: K) => z.literal(kind).describe('What happened.');

const activitySchema = z.discriminatedUnion('kind', [
  z.object({ kind: kindField('anomaly'), ...ofEvent, record: anomalyRecordSchema }),
  z.object({ kind: kindField('dispute'), ...ofEvent, record: disputePhaseRecordSchema }),
  z.object({ kind: kindField('settlement'), ...ofEvent, record: settlementRecordSchema }),
]);

const kindsParameter = z.string().transform((text, context) => {
  const wanted = new Set(text.split(','));
  const kinds = ACTIVITY_KINDS.filter((kind) => wanted.has(kind));
  if (kinds.length === wanted.size) return kinds;
  context.addIssue({ code: 'custom', message: `must be some of ${ACTIVITY_KINDS.join(', ')}, separated by commas` });
  return z.NEVER;
});

export const getActivity = defineRoute({
  method: 'GET',
  path: '/v1/events/activity',
  scope: 'read',
  sku: 'api.request',
  cacheTtlMs: 1_000,
  summary:
    'Anomalies, dispute phases and settlements on the markets of all events that are not archived, newest first. A page may be shorter than the limit although another one follows.',
  params: z.object({}),
  query: z.object({
    kinds: kindsParameter.optional().describe('anomaly, dispute, settlement, separated by commas; by default all.'),
    limit: clampedInteger({ min: 1, max: 200, fallback: 50 }),
    cursor: cursorParameter.optional(),
  }),
  response: z.object({
    activity: z.array(activitySchema).describe('Newest first, without what was reverted.'),
    pagination: paginationSchema,
  }),
  async handle({ query: { kinds = [...ACTIVITY_KINDS], limit, cursor = null } }, { views: { events }, store }) {
    const page = await readActivity(events, store, kinds, limit, cursor);
    return {
      activity: page.activity.map(({ event: { universalId, canonicalName }, at, ...what }) => ({
        ...what,
        universalId,
        canonicalName,
        ts: isoTime(at),
      })),
      pagination: toPagination(page.nextCursor),
    };
  },
});
