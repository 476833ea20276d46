/**
 * Plays questions that expire and are proposed, disputed, proposed again, settled and redeemed. REST, the channels and
 * the webhooks must report the same phases of each, in the same order.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answers, type Endpoint, openEndpoint } from '#stream-gateway/webhooks/endpoint.fixture';
import { writeSimulatedRecording } from '../../simulator/recording/write-simulated-recording.ts';
import { expectStatus } from './rest-client.ts';
import { eventually, get, type Service, startService, temporaryFolder } from './service.ts';
import { type EventFrame, openStream, type StreamClient } from './stream-client.ts';

/** Ten quiet minutes in which the webhook is created; then the hour ends and most questions are settled. */
const RECORDED = { startMs: Date.UTC(2026, 5, 1, 16, 50), hours: 5 / 6 };
const SPEED = '120';
const DISPUTED = [
  ['propose', 0],
  ['dispute', 0],
  ['propose', 1],
  ['settle', 0],
  ['settle', 1],
] as const;

interface Phase {
  readonly id: string;
  readonly phase: string;
  readonly marketId: string;
  readonly requestTimestamp: number;
  readonly price: string;
  readonly ts: string;
  readonly txHash: string;
  readonly logIndex: number;
}
interface Settlement {
  readonly provider: string;
  readonly marketId: string;
  readonly outcome: string;
  readonly payouts: readonly string[];
  readonly resolvedAt: string;
  readonly txHash: string | null;
}
interface Linked {
  readonly universalId: string;
  readonly links: readonly { readonly provider: string; readonly providerMarketId: string; readonly used: boolean }[];
}
interface CloudEvent {
  readonly type: string;
  readonly data: Phase & Settlement & { readonly universalId: string };
}

/** Identifies a dispute phase, wherever it is reported. */
const phaseKey = ({ phase, marketId, requestTimestamp, price, ts, txHash, logIndex }: Phase) =>
  [phase, marketId, requestTimestamp, price, ts, txHash, logIndex].join(' ');
const settlementKey = ({ provider, marketId, outcome, payouts, resolvedAt }: Settlement) =>
  [provider, marketId, outcome, ...payouts, resolvedAt].join(' ');
const payloads = <T>(frames: readonly EventFrame[]) => frames.map(({ data }) => data.payload as T);

describe('the end of questions', () => {
  const folders = { recording: temporaryFolder('parallax-rec'), data: temporaryFolder('parallax-e2e') };
  let service: Service;
  let stream: StreamClient;
  let endpoint: Endpoint;
  const histories = new Map<string, readonly Phase[]>();
  const settlements = new Map<string, readonly Settlement[]>();
  /** Markets that are used links of their event. Settlements of other links are not published. */
  const asking = new Set<string>();

  beforeAll(async () => {
    await writeSimulatedRecording({
      ...RECORDED,
      seed: 1,
      rate: 4,
      out: folders.recording.path,
      events: 20,
      coins: 3,
      gzip: false,
    });
    endpoint = await openEndpoint(answers.status(200));
    service = await startService({
      dataDir: folders.data.path,
      flags: ['--venues', `recording:${folders.recording.path}`, '--speed', SPEED],
      env: { PARALLAX_WEBHOOK_ALLOW_LOOPBACK: '1' },
    });
    const subscriptions = ['event.dispute.updated', 'event.settlement.landed'].map((eventType) => ({
      eventType,
      version: 1,
    }));
    await expectStatus(201, service, 'POST', '/v1/webhooks', { body: { url: endpoint.url, subscriptions } });
    await eventually(
      () => get<{ playback?: string }>(service, '/health'),
      ({ playback }) => playback === 'ended',
      120_000,
    );
    stream = await openStream(service);
    const { events } = await get<{ events: Linked[] }>(service, '/v1/events?limit=1000');
    for (const { universalId, links } of events) {
      for (const { provider, providerMarketId, used } of links) if (used) asking.add(`${provider} ${providerMarketId}`);
      const { disputes } = await get<{ disputes: Phase[] }>(service, `/v1/events/${universalId}/dispute-history`);
      const { records } = await get<{ records: Settlement[] }>(service, `/v1/events/${universalId}/settlement`);
      if (disputes.length > 0) histories.set(universalId, disputes);
      if (records.length > 0) settlements.set(universalId, records);
    }
  }, 300_000);
  afterAll(async () => {
    await stream?.close();
    const code = await service?.stop();
    await endpoint?.close();
    for (const folder of Object.values(folders)) folder.remove();
    expect(code).toBe(0);
  });

  /** Reads a channel from its oldest frame, once it has at least this many frames. */
  async function readChannel(channel: string, atLeast: number): Promise<readonly EventFrame[]> {
    await stream.subscribe(`svc:stream:${channel}`, 'earliest');
    await eventually(
      async () => stream.events(`svc:stream:${channel}`).length,
      (count) => count >= atLeast,
    );
    return stream.events(`svc:stream:${channel}`);
  }
  const webhookEvents = () => endpoint.received.map(({ body }) => JSON.parse(body) as CloudEvent);
  const waitForWebhookEvents = async (type: string, count: number) => {
    await eventually(
      async () => webhookEvents().filter((event) => event.type === type).length,
      (length) => length >= count,
      60_000,
    );
    return webhookEvents().filter((event) => event.type === type);
  };

  it('is reported phase by phase, including a dispute with its reset', () => {
    const stories = [...histories.values()].map((phases) => {
      const requests = [...new Set(phases.map(({ requestTimestamp }) => requestTimestamp))];
      return phases.map(({ phase, requestTimestamp }) => [phase, requests.indexOf(requestTimestamp)]);
    });
    expect(stories).toContainEqual(DISPUTED);
    expect(stories).toContainEqual([
      ['propose', 0],
      ['settle', 0],
    ]);
    const disputed = [...histories.values()].find(({ length }) => length === DISPUTED.length)!;
    expect(disputed.map(({ price }) => price)[3]).toBe('ignore');
    // The final price is that of the second proposal, not of the disputed one.
    expect([disputed[4]!.price, disputed[0]!.price === disputed[2]!.price]).toEqual([disputed[2]!.price, false]);
  });

  it('is the same on the channel of the event, on that of the venue and at the webhook', async () => {
    const all = [...histories.values()].flat();
    const ofVenue = payloads<Phase>(await readChannel('settlement_dispute:venue_b', all.length));
    expect(ofVenue.map(phaseKey).sort()).toEqual(all.map(phaseKey).sort());
    const byWebhook = await waitForWebhookEvents('event.dispute.updated', all.length);
    expect(byWebhook).toHaveLength(all.length);
    for (const [universalId, disputes] of histories) {
      const expected = disputes.map(phaseKey);
      const own = payloads<Phase>(await readChannel(`settlement_dispute:${universalId}`, disputes.length));
      expect(own.map(phaseKey)).toEqual(expected);
      const markets = new Set(disputes.map(({ marketId }) => marketId));
      expect(ofVenue.filter(({ marketId }) => markets.has(marketId)).map(phaseKey)).toEqual(expected);
      // Up to eight deliveries are in flight, so they are sorted by their position in the chain.
      const hooked = byWebhook.map(({ data }) => data).filter((data) => data.universalId === universalId);
      const inOrder = hooked.sort((a, b) => Date.parse(a.ts) - Date.parse(b.ts) || a.logIndex - b.logIndex);
      expect(inOrder.map(phaseKey)).toEqual(expected);
    }
  });

  it('is settled once per provider, after the last phase', async () => {
    const firsts = [...settlements].map(([universalId, all]) => {
      const records = all.filter(({ provider, marketId }) => asking.has(`${provider} ${marketId}`));
      const providers = [...new Set(records.map(({ provider }) => provider))];
      return { universalId, settled: providers.map((name) => records.find(({ provider }) => provider === name)!) };
    });
    expect(new Set(firsts.flatMap(({ settled }) => settled.map(({ provider }) => provider)))).toEqual(
      new Set(['venue_a_outcome', 'venue_b']),
    );
    const count = firsts.reduce((sum, { settled }) => sum + settled.length, 0);
    const byHook = await waitForWebhookEvents('event.settlement.landed', count);
    expect(byHook).toHaveLength(count);
    for (const { universalId, settled } of firsts) {
      const expected = settled.map(settlementKey).sort();
      const own = payloads<Settlement>(await readChannel(`settlement:${universalId}`, settled.length));
      expect(own.map(settlementKey).sort()).toEqual(expected);
      const hooked = byHook.map(({ data }) => data).filter((data) => data.universalId === universalId);
      expect(hooked.map(settlementKey).sort()).toEqual(expected);
      const last = histories.get(universalId)?.at(-1);
      const onChain = settled.find(({ provider }) => provider === 'venue_b');
      if (last && onChain) expect(Date.parse(onChain.resolvedAt)).toBeGreaterThanOrEqual(Date.parse(last.ts));
    }
  });

  it('is the same in the health of an event', async () => {
    for (const [universalId, disputes] of histories) {
      const health = await get<{ disputeHistory: Phase[]; settlement: Settlement[] }>(
        service,
        `/v1/events/${universalId}/health`,
      );
      expect(health.disputeHistory.map(phaseKey)).toEqual(disputes.map(phaseKey));
      expect(health.settlement.map(settlementKey)).toEqual((settlements.get(universalId) ?? []).map(settlementKey));
    }
  });
});
