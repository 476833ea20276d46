import { z } from 'zod';
import { consensusScore } from '#schemas/domain/consensus-score';
import { toAnomalyRecord } from '#schemas/http/anomaly';
import { halfLifeSec } from '#schemas/http/arb-decay';
import type { ArbitrageRecord } from '#schemas/http/arbitrage';
import { toDisputePhaseRecord } from '#schemas/http/dispute-phase';
import { eventHealthSchema } from '#schemas/http/event-health';
import { decimalNumberOrNull, isoTime } from '#schemas/http/scalars';
import { toSpreadSnapshot } from '#schemas/http/spread';
import { toTradeRecord } from '#schemas/http/trade';
import { toUniversalEvent } from '#schemas/http/universal-event';
import { anomaliesTable } from '#schemas/tables/anomalies';
import { arbitrageSignalsTable } from '#schemas/tables/arbitrage-signals';
import { disputePhasesTable } from '#schemas/tables/dispute-phases';
import { tradesTable } from '#schemas/tables/trades';
import { currentArbitrage } from '../../../queries/current-arbitrage.ts';
import { currentSpread } from '../../../queries/current-spread.ts';
import { queryBatch } from '../../../queries/query.ts';
import { ANOMALIES_WINDOW_MS, anomalies } from '../../../queries/read-anomalies.ts';
import { readConsistentEvent } from '../../../queries/read-consistent-event.ts';
import { disputePhases } from '../../../queries/read-dispute-phases.ts';
import { SETTLEMENT_TOPICS, settlements } from '../../../queries/read-settlements.ts';
import { signals } from '../../../queries/read-signals.ts';
import { newestTrades, readTrades } from '../../../queries/read-trades.ts';
import { instrumentsOf } from '../../../queries/traded-instruments.ts';
import { idsWithMerged } from '../../../views/event-index.ts';
import { defineRoute } from '../../route.ts';
import { eventPath } from './event-path.ts';

const RECENT = 20;

const TABLE_TOPICS = [
  ...SETTLEMENT_TOPICS,
  ...disputePhasesTable.fromTopics,
  ...arbitrageSignalsTable.fromTopics,
  ...anomaliesTable.fromTopics,
  ...tradesTable.fromTopics,
];

/**
 * Event, spread and arbitrage are a consistent snapshot of the view. The tables lag behind it by about a second: what
 * comes from them, and the whole response, is as of the time up to which they are complete.
 */
export const getEventHealth = defineRoute({
  method: 'GET',
  path: '/v1/events/:universalId/health',
  scope: 'read',
  sku: 'api.request',
  cacheTtlMs: 1_000,
  summary: 'Everything about an event as of one moment: spread, arbitrage, consensus, oracle, anomalies, trades.',
  params: eventPath,
  query: z.object({}),
  response: eventHealthSchema,
  async handle({ params }, { views, store }) {
    const { event, arbitrage, at: viewed, ...snapshot } = await readConsistentEvent(views, store, params.universalId);
    const { universalId, links } = event;
    const spread = snapshot.spread && currentSpread(views.freshness, event, snapshot.spread);
    const current = currentArbitrage(views.freshness, event, arbitrage);
    const at = (await views.freshness.tablesAsOf(TABLE_TOPICS, viewed)) ?? event.receivedAt;
    const tradeFilter = { instruments: links.flatMap(instrumentsOf), limit: RECENT, until: at };
    const [settled, phases, figures, detected, newest] = await queryBatch(store, [
      settlements(links.filter(({ used }) => used)),
      disputePhases(links),
      signals(idsWithMerged(views.events, universalId), at),
      anomalies({ markets: links, kind: null, since: at - ANOMALIES_WINDOW_MS, limit: RECENT }),
      newestTrades(tradeFilter),
    ]);
    const trades = newest.isComplete ? newest.trades : await readTrades(store, tradeFilter);
    const isInSnapshot = (ms: number) => ms <= at;
    const recordOf = (kind: ArbitrageRecord['kind']) => current.find((record) => record.kind === kind) ?? null;
    const fetchedAt = isoTime(at);
    return {
      universalId,
      event: toUniversalEvent(event),
      spread: {
        ...(spread ? toSpreadSnapshot(spread) : { universalId, legs: [], spread: null }),
        fetchedAt: isoTime(viewed),
      },
      arbitrage: { crossProvider: recordOf('cross_provider'), negationPair: recordOf('negation_pair') },
      consensusScore: decimalNumberOrNull(consensusScore(spread?.legs ?? [])),
      settlement: settled.filter(({ resolvedAt }) => isInSnapshot(Date.parse(resolvedAt))),
      disputeHistory: phases.filter(({ ts }) => isInSnapshot(ts)).map(toDisputePhaseRecord),
      edgeHalfLife: {
        medianHalfLifeSec: halfLifeSec(figures.medianHalfLifeMs),
        decayedSignals: figures.decayedSignals,
        computedAt: fetchedAt,
      },
      recentAnomalies: detected
        .filter(({ ts }) => isInSnapshot(ts))
        .map((anomaly) => toAnomalyRecord(anomaly, universalId)),
      recentTrades: trades.map(toTradeRecord),
      fetchedAt,
    };
  },
});
