import { z } from 'zod';
import { formatDecimal } from '#schemas/domain/decimal';
import { hasLeg } from '#schemas/domain/linked-markets';
import { marketKey } from '#schemas/domain/providers';
import { ApiError } from '#schemas/errors';
import { arbitrageRecordSchema } from '#schemas/http/arbitrage';
import { marketIdField, providerField, universalIdField } from '#schemas/http/fields';
import { clampedInteger, timeParameter } from '#schemas/http/parameters';
import { decimalNumber, decimalNumberOrNull, isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { spreadSnapshotSchema } from '#schemas/http/spread';
import type { UniversalEvent } from '#schemas/topics/derived';
import { findEvent } from '../../../queries/find-event.ts';
import { readSampledHistory, type SampledHistory } from '../../../queries/read-sampled-history.ts';
import { bucketsFor } from '../../../queries/sample-buckets.ts';
import { idsWithMerged } from '../../../views/event-index.ts';
import { defineRoute } from '../../route.ts';
import { eventPath } from './event-path.ts';

const DAY_MS = 86_400_000;
/** The last time of the column type. */
const LATEST_MS = 10_413_791_999_999;

const { shape: ofLeg } = spreadSnapshotSchema.shape.legs.element;
const { shape: ofRecord } = arbitrageRecordSchema.options[0];
const tsField = isoTimeSchema.describe('When it was published.');

export const getEventHistory = defineRoute({
  method: 'GET',
  path: '/v1/events/:universalId/history',
  scope: 'read',
  sku: 'api.request',
  cacheTtlMs: 1_000,
  summary:
    'The published prices and edges of an event for a chart: of each bucket of the period the first, last, lowest and highest, unchanged.',
  params: eventPath,
  query: z.object({
    from: timeParameter.describe('unix ms or ISO-8601, inclusive; by default 24 hours before to').optional(),
    to: timeParameter.describe('unix ms or ISO-8601, inclusive; by default now').optional(),
    points: clampedInteger({ min: 10, max: 2_000, fallback: 500 }).describe(
      'The most points of a leg, and of a kind of arbitrage; 10 to 2000, clamped; default 500',
    ),
  }),
  response: z.object({
    universalId: universalIdField,
    legs: z
      .array(
        z.object({
          provider: providerField,
          marketId: marketIdField,
          points: z
            .array(z.object({ ts: tsField, yesBid: ofLeg.yesBid, yesAsk: ofLeg.yesAsk, yesMid: ofLeg.yesMid }))
            .describe('Oldest first; none of a bucket without data.'),
        }),
      )
      .describe('One for each linked market in use, and for each that was in the period; by provider, then market.'),
    spreads: z
      .array(
        z.object({
          ts: tsField,
          spread: spreadSnapshotSchema.shape.spread,
        }),
      )
      .describe('Of each record that has a point of a leg, oldest first.'),
    edges: z
      .array(
        z.object({
          ts: tsField,
          kind: z.enum(['cross_provider', 'negation_pair']).describe('Which of the two forms.'),
          netEdge: ofRecord.netEdge,
          size: ofRecord.size,
        }),
      )
      .describe('Arbitrage above zero, oldest first.'),
    states: z
      .array(z.object({ ts: tsField, provider: providerField, marketId: marketIdField, state: ofLeg.state }))
      .describe(
        'The first state of each leg and its changes, as published with its prices, oldest first; the newest 2000.',
      ),
  }),
  async handle({ params, query }, { views: { events }, store }) {
    const event = await findEvent(events, store, params.universalId);
    const { universalId, receivedAt } = event;
    const to = Math.min(LATEST_MS, query.to ?? events.now ?? receivedAt);
    const from = query.from ?? Math.max(0, to - DAY_MS);
    if (from > to) throw new ApiError('validation_failed', 'from: must not be after to');
    const period = { from, to, buckets: bucketsFor({ from, to }, query.points) };
    const { legs, spreads, edges, states } = await readSampledHistory(
      store,
      idsWithMerged(events, universalId),
      period,
    );
    return {
      universalId,
      legs: toLegs(event, legs),
      spreads: spreads.map(({ ts, spread }) => ({
        ts: isoTime(ts),
        spread: decimalNumberOrNull(spread === null ? null : formatDecimal(spread)),
      })),
      edges: edges.map(({ ts, kind, netEdge, size }) => ({
        ts: isoTime(ts),
        kind,
        netEdge: decimalNumber(netEdge),
        size: decimalNumber(size),
      })),
      states: states.map(({ ts, provider, marketId, state }) => ({ ts: isoTime(ts), provider, marketId, state })),
    };
  },
});

/** The legs of the event now, and those of the markets that were linked in the period. */
function toLegs({ links }: UniversalEvent, found: SampledHistory['legs']) {
  const markets = new Map(
    links
      .filter(hasLeg)
      .map(({ provider, providerMarketId: marketId }) => [marketKey(provider, marketId), { provider, marketId }]),
  );
  for (const [key, [first]] of found)
    if (first) markets.set(key, { provider: first.provider, marketId: first.marketId });
  return [...markets]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, { provider, marketId }]) => ({
      provider,
      marketId,
      points: (found.get(key) ?? []).map(({ ts, yesBid, yesAsk, yesMid }) => ({
        ts: isoTime(ts),
        yesBid: decimalNumberOrNull(yesBid),
        yesAsk: decimalNumberOrNull(yesAsk),
        yesMid: decimalNumberOrNull(yesMid),
      })),
    }));
}
