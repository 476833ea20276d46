import { z } from 'zod';
import { parseDecimal } from '#schemas/domain/decimal';
import { QUESTION_SELECTORS } from '#schemas/domain/providers';
import { arbitrageRecordSchema } from '#schemas/http/arbitrage';
import { fetchedAtField } from '#schemas/http/fields';
import { paginationSchema, toPagination } from '#schemas/http/pagination';
import { clampedInteger, cursorParameter, decimalParameter } from '#schemas/http/parameters';
import { isoTime } from '#schemas/http/scalars';
import { arbitrageHeadTopic } from '#schemas/topics/derived';
import { currentArbitrage } from '../../queries/current-arbitrage.ts';
import { listArbitrage } from '../../queries/list-arbitrage.ts';
import { waitForBooks } from '../../views/freshness.ts';
import { defineRoute } from '../route.ts';

const named = { canonicalName: z.string().describe('The name of the event.') };
/** An arbitrage record with the name of its event. */
const listedSchema = z.discriminatedUnion('kind', [
  arbitrageRecordSchema.options[0].extend(named),
  arbitrageRecordSchema.options[1].extend(named),
]);

export const getAllArbitrage = defineRoute({
  method: 'GET',
  path: '/v1/arbitrage',
  scope: 'read',
  sku: 'api.request',
  cacheTtlMs: 0,
  summary:
    'The current best arbitrage of each kind of every event, largest net edge first. A record whose edge changes between two pages may be on both or on neither.',
  params: z.object({}),
  query: z.object({
    min_net_edge: decimalParameter.optional().describe('Only records with at least this net edge, USD per share.'),
    kind: z.enum(['cross_provider', 'negation_pair']).optional().describe('Only records of this kind.'),
    provider: z
      .enum(QUESTION_SELECTORS)
      .optional()
      .describe('Only records with a leg of this provider, or of any provider of this venue.'),
    sort: z.enum(['-netEdge']).default('-netEdge').describe('The largest net edge first.'),
    limit: clampedInteger({ min: 1, max: 1_000, fallback: 100 }),
    cursor: cursorParameter.optional(),
  }),
  response: z.object({
    records: z.array(listedSchema).describe('Largest net edge first.'),
    pagination: paginationSchema,
    fetchedAt: fetchedAtField,
  }),
  async handle({ query }, { views: { events, freshness } }) {
    await waitForBooks(freshness, arbitrageHeadTopic);
    const minNetEdge = query.min_net_edge === undefined ? null : parseDecimal(query.min_net_edge);
    const filter = { minNetEdge, kind: query.kind, provider: query.provider };
    const { items, nextCursor } = listArbitrage(events, filter, query.limit, query.cursor ?? null);
    const records = items.flatMap(({ event, record }) =>
      currentArbitrage(freshness, event, [record]).map((current) => ({
        ...current,
        canonicalName: event.canonicalName,
      })),
    );
    const asOf = freshness.asOf(arbitrageHeadTopic) ?? 0;
    return {
      records,
      // While the figures lag there are no records, on no page.
      pagination: toPagination(records.length > 0 ? nextCursor : null),
      fetchedAt: isoTime(Math.max(asOf, ...items.map(({ record }) => record.receivedAt))),
    };
  },
});
