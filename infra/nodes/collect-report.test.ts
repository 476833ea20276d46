import { expect, it } from 'vitest';
import { VERSION } from '../config/version.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { ReportCollector } from './collect-report.ts';

const IDENTITY = { node: 'a', roles: ['processors'], startedAt: 5 };

it('reports stages with their rate since the report before, feeds, sockets, the sink and dead letters', async () => {
  const metrics = createMetrics();
  let processed = 100;
  metrics.stageLags.set('candles', {
    seconds: () => 1.5,
    records: () => 0,
    heldBytes: () => 0,
    position: () => 900,
    processed: () => processed,
  });
  metrics.feedBoard.onEvent({ venue: 'venue_a', feed: 'venue_a.ws.0', kind: 'connected' }, 800);
  const collector = new ReportCollector(IDENTITY, metrics);
  const stage = { stage: 'candles', positionAt: 900, lagMs: 1_500, eventsPerSecond: 0 };
  expect(await collector.collect(1_000)).toEqual({
    ...IDENTITY,
    at: 1_000,
    version: VERSION,
    stages: [stage],
    feeds: [{ venue: 'venue_a', feed: 'venue_a.ws.0', state: 'connected', since: 800, lastFrameAt: null, lost1h: 0 }],
    sinkLagMs: null,
    keys: null,
    deadLetters: [],
  });
  processed = 150;
  const row = {
    orgId: 'org',
    keyId: 'k',
    sockets: 1,
    subscriptions: 2,
    queuedBytes: 3,
    sentPerSecond: 4,
    dropped1h: 5,
  };
  metrics.socketsByKey.read = () => [row];
  metrics.sinkLagSeconds.set({ table: 'trades' }, 0.2);
  metrics.sinkLagSeconds.set({ table: 'candle_bars' }, 2.5);
  metrics.deadLetters.inc({ topic: 'raw.venue_a.ws', reason: 'invalid' }, 3);
  expect(await collector.collect(3_000)).toMatchObject({
    stages: [{ ...stage, eventsPerSecond: 25 }],
    sinkLagMs: 2_500,
    keys: [row],
    deadLetters: [{ topic: 'raw.venue_a.ws', reason: 'invalid', count: 3 }],
  });
  // A stage that started anew counts from zero.
  processed = 10;
  expect((await collector.collect(4_000)).stages).toEqual([stage]);
});
