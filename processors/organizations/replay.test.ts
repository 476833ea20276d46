/**
 * Tests that the same records give the same bytes: in one run, in several runs with restarts between them, and in
 * another order of arrival.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Codec } from '#infra/codec/codec';
import { createCodec } from '#infra/codec/create-codec';
import { openLogRegistry } from '#infra/codec/log-registry';
import { openEmbeddedLog } from '#infra/log/embedded/open-embedded-log';
import type { AppendRecord, EventLog } from '#infra/log/log';
import { readPartition } from '#infra/log/read-partition';
import { runStage } from '#infra/stages/run-stage';
import { createMetrics } from '#infra/telemetry/metrics';
import { aLink, aMarket, anAnomaly, aPhase, aResolution } from '#schemas/testing/records.fixture';
import { anomalyTopic } from '#schemas/topics/anomalies';
import { channelTopics } from '#schemas/topics/channels';
import { changeTopic } from '#schemas/topics/control';
import { eventTopic, spreadTopic } from '#schemas/topics/derived';
import { marketTopics, tradeTopics } from '#schemas/topics/normalised';
import { disputeTopic, resolutionTopics } from '#schemas/topics/oracle';
import { partitionOf, type Topic } from '#schemas/topics/topic';
import { deliveryTopic } from '#schemas/topics/webhooks';
import { anEvent } from '../shared/oracle-records.fixture.ts';
import {
  adminOf,
  chainTrade,
  change,
  eventOf,
  MAKER,
  OPERATOR,
  organizationBody,
  perpTrade,
  SEED,
  spread,
  TAKER,
  webhookBody,
} from './organizations.fixture.ts';
import { createOrganizationsStage } from './stage.ts';

interface Step {
  readonly topic: Topic;
  readonly key: string;
  readonly receivedAt: number;
  readonly value: unknown;
}

/** Commands between trades and spreads, with several records of the same time in different topics. */
function script(): Step[] {
  const steps: Step[] = [];
  const arrivals = { venue_a: 0, venue_b: 0 };
  let commands = 0;
  const add = <T>(topic: Topic<T>, key: string, receivedAt: number, value: T) =>
    void steps.push({ topic: topic as Topic, key, receivedAt, value: { ...value, receivedAt } });
  const command = (type: string, body: object, as: Parameters<typeof change>[3]['as'], receivedAt: number) => {
    commands += 1;
    add(changeTopic, `c${commands}`, receivedAt, change(commands, type, body, { as, receivedAt }));
  };
  command('key.seed', SEED, null, 1);
  for (const orgId of ['org_a', 'org_b']) {
    command('organization.create', organizationBody(orgId), OPERATOR, 1);
    const types = ['broker.trade.executed', 'event.spread.changed', 'event.anomaly.detected'];
    const ofOracle = ['event.dispute.updated', 'event.settlement.landed'];
    const subscriptions = [...types, ...ofOracle].map((eventType) => ({ eventType, version: 1 }));
    command('webhook.create', webhookBody(`wh_${orgId}`, subscriptions), adminOf(orgId), 1);
  }
  for (let nth = 0; nth < 120; nth += 1) {
    const at = 10 + Math.floor(nth / 3);
    const wallet = { walletId: `wal_${nth % 4}`, provider: nth % 2 ? 'venue_a' : 'venue_b', label: '' };
    const as = adminOf(nth % 2 ? 'org_a' : 'org_b');
    if (nth % 7 === 0) command('wallet.bind', { ...wallet, address: nth % 3 ? MAKER : TAKER }, as, at);
    if (nth % 17 === 16) command('wallet.unbind', wallet, as, at);
    if (nth % 29 === 28) {
      const suspended = nth % 2 === 0;
      command('organization.change', { organizationId: 'org_b', suspended }, OPERATOR, at);
    }
    const instrument = `${nth % 5}`;
    const venue = nth % 3 ? 'venue_b' : 'venue_a';
    arrivals[venue] += 1;
    const trade = {
      ...(venue === 'venue_a' ? perpTrade : chainTrade),
      id: `t${nth}`,
      instrument,
      arrival: arrivals[venue],
    };
    add(tradeTopics[venue], instrument, at, trade);
    if (nth % 10 === 4) add(tradeTopics[venue], instrument, at, { ...trade, status: 'reverted' });
    if (nth % 4 === 0) add(spreadTopic, `evt_${nth % 3}`, at, { ...spread, universalId: `evt_${nth % 3}` });
    if (nth === 50) add(eventTopic, 'evt_2', at, eventOf('evt_2', 'evt_1'));
    // Phases and resolutions of a market whose event becomes known later, some of them reverted.
    const status = nth % 5 === 3 ? 'reverted' : 'pending';
    if (nth % 3 === 0) add(disputeTopic, '0xc', at, aPhase({ id: `d${nth % 30}`, status }));
    if (nth % 2 === 0) add(resolutionTopics.venue_b, '0xc', at, aResolution({ id: `r${nth % 4}`, status }));
    if (nth === 30) add(eventTopic, 'evt_1', at, anEvent('evt_1', [aLink({ polarity: 'inverse' })]));
    if (nth === 20) add(marketTopics.venue_b, '0xc', at, aMarket({ outcomes: ['No', 'Yes'] }));
    if (nth % 8 === 0) add(anomalyTopic, 'evt_2', at, anAnomaly({ id: `an_${nth}`, universalId: 'evt_2' }));
  }
  return steps;
}

const OUTPUTS = createOrganizationsStage().outputs;
const INPUTS = createOrganizationsStage().inputs.map(({ topic }) => topic);
const opened: { path: string; log: EventLog }[] = [];
let steps: Step[];
beforeEach(() => {
  steps = script();
});
afterEach(async () => {
  for (const { path, log } of opened.splice(0)) {
    await log.close();
    await rm(path, { recursive: true, force: true });
  }
});

async function openLog(): Promise<{ log: EventLog; codec: Codec }> {
  const path = await mkdtemp(join(tmpdir(), 'parallax-organizations-'));
  const log = await openEmbeddedLog({ path });
  opened.push({ path, log });
  await log.createTopics(INPUTS);
  const codec = createCodec(await openLogRegistry(log));
  await codec.prepare(INPUTS);
  return { log, codec };
}

/** Appends the steps in batches; after each the stage runs from its snapshot to the end of the log. */
async function play(pieces: readonly (readonly Step[])[]): Promise<string[]> {
  const { log, codec } = await openLog();
  const seqs = new Map<string, number>();
  for (const piece of pieces) {
    const records = piece.map(({ topic, key, receivedAt, value }): AppendRecord => {
      const partition = partitionOf(key, topic.partitions);
      const place = `${topic.name}/${partition}`;
      const seq = (seqs.get(place) ?? 0) + 1;
      seqs.set(place, seq);
      return { topic: topic.name, partition, key, receivedAt, seq, value: codec.encode(topic, value) };
    });
    await log.append(records);
    const stage = createOrganizationsStage();
    const options = { log, codec, logger: pino({ level: 'silent' }), metrics: createMetrics() };
    await (await runStage({ stage, ...options, mode: 'rebuild' })).stopped;
  }
  const written: string[] = [];
  for (const topic of OUTPUTS)
    for (let partition = 0; partition < topic.partitions; partition += 1)
      await readPartition(log, { topic: topic.name, partition }, ({ key, seq, receivedAt, value }) => {
        written.push(JSON.stringify([topic.name, partition, key, seq, receivedAt, codec.decode(topic, value!)]));
      });
  return written;
}

it('emits the same bytes in one run and in several with restarts, whatever the order of arrival in the log', async () => {
  const expected = await play([steps]);
  expect(expected.filter((line) => line.includes(deliveryTopic.name)).length).toBeGreaterThan(100);
  expect(expected.filter((line) => line.includes(channelTopics.organizations.name)).length).toBeGreaterThan(40);
  for (const type of ['event.anomaly.detected', 'event.dispute.updated', 'event.settlement.landed'])
    expect(expected.filter((line) => line.includes(`"eventType":"${type}"`)).length, type).toBeGreaterThan(10);
  // Split between moments only: the records of one moment may come in any order.
  const cuts = [0, 11, 25, 26, 40, 1_000].map((at) => steps.findIndex(({ receivedAt }) => receivedAt >= at));
  const pieces = cuts
    .slice(0, -1)
    .map((from, nth) => steps.slice(from, cuts[nth + 1] === -1 ? undefined : cuts[nth + 1]));
  expect(pieces.flat()).toEqual(steps);
  expect(await play(pieces)).toEqual(expected);
  const byTopic = steps.toSorted((a, b) => (a.topic.name < b.topic.name ? 1 : a.topic.name > b.topic.name ? -1 : 0));
  expect(await play([byTopic])).toEqual(expected);
});
