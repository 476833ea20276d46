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
import { currentArbitrage } from '../../../queries/current-arbitrage.ts';
import { currentSpread } from '../../../queries/current-spread.ts';
import { wholeMoment } from '../../../queries/event-moment.ts';
import { ANOMALIES_WINDOW_MS, anomalies } from '../../../queries/read-anomalies.ts';
import { disputePhases } from '../../../queries/read-dispute-phases.ts';
import { settlements } from '../../../queries/read-settlements.ts';
import { signals } from '../../../queries/read-signals.ts';
import { newestTrades, readTrades } from '../../../queries/read-trades.ts';
import { readTogether } from '../../../queries/reading.ts';
import { instrumentsOf } from '../../../queries/traded-instruments.ts';
import { idsOf } from '../../../views/event-index.ts';
import { defineRoute } from '../../route.ts';
import { eventPath } from './event-path.ts';

const RECENT = 20;

/**
 * Event, spread and arbitrage are taken from the view at one moment; of the tables, which follow the views within about
 * a second and are read by one statement, nothing that is newer than it is told.
 */
export const getEventHealth = defineRoute({
  method: 'GET',
  path: '/v1/events/:universalId/health',
  scope: 'read',
  sku: 'api.request',
  cacheTtlMs: 1_000,
  summary: 'Everything of an event as of one moment: spread, arbitrage, consensus, oracle, anomalies, trades.',
  params: eventPath,
  query: z.object({}),
  response: eventHealthSchema,
  async handle({ params }, { views, store }) {
    const { event, arbitrage, at, ...moment } = await wholeMoment(views, store, params.universalId);
    const { universalId, links } = event;
    const spread = moment.spread && currentSpread(views.freshness, event, moment.spread);
    const current = currentArbitrage(views.freshness, event, arbitrage);
    const asked = { instruments: links.flatMap(instrumentsOf), limit: RECENT, until: at };
    const [settled, phases, figures, detected, newest] = await readTogether(store, [
      settlements(links.filter(({ used }) => used)),
      disputePhases(links),
      signals(idsOf(views.events, universalId), at),
      anomalies({ markets: links, kind: null, since: at - ANOMALIES_WINDOW_MS, limit: RECENT }),
      newestTrades(asked),
    ]);
    const trades = newest.isEnough ? newest.trades : await readTrades(store, asked.instruments, RECENT, at);
    const isToldBy = (ms: number) => ms <= at;
    const recordOf = (kind: ArbitrageRecord['kind']) => current.find((record) => record.kind === kind) ?? null;
    const fetchedAt = isoTime(at);
    return {
      universalId,
      event: toUniversalEvent(event),
      spread: { ...(spread ? toSpreadSnapshot(spread) : { universalId, legs: [] }), fetchedAt },
      arbitrage: { crossProvider: recordOf('cross_provider'), negationPair: recordOf('negation_pair') },
      consensusScore: decimalNumberOrNull(consensusScore(spread?.legs ?? [])),
      settlement: settled.filter(({ resolvedAt }) => isToldBy(Date.parse(resolvedAt))),
      disputeHistory: phases.filter(({ ts }) => isToldBy(ts)).map(toDisputePhaseRecord),
      edgeHalfLife: {
        medianHalfLifeSec: halfLifeSec(figures.medianHalfLifeMs),
        decayedSignals: figures.decayedSignals,
        computedAt: fetchedAt,
      },
      recentAnomalies: detected
        .filter(({ ts }) => isToldBy(ts))
        .map((anomaly) => toAnomalyRecord(anomaly, universalId)),
      recentTrades: trades.map(toTradeRecord),
      fetchedAt,
    };
  },
});
