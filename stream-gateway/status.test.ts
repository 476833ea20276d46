import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { partitionsOf } from '#infra/stages/stage-topics';
import type { PriceState } from '#schemas/domain/price-state';
import { aLink, anEvent } from '#schemas/testing/records.fixture';
import { channelTopics } from '#schemas/topics/channels';
import { clockTopic } from '#schemas/topics/control';
import { type EventLink, eventTopic } from '#schemas/topics/derived';
import { statusTopics } from '#schemas/topics/normalised';
import { type Client, openClient, until } from './testing/client.fixture.ts';
import { type GatewayHarness, openGateway } from './testing/gateway.fixture.ts';

const TOKEN = '123456789';
const COIN = 'BTC';
const EVENT = 'svc:stream:event:evt_one';

let gateway: GatewayHarness;
let client: Client;
beforeEach(async () => {
  gateway = await openGateway();
  client = await openClient(gateway.url, gateway.token());
});
afterEach(async () => {
  client.socket.terminate();
  await gateway.close();
});

const appendStatus = (venue: 'venue_a' | 'venue_b', instrument: string, state: PriceState, since: number) =>
  gateway.append(statusTopics[venue], instrument, {
    provider: venue,
    instrument,
    marketId: null,
    feed: 'feed',
    state,
    receivedAt: since,
    since,
  });

const link = (provider: string, yesInstrument: string, used = true) =>
  aLink({ provider, providerMarketId: yesInstrument, used, yesInstrument, noInstrument: null });

const linkEvent = (links: EventLink[]) =>
  gateway.append(eventTopic, 'evt_one', anEvent({ universalId: 'evt_one', receivedAt: 1, links }));

const statesOf = (id: unknown) =>
  client
    .ofType('status')
    .filter(({ subscription_id }) => subscription_id === id)
    .map(({ state, since }) => [state, since]);

describe('status frames', () => {
  it('show the current state of a raw feed’s instrument and then its changes', async () => {
    await appendStatus('venue_b', TOKEN, 'live', 10);
    const channel = `svc:stream:venue_b:${TOKEN}`;
    const { subscription_id: id } = await client.subscribe(channel);
    await appendStatus('venue_b', TOKEN, 'stale', 20);
    await appendStatus('venue_b', TOKEN, 'recovering', 30);
    await appendStatus('venue_b', TOKEN, 'venue_down', 40);
    await until(() => statesOf(id).at(-1)?.[0] === 'venue_down', 'the last state');
    const later = await client.subscribe(channel);
    await until(() => statesOf(later.subscription_id).length === 1, 'the state at once');
    expect(statesOf(later.subscription_id)).toEqual([['venue_down', 40]]);
    const acknowledged = client.frames.indexOf(later);
    expect(client.frames[acknowledged + 1]).toMatchObject({ type: 'status', state: 'venue_down' });
  });

  it('show the worst of an event’s used legs, once per change', async () => {
    await linkEvent([link('venue_a_outcome', '#10'), link('venue_b', TOKEN), link('venue_b', '555', false)]);
    const ids: unknown[] = [];
    for (const family of ['event', 'arbitrage', 'trade'])
      ids.push((await client.subscribe(`svc:stream:${family}:evt_one`)).subscription_id);
    const settled = async (state: string, since: number) =>
      until(() => ids.every((id) => statesOf(id).at(-1)?.join() === `${state},${since}`), `${state} since ${since}`);
    await appendStatus('venue_a', '#10', 'live', 10);
    await settled('live', 10);
    await appendStatus('venue_b', TOKEN, 'live', 15);
    await settled('live', 15);
    await appendStatus('venue_b', TOKEN, 'stale', 20);
    await settled('stale', 20);
    // Neither a leg that becomes less bad than the other nor one that is not used changes anything.
    await appendStatus('venue_a', '#10', 'recovering', 25);
    await appendStatus('venue_b', '555', 'venue_down', 26);
    await appendStatus('venue_b', TOKEN, 'live', 30);
    await settled('recovering', 25);
    for (const id of ids)
      expect(statesOf(id)).toEqual([
        ['live', 10],
        ['live', 15],
        ['stale', 20],
        ['recovering', 25],
      ]);
  });

  it('follow the links of an event', async () => {
    await appendStatus('venue_b', TOKEN, 'stale', 20);
    const { subscription_id: id } = await client.subscribe(EVENT);
    await linkEvent([link('venue_b', TOKEN)]);
    await until(() => statesOf(id).length === 1, 'the state of the new leg');
    expect(statesOf(id)).toEqual([['stale', 20]]);
  });

  it('are not sent for quiet markets, other markets, or channels of no market', async () => {
    const quiet: unknown[] = [];
    for (const channel of ['svc:stream:venue_b:777', 'svc:stream:venue_a_perp:ETH', 'svc:stream:anomaly:all', EVENT])
      quiet.push((await client.subscribe(channel)).subscription_id);
    const { subscription_id: loud } = await client.subscribe(`svc:stream:venue_a_perp:${COIN}`);
    await appendStatus('venue_a', COIN, 'stale', 50);
    await until(() => statesOf(loud).length === 1, 'the state of the coin');
    await client.request({ type: 'ping' }, 'pong');
    for (const id of quiet) expect(statesOf(id)).toEqual([]);
  });

  it('are stale while the writer of the channel is more than 5 s behind, and live again once it has caught up', async () => {
    const { log } = gateway.context;
    const receivedAt = Date.now();
    await gateway.append(clockTopic, 'clock', { receivedAt, tick: true, hour: false, day: false });
    await appendStatus('venue_b', TOKEN, 'live', 10);
    await linkEvent([link('venue_b', TOKEN)]);
    const advance = (writer: 'events' | 'venue_b', watermark: number) =>
      log.advance(partitionsOf([channelTopics[writer]]).map(({ at }) => ({ ...at, watermark })));
    advance('events', receivedAt - 6_000);
    advance('venue_b', receivedAt + 3_600_000);
    const { subscription_id: id } = await client.subscribe(EVENT);
    const { subscription_id: rawId } = await client.subscribe(`svc:stream:venue_b:${TOKEN}`);
    await until(() => statesOf(id).at(-1)?.[0] === 'stale', 'that the channel lags');
    expect(statesOf(id).at(-1)).toEqual(['stale', receivedAt - 6_000]);
    const later = await client.subscribe('svc:stream:arbitrage:evt_one');
    await until(() => statesOf(later.subscription_id).length > 0, 'the state at once');
    expect(statesOf(later.subscription_id)).toEqual([['stale', receivedAt - 6_000]]);
    advance('events', receivedAt + 3_600_000);
    await until(() => statesOf(id).at(-1)?.[0] === 'live', 'that it has caught up');
    expect(statesOf(id).at(-1)).toEqual(['live', receivedAt + 3_600_000]);
    expect(statesOf(rawId)).toEqual([['live', 10]]);
  });

  it('measure lag against the clock of ingest, also while no derived record arrives', async () => {
    const { log, codec, metrics } = gateway.context;
    const receivedAt = Date.now();
    const tick = (at: number) => {
      const value = codec.encode(clockTopic, { receivedAt: at, tick: true, hour: false, day: false });
      return log.append([{ topic: clockTopic.name, partition: 0, key: 'clock', value, receivedAt: at, seq: 0 }]);
    };
    await tick(receivedAt);
    for (const topic of Object.values(channelTopics))
      log.advance(partitionsOf([topic]).map(({ at }) => ({ ...at, watermark: receivedAt })));
    await tick(receivedAt + 30_000);
    await until(() => metrics.gatewayLag.seconds!() >= 30, 'the lag behind the newest tick');
  });
});

it('the lag of the view of statuses is in the metrics until the gateway is closed', async () => {
  const { registry } = gateway.context.metrics;
  const lag = 'parallax_stage_lag_seconds{stage="view.market-status"}';
  expect(await registry.metrics()).toContain(lag);
  await gateway.stop();
  expect(await registry.metrics()).not.toContain(lag);
});
