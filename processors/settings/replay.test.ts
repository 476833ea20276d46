import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Codec } from '#infra/codec/codec';
import { createCodec } from '#infra/codec/create-codec';
import { openLogRegistry } from '#infra/codec/log-registry';
import { openEmbeddedLog } from '#infra/log/embedded/open-embedded-log';
import type { EventLog } from '#infra/log/log';
import { readPartition } from '#infra/log/read-partition';
import { runStage } from '#infra/stages/run-stage';
import type { Stage } from '#infra/stages/stage';
import { createMetrics } from '#infra/telemetry/metrics';
import { DEFAULT_SETTINGS } from '#schemas/testing/recorded-settings.fixture';
import { aLink, anEvent } from '#schemas/testing/records.fixture';
import { type SettingsChange, stateTopic } from '#schemas/topics/control';
import { type Arbitrage, arbitrageTopic, eventTopic } from '#schemas/topics/derived';
import { bookTopics, statusTopics } from '#schemas/topics/normalised';
import { partitionOf, type Topic } from '#schemas/topics/topic';
import { createStagesOverTime } from '../stages.ts';
import { readSettings, recordSettings } from './recorded-settings.ts';

let path: string;
let log: EventLog;
let codec: Codec;
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'parallax-settings-'));
  log = await openEmbeddedLog({ path });
  codec = createCodec(await openLogRegistry(log));
});
afterEach(async () => {
  await log.close();
  await rm(path, { recursive: true, force: true });
});

const spreadsOf = (history: readonly SettingsChange[]) =>
  createStagesOverTime(history).find(({ name }) => name === 'spreads')!;
const INPUTS = spreadsOf([{ ...DEFAULT_SETTINGS, receivedAt: 0 }]).inputs.map(({ topic }) => topic);

const seqs = new Map<string, number>();
async function append<T extends { receivedAt: number }>(topic: Topic<T>, key: string, value: T): Promise<void> {
  await log.createTopics([topic]);
  await codec.prepare([topic as Topic]);
  const partition = partitionOf(key, topic.partitions);
  const place = `${topic.name}/${partition}`;
  seqs.set(place, (seqs.get(place) ?? 0) + 1);
  const { receivedAt } = value;
  const seq = seqs.get(place)!;
  await log.append([{ topic: topic.name, partition, key, value: codec.encode(topic, value), receivedAt, seq }]);
}

/** Processes all records, like processors that start with these settings and stop again. */
async function processAll(stage: Stage<unknown>): Promise<void> {
  const logger = pino({ level: 'silent' });
  await (await runStage({ stage, log, codec, logger, metrics: createMetrics(), mode: 'rebuild' })).stopped;
}
async function arbitrages(): Promise<Arbitrage[]> {
  const emitted: Arbitrage[] = [];
  for (let partition = 0; partition < arbitrageTopic.partitions; partition += 1)
    await readPartition(log, { topic: arbitrageTopic.name, partition }, ({ value }) => {
      emitted.push(codec.decode(arbitrageTopic, value!));
    });
  return emitted;
}

const link = (provider: string, instrument: string) =>
  aLink({
    provider,
    providerMarketId: instrument,
    yesInstrument: instrument,
    noInstrument: null,
    takerFeeRate: '0',
  });
async function book(venue: 'venue_a' | 'venue_b', receivedAt: number, bid: string, ask: string): Promise<void> {
  const [provider, instrument] = venue === 'venue_a' ? ['venue_a_outcome', '#1'] : ['venue_b', 'yes'];
  const common = { provider, instrument, marketId: null, feed: 'f', receivedAt };
  const side = (price: string) => [{ price, size: '1000' }];
  await append(bookTopics[venue], instrument, { ...common, ts: 0, snapshot: true, bids: side(bid), asks: side(ask) });
  await append(statusTopics[venue], instrument, { ...common, state: 'live', since: 0 });
}

it('a replay gives the same numbers with the settings of their time, whatever its own configuration', async () => {
  const links = [link('venue_a_outcome', '#1'), link('venue_b', 'yes')];
  await append(eventTopic, 'evt', anEvent({ universalId: 'evt', links }));
  await book('venue_a', 1_000, '0.6', '0.62');
  await book('venue_b', 2_000, '0.5', '0.52');
  await processAll(spreadsOf(await recordSettings(log, codec, DEFAULT_SETTINGS, INPUTS)));
  const later = { ...DEFAULT_SETTINGS, arbitrageSize: '250' };
  const history = await recordSettings(log, codec, later, INPUTS);
  await book('venue_b', 3_000, '0.5', '0.53');
  await processAll(spreadsOf(history));
  const emitted = await arbitrages();
  expect(emitted.map(({ receivedAt, size }) => [receivedAt, size])).toEqual([
    [2_000, '100'],
    [3_000, '250'],
    [3_000, '250'],
  ]);

  const stage = spreadsOf(await readSettings(log, codec, DEFAULT_SETTINGS));
  for (const { name } of [...stage.outputs, stateTopic(stage.name)]) await log.clearTopic(name);
  await processAll(stage);
  expect(await arbitrages()).toEqual(emitted);
});
