/**
 * Runs the detectors over a simulated recording, through the real ingest and processors. Every injected anomaly must be
 * detected in its minute, nothing else may be, and a second run over the same log must give the same detections.
 * `PARALLAX_QUIET_HOURS=24` makes it a day at two events a second, which takes minutes. From `HOURS_TO_DELAY` hours on
 * a delayed settlement is injected, too: a shorter run has fewer than the thirty settlements that its baseline needs.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStages, projectionsOf } from '#processors/stages';
import { type Anomaly, anomalyTopic } from '#schemas/topics/anomalies';
import { readPartition } from '../../log/read-partition.ts';
import type { Stage } from '../../stages/stage.ts';
import { openSimulatedService, processAll, type SimulatedService } from '../simulated-service.ts';
import type { Injection } from '../simulator/world/injections.ts';

const HOURS = Number(process.env.PARALLAX_QUIET_HOURS ?? 1.2);
const HOURS_TO_DELAY = 15;
/** Events per second. A short run needs more of them to give every market thirty minutes with data. */
const RATE = HOURS >= HOURS_TO_DELAY ? 2 : 4;
const BEGINS_MS = Date.UTC(2026, 0, 15, 0, 10);
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Late enough for baselines, early enough for detections before the end. */
const INJECTED_MS = BEGINS_MS + (HOURS - 0.3) * HOUR_MS;

/** An hourly question that ends within the hour and is settled within four. */
const DELAYED: Injection = {
  kind: 'settlement_delay',
  venue: 'venue_b',
  slot: 3,
  atMs: BEGINS_MS + (HOURS - 5) * HOUR_MS,
};
const INJECTED: readonly Injection[] = [
  { kind: 'trade_volume_spike', venue: 'venue_b', slot: 0, atMs: INJECTED_MS },
  { kind: 'trade_volume_spike', venue: 'venue_a', slot: 1, atMs: INJECTED_MS + MINUTE_MS },
  { kind: 'spread_widening', venue: 'venue_b', slot: 2, atMs: INJECTED_MS + 2 * MINUTE_MS },
  { kind: 'spread_widening', venue: 'venue_a', slot: 4, atMs: INJECTED_MS + 3 * MINUTE_MS },
  { kind: 'wallet_burst', venue: 'venue_b', slot: 5, atMs: INJECTED_MS + 4 * MINUTE_MS },
  ...(HOURS >= HOURS_TO_DELAY ? [DELAYED] : []),
];
/** An injection applies to the next suitable event of its market, which can take minutes at two events a second. */
const CARRIED_WITHIN_MS = 10 * MINUTE_MS;
const DELAYED_WITHIN_MS = 5 * HOUR_MS;

async function readAnomalies({ context: { log, codec } }: SimulatedService): Promise<Anomaly[]> {
  const found: Anomaly[] = [];
  await readPartition(log, { topic: anomalyTopic.name, partition: 0 }, ({ value }) => {
    if (value !== null) found.push(codec.decode(anomalyTopic, value));
  });
  return found;
}

/** Of these stages, those that a topic follows from, in the order of data flow. */
function stagesBefore(topic: string, stages: readonly Stage<unknown>[]): Stage<unknown>[] {
  const needed = new Set([topic]);
  const found: Stage<unknown>[] = [];
  for (const stage of stages.toReversed()) {
    if (!stage.outputs.some(({ name }) => needed.has(name))) continue;
    for (const input of stage.inputs) needed.add(input.topic.name);
    found.unshift(stage);
  }
  return found;
}

describe('anomalies of a simulated service', () => {
  let folder = '';
  let service: SimulatedService;
  let found: readonly Anomaly[];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parallax-anomalies-'));
    service = await openSimulatedService({
      folder,
      rate: RATE,
      seconds: HOURS * 3_600,
      coins: 3,
      startMs: BEGINS_MS,
      inject: INJECTED,
    });
    await processAll(service.context);
    found = await readAnomalies(service);
  }, HOURS * 600_000);
  afterAll(async () => {
    await service?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are exactly the injected ones, each in its minute', () => {
    const listed = found.map(({ kind, provider, ts }) => ({
      kind,
      venue: provider === 'venue_b' ? 'venue_b' : 'venue_a',
      ts,
    }));
    expect(listed.map(({ kind, venue }) => `${kind} ${venue}`).sort()).toEqual(
      INJECTED.map(({ kind, venue }) => `${kind} ${venue}`).sort(),
    );
    for (const { kind, venue, atMs } of INJECTED) {
      const { ts } = listed.find((one) => one.kind === kind && one.venue === venue)!;
      expect(ts).toBeGreaterThan(atMs - MINUTE_MS);
      expect(ts).toBeLessThan(atMs + (kind === 'settlement_delay' ? DELAYED_WITHIN_MS : CARRIED_WITHIN_MS));
    }
    for (const { zScore } of found) expect(Number(zScore)).toBeGreaterThanOrEqual(8);
  });

  it('are emitted within two minutes of the minute that they are about', () => {
    for (const { ts, receivedAt } of found) expect(receivedAt - ts).toBeLessThan(2 * MINUTE_MS);
  });

  it(
    'are the same when they are calculated again',
    async () => {
      const { log, settings } = service.context;
      const stages = stagesBefore(anomalyTopic.name, createStages(settings));
      const projections = projectionsOf(stages);
      // Some of them do not exist yet.
      await log.createTopics(projections);
      for (const { name } of projections) await log.clearTopic(name);
      expect(await readAnomalies(service)).toEqual([]);
      await processAll(service.context, stages);
      expect(await readAnomalies(service)).toEqual(found);
    },
    HOURS * 600_000,
  );
});
