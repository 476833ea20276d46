/** Raw feeds: their frames refer to records of raw topics, and clients get the text that the venue sent. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LogError } from '#infra/log/log';
import { parseCursor } from '#schemas/stream/cursor';
import { type RawChannelFrame, rawChannelTopics } from '#schemas/topics/channels';
import { rawTopic } from '#schemas/topics/raw';
import { start } from './start.ts';
import { type Client, openClient, until } from './testing/client.fixture.ts';
import { type GatewayHarness, openGateway } from './testing/gateway.fixture.ts';

const CHANNEL = 'svc:stream:venue_a_perp:BTC';
const ALL = 'svc:stream:venue_a_perp:*';
const RAW_AT = { topic: rawTopic('venue_a', 'ws').name, partition: 1 };
const DAY_MS = 86_400_000;

let gateway: GatewayHarness;
let client: Client;
/** Every event frame that the client received, as text. */
let texts: string[];
beforeEach(async () => {
  gateway = await openGateway();
  ({ client, texts } = await connect(gateway.url));
});
afterEach(async () => {
  client.socket.terminate();
  await gateway.close();
});

async function connect(url: string): Promise<{ client: Client; texts: string[] }> {
  const opened = await openClient(url, gateway.token());
  const received: string[] = [];
  opened.socket.on('message', (data) => void received.push(data.toString()));
  return { client: opened, texts: received };
}

/** Payloads of the events of a subscription, as exact text. */
function payloadsOf(from: readonly string[], id: unknown): string[] {
  return from
    .filter((text) => text.startsWith(`{"type":"event","subscription_id":"${id}"`))
    .map((text) => text.slice(text.indexOf('"payload":') + 10, text.lastIndexOf(',"receivedAt"')));
}

const gapsReported = async () => (await gateway.context.metrics.channelGaps.get()).values;
const deadLetters = async () => (await gateway.context.metrics.deadLetters.get()).values;
/** Removes all raw records but the newest. */
const removeRaw = () =>
  gateway.context.log.maintain(Date.now() + 1.5 * DAY_MS, { rawMaxAgeMs: DAY_MS, rawMaxBytes: 1e12 });
const bookOf = (nth: number) => `{"px": "${nth}.50", "näme":"€ \\"}, 😀"}`;
const publishBook = (nth: number) =>
  gateway.publishRaw([CHANNEL], `{"note":"ü😀","data":${bookOf(nth)},"channel":"l2Book"}`, [bookOf(nth)]);

describe('the payload of a raw feed', () => {
  it('is the venue’s own text, for live subscribers and for readers of history', async () => {
    const live = await client.subscribe(CHANNEL);
    for (const nth of [1, 2, 3]) await publishBook(nth);
    await until(() => client.seqs(live.subscription_id).length === 3, 'three events');
    const history = await client.subscribe(CHANNEL, 'earliest');
    const { cursor } = client.ofType('event')[0] as unknown as { cursor: string };
    const resumed = await client.subscribe(CHANNEL, cursor);
    await until(() => client.ofType('event').length === 8, 'everything');
    const expected = [1, 2, 3].map(bookOf);
    expect(payloadsOf(texts, live.subscription_id)).toEqual(expected);
    expect(payloadsOf(texts, history.subscription_id)).toEqual(expected);
    expect(payloadsOf(texts, resumed.subscription_id)).toEqual(expected.slice(1));
    const event = client.ofType('event')[0]!;
    expect(event.data).toEqual({
      type: 'raw',
      provider: 'venue_a',
      marketId: null,
      payload: JSON.parse(bookOf(1)),
      receivedAt: 7,
    });
  });

  it('is the part that the frame refers to if a raw record holds many events', async () => {
    const { subscription_id } = await client.subscribe(CHANNEL);
    const pieces = [1, 2, 3, 4].map(bookOf);
    await gateway.publishRaw([CHANNEL], `[${pieces.join(' ,')}]`, pieces);
    await until(() => client.seqs(subscription_id).length === 4, 'four events');
    expect(payloadsOf(texts, subscription_id)).toEqual(pieces);
  });

  it('is sent on every channel whose frames refer to it', async () => {
    const [one, all] = [await client.subscribe(CHANNEL), await client.subscribe(ALL)];
    await gateway.publishRaw([CHANNEL, ALL], bookOf(1), [bookOf(1)]);
    await until(() => client.ofType('event').length === 2, 'both events');
    for (const { subscription_id } of [one, all]) expect(payloadsOf(texts, subscription_id)).toEqual([bookOf(1)]);
  });

  it('is available after a restart, and the numbers continue', async () => {
    await client.subscribe(CHANNEL);
    for (const nth of [1, 2]) await publishBook(nth);
    await until(() => client.ofType('event').length === 2, 'two events');
    const { cursor } = client.ofType('event')[0] as unknown as { cursor: string };
    await gateway.stop();
    await publishBook(3);
    const restarted = await start(gateway.context);
    try {
      const again = await connect(restarted.url);
      const { subscription_id } = await again.client.subscribe(CHANNEL, cursor);
      await publishBook(4);
      await until(() => again.client.seqs(subscription_id).length === 3, 'the rest');
      expect(again.client.seqs(subscription_id)).toEqual([2, 3, 4]);
      expect(payloadsOf(again.texts, subscription_id)).toEqual([2, 3, 4].map(bookOf));
      expect(again.client.ofType('gap')).toEqual([]);
      again.client.socket.terminate();
    } finally {
      await restarted.close();
    }
  });
});

describe('the raw topics', () => {
  it('are read by one reader for many frames, live and in a replay', async () => {
    const opened = vi.spyOn(gateway.context.log, 'reader');
    const rawReaders = () => opened.mock.calls.filter(([from]) => from[0]!.topic === RAW_AT.topic).length;
    const live = await client.subscribe(CHANNEL);
    for (let nth = 1; nth <= 200; nth += 1) {
      await publishBook(nth);
      if (nth % 20 === 0) await until(() => client.seqs(live.subscription_id).includes(nth), `event ${nth}`);
    }
    expect(rawReaders()).toBe(1);
    const history = await client.subscribe(CHANNEL, 'earliest');
    await until(() => client.seqs(history.subscription_id).length === 200, 'the history');
    expect(rawReaders()).toBe(2);
  });

  it('are read again once the log answers, and no event is lost', async () => {
    const { subscription_id } = await client.subscribe(CHANNEL);
    const { log, health } = gateway.context;
    const states: string[] = [];
    const { reader } = log;
    vi.spyOn(log, 'reader').mockImplementation(async (from) => {
      if (from[0]!.topic !== RAW_AT.topic || states.length === 3) return reader.call(log, from);
      states.push(health.report().status);
      throw new LogError('log_unavailable', 'unavailable');
    });
    for (const nth of [1, 2]) await publishBook(nth);
    await until(() => client.seqs(subscription_id).length === 2, 'both events');
    expect([states, health.report().status]).toEqual([['ok', 'degraded', 'degraded'], 'ok']);
    expect(payloadsOf(texts, subscription_id)).toEqual([1, 2].map(bookOf));
    expect([await gapsReported(), await deadLetters(), client.ofType('gap')]).toEqual([[], [], []]);
  });
});

describe('raw records that retention has removed', () => {
  it('are one gap for a replay, and are not reported as a sequence gap', async () => {
    const { cursor: joined, subscription_id } = await client.subscribe(CHANNEL);
    for (let nth = 1; nth <= 700; nth += 1) await publishBook(nth);
    await until(() => client.seqs(subscription_id).length === 700, 'the events');
    const first = client.ofType('event')[0]!.cursor as string;
    await removeRaw();
    for (const nth of [701, 702]) await publishBook(nth);
    for (const [since, from] of [
      [joined, null],
      [first, 1],
      ['earliest', null],
    ] as const) {
      const later = await connect(gateway.url);
      const ack = await later.client.subscribe(CHANNEL, since as string);
      await until(() => later.client.seqs(ack.subscription_id).at(-1) === 702, 'the newest event');
      // The log always retains the last record of a partition.
      expect(later.client.seqs(ack.subscription_id)).toEqual([700, 701, 702]);
      expect(payloadsOf(later.texts, ack.subscription_id)).toEqual([700, 701, 702].map(bookOf));
      const gaps = later.client.ofType('gap');
      expect(gaps).toHaveLength(1);
      expect(parseCursor(gaps[0]!.from as string)!.seq).toBe(from);
      expect(parseCursor(gaps[0]!.to as string)!.seq).toBe(699);
      expect(later.client.frames.indexOf(gaps[0]!)).toBeLessThan(
        later.client.frames.findIndex(({ type }) => type === 'event'),
      );
      later.client.socket.terminate();
    }
    expect([await gapsReported(), await deadLetters()]).toEqual([[], []]);
  });

  it('are a gap up to the end if nothing is left, and the subscription continues after it', async () => {
    for (const nth of [1, 2]) await publishBook(nth);
    await gateway.publishRaw([], 'the last record of the partition', []);
    await removeRaw();
    const { subscription_id } = await client.subscribe(CHANNEL, 'earliest');
    await until(() => client.ofType('gap').length === 1, 'the gap');
    const { to } = client.ofType('gap')[0] as unknown as { to: string };
    expect(parseCursor(to)).toMatchObject({ seq: 2 });
    await publishBook(3);
    await until(() => client.seqs(subscription_id).length === 1, 'the next event');
    expect([client.seqs(subscription_id), client.ofType('gap').length]).toEqual([[3], 1]);
    expect(await gapsReported()).toEqual([]);
    const again = await client.subscribe(CHANNEL, to);
    await until(() => client.seqs(again.subscription_id).length === 1, 'the event after the gap');
    expect(client.ofType('gap')).toHaveLength(1);
  });

  it('are a gap for live subscribers of a node that is behind', async () => {
    const live = [await client.subscribe(CHANNEL), await client.subscribe(CHANNEL)];
    await publishBook(1);
    await until(() => client.ofType('event').length === 2, 'the first event');
    const offsets = [await gateway.publishRaw([], 'old', []), await gateway.publishRaw([], bookOf(4), [])];
    await removeRaw();
    const frameOf = (seq: number, offset: number, length: number): RawChannelFrame => ({
      ...{ channel: CHANNEL, seq, provider: 'venue_a', marketId: null, receivedAt: 7 },
      ...{ ...RAW_AT, offset, start: 0, length },
    });
    for (const seq of [2, 3]) await gateway.append(rawChannelTopics.venue_a, CHANNEL, frameOf(seq, offsets[0]!, 3));
    await gateway.append(rawChannelTopics.venue_a, CHANNEL, frameOf(4, offsets[1]!, bookOf(4).length));
    await until(() => client.ofType('event').length === 4, 'the fourth event');
    for (const { subscription_id } of live) {
      const own = client.frames.filter(
        (frame) => frame.subscription_id === subscription_id && frame.type !== 'subscribed',
      );
      const received = own.filter(({ type }) => type !== 'status');
      expect(received.at(0)).toMatchObject({ type: 'event', seq: 1 });
      expect(received.at(-1)).toMatchObject({ type: 'event', seq: 4 });
      const gaps = received.slice(1, -1);
      expect(new Set(gaps.map(({ type }) => type))).toEqual(new Set(['gap']));
      expect(parseCursor(gaps[0]!.from as string)!.seq).toBe(1);
      expect(parseCursor(gaps.at(-1)!.to as string)!.seq).toBe(3);
    }
    expect([await gapsReported(), await deadLetters()]).toEqual([[], []]);
  });
});

describe('a frame whose payload cannot be read', () => {
  it.each([
    ['payload_missing', { topic: 'raw.venue_a.nothing' }],
    ['payload_missing', { partition: 9 }],
    ['payload_malformed', { length: 10_000 }],
  ] as const)('is skipped and counted as %s: %o', async (reason, fault) => {
    const { subscription_id } = await client.subscribe(CHANNEL);
    const offset = await gateway.publishRaw([CHANNEL], '"ok"', ['"ok"']);
    const location = { ...RAW_AT, offset, start: 0, length: 4 };
    const frame = { channel: CHANNEL, seq: 2, provider: 'venue_a', marketId: null, receivedAt: 7, ...location };
    await gateway.append(rawChannelTopics.venue_a, CHANNEL, { ...frame, ...fault });
    await gateway.append(rawChannelTopics.venue_a, CHANNEL, { ...frame, seq: 3 });
    await until(() => client.seqs(subscription_id).length === 2, 'both events');
    expect(client.seqs(subscription_id)).toEqual([1, 3]);
    expect(await deadLetters()).toEqual([{ labels: { topic: 'derived.channels.venue_a', reason }, value: 1 }]);
    expect(gateway.logged.join('')).toContain('skipped an event whose payload cannot be read');
  });
});
