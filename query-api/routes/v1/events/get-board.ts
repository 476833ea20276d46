import { z } from 'zod';
import { formatDecimal, parseDecimal } from '#schemas/domain/decimal';
import { QUESTION_SELECTORS } from '#schemas/domain/providers';
import { arbitrageRecordSchema } from '#schemas/http/arbitrage';
import { fetchedAtField, marketIdField, providerField } from '#schemas/http/fields';
import { paginationSchema, toPagination } from '#schemas/http/pagination';
import { clampedInteger, cursorParameter, decimalParameter, wordsParameter } from '#schemas/http/parameters';
import { decimalNumber, decimalNumberOrNull, isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { spreadSnapshotSchema, toSpreadSnapshot } from '#schemas/http/spread';
import { universalEventSchema } from '#schemas/http/universal-event';
import { type SpreadLeg, spreadHeadTopic, type UniversalEvent } from '#schemas/topics/derived';
import { currentArbitrage } from '../../../queries/current-arbitrage.ts';
import { currentSpread } from '../../../queries/current-spread.ts';
import { BOARD_SORTS, type BoardEvent, listBoard } from '../../../queries/list-board.ts';
import { MISSING_EDGE_REASONS, missingEdgeReason } from '../../../queries/missing-edge.ts';
import type { Reader } from '../../../queries/query.ts';
import { type DayPrices, readDayPrices } from '../../../queries/read-day-prices.ts';
import { type MarketActivity, readMarketActivity, sumActivity } from '../../../queries/read-market-activity.ts';
import { idsWithMerged } from '../../../views/event-index.ts';
import { isBehind, waitForBooks } from '../../../views/freshness.ts';
import type { Views } from '../../../views/views.ts';
import { defineRoute } from '../../route.ts';

const { shape: ofEvent } = universalEventSchema;
const { shape: ofRecord } = arbitrageRecordSchema.options[0];
const edgeSchema = z.object({
  kind: z.enum(['cross_provider', 'negation_pair']).describe('Which of the two forms.'),
  netEdge: ofRecord.netEdge,
  grossEdge: ofRecord.grossEdge,
  size: ofRecord.size,
  quoteAgeMs: ofRecord.quoteAgeMs,
});

const rowSchema = z.object({
  universalId: ofEvent.universalId,
  canonicalName: ofEvent.canonicalName,
  kind: ofEvent.kind,
  status: ofEvent.status,
  resolutionDate: ofEvent.resolutionDate,
  legs: z
    .array(
      spreadSnapshotSchema.shape.legs.element.omit({ asOf: true }).extend({
        since: isoTimeSchema.nullable().describe('Since when it is in this state; null if that is unknown.'),
      }),
    )
    .describe('One for each linked market in use, by provider, then market.'),
  spread: spreadSnapshotSchema.shape.spread,
  edge: edgeSchema
    .nullable()
    .describe('The arbitrage with the largest net edge, even if that is negative; null without any.'),
  edges: z.array(edgeSchema).describe('The arbitrage of each kind that there is, the best first: `edge`, then others.'),
  noEdge: z
    .enum(MISSING_EDGE_REASONS)
    .nullable()
    .describe(
      'Why there is no arbitrage; null if there is. one_provider: one provider alone lists the question; link_not_used: no link to another provider is strong enough; stale_leg: prices of a leg are not live; no_book: a leg has no book; unknown_fee: the fee of a market is unknown; thin_book: a book holds less than the size. Of several pairs of legs the one that is closest to a quote counts.',
    ),
  volume24h: z.number().describe('Shares traded on its markets in the 24 hours before, YES and NO together.'),
  trades24h: z.number().int().describe('Number of these trades.'),
  lastTradeAt: isoTimeSchema.nullable().describe("The venue's time of the last of these trades; null without any."),
  anomalies24h: z.number().int().describe('Anomalies on its markets in the 24 hours before.'),
  disputed: z.boolean().describe('True if the newest dispute phase of one of its markets is a dispute.'),
  sparkline: z
    .object({
      from: isoTimeSchema.describe('When the first step begins.'),
      stepMs: z
        .number()
        .int()
        .describe('Length of a step, ms: half an hour, or less while all prices of the rows are newer.'),
      legs: z
        .array(
          z.object({
            provider: providerField,
            marketId: marketIdField,
            mids: z
              .array(z.number().nullable())
              .describe(
                'The last yesMid published in each step, oldest first; null if none was published or none was known.',
              ),
          }),
        )
        .describe('One for each market with a published price in these 24 hours, by provider, then market.'),
    })
    .optional()
    .describe('The prices of the last 24 hours in 48 steps; only with include=sparkline.'),
});

export const getBoard = defineRoute({
  method: 'GET',
  path: '/v1/events/board',
  scope: 'read',
  sku: 'api.request',
  cacheTtlMs: 0,
  summary:
    'One row for each event with its prices, its best arbitrage and its activity, as of one moment. Archived events have none. An event whose figure changes between two pages may be on both or on neither.',
  params: z.object({}),
  query: z.object({
    sort: z
      .enum(BOARD_SORTS)
      .default('edge')
      .describe('The figure that rows are sorted by, then by id: netEdge, spread, volume24h, last change, name.'),
    order: z
      .enum(['asc', 'desc'])
      .optional()
      .describe('By default asc for names, desc for figures. Unknown figures come last in either order.'),
    q: wordsParameter.optional(),
    provider: z
      .enum(QUESTION_SELECTORS)
      .optional()
      .describe('Only events with a market of this provider, or of any provider of this venue.'),
    status: z.enum(['open', 'closed', 'resolved']).default('open').describe('Only events of this status.'),
    min_edge: decimalParameter.optional().describe('Only events with at least this net edge, USD per share.'),
    include: z.enum(['sparkline']).optional().describe('sparkline adds the prices of the last 24 hours to each row.'),
    limit: clampedInteger({ min: 1, max: 1_000, fallback: 100 }),
    cursor: cursorParameter.optional(),
  }),
  response: z.object({
    rows: z.array(rowSchema).describe('In the requested order.'),
    pagination: paginationSchema,
    fetchedAt: fetchedAtField,
  }),
  async handle({ query }, { views, store }) {
    const { events, freshness } = views;
    const { sort, order = sort === 'name' ? 'asc' : 'desc', limit, cursor = null } = query;
    // Before the first clock record there are no trades, so any time will do.
    const activity = await readMarketActivity(store, events.now ?? Date.now());
    await waitForBooks(freshness, spreadHeadTopic);
    // From here on nothing waits, so that all rows are of one moment.
    const filter = {
      words: query.q ?? [],
      provider: query.provider,
      status: query.status,
      minEdge: query.min_edge === undefined ? null : parseDecimal(query.min_edge),
    };
    const behind = isBehind(freshness, spreadHeadTopic);
    const page = listBoard(events, { filter, sort, order, limit, cursor, activity, isBehind: behind });
    const times = page.items.flatMap(({ spread, arbitrage }) =>
      [spread, ...arbitrage].map((record) => record?.receivedAt ?? 0),
    );
    const rows = page.items.map((item) => toRow(item, views, activity));
    return {
      rows: query.include ? await withSparklines(rows, views, store) : rows,
      pagination: toPagination(page.nextCursor),
      fetchedAt: isoTime(Math.max(freshness.asOf(spreadHeadTopic) ?? 0, ...times)),
    };
  },
});

type Row = z.infer<typeof rowSchema>;

/** Adds the published prices of a day, which change slowly, so that they may be read after the row. */
async function withSparklines(rows: readonly Row[], { events }: Views, store: Reader): Promise<Row[]> {
  const ids = new Map(rows.map(({ universalId }) => [universalId, idsWithMerged(events, universalId)]));
  const prices = await readDayPrices(store, ids, events.now ?? Date.now());
  return rows.map((row) => ({ ...row, sparkline: toSparkline(prices.get(row.universalId)!) }));
}

function toSparkline({ from, stepMs, legs }: DayPrices): Row['sparkline'] {
  return {
    from: isoTime(from),
    stepMs,
    legs: legs.map((leg) => ({ ...leg, mids: leg.mids.map(decimalNumberOrNull) })),
  };
}

function toRow({ event, spread, arbitrage }: BoardEvent, { events, freshness }: Views, activity: MarketActivity): Row {
  const current = spread && currentSpread(freshness, event, spread);
  const legs = current?.legs ?? [];
  const snapshot = current && toSpreadSnapshot(current);
  const edges = currentArbitrage(freshness, event, arbitrage).map(({ kind, netEdge, grossEdge, size, quoteAgeMs }) => ({
    kind,
    netEdge,
    grossEdge,
    size,
    quoteAgeMs,
  }));
  const edge = edges[0] ?? null;
  const { volume, trades, lastTradeAt, anomalies, disputed } = sumActivity(activity, event.links);
  return {
    universalId: event.universalId,
    canonicalName: event.canonicalName,
    kind: event.kind,
    status: event.status,
    resolutionDate: event.resolutionTime === null ? null : isoTime(event.resolutionTime),
    legs: (snapshot?.legs ?? []).map(({ asOf: _, ...leg }, at) => ({
      ...leg,
      since: sinceOf(legs[at]!, event, events.statuses),
    })),
    spread: snapshot?.spread ?? null,
    edge,
    edges,
    noEdge: edge ? null : missingEdgeReason(event, legs),
    volume24h: decimalNumber(formatDecimal(volume)),
    trades24h: trades,
    lastTradeAt: lastTradeAt === null ? null : isoTime(lastTradeAt),
    anomalies24h: anomalies,
    disputed,
  };
}

/** Since when a leg is in its state: while its YES instrument has the same one. */
function sinceOf(
  { provider, marketId, state }: SpreadLeg,
  { links }: UniversalEvent,
  statuses: Views['events']['statuses'],
): string | null {
  const link = links.find((one) => one.provider === provider && one.providerMarketId === marketId);
  const status = link && statuses.get(link.yesInstrument);
  return status && status.state === state ? isoTime(status.since) : null;
}
