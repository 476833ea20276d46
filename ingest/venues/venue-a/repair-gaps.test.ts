import { afterEach, beforeEach, expect, it } from 'vitest';
import { type CandleRange, candleRangeTopic, venueCandleRangeTopics } from '#schemas/topics/candles';
import { UpstreamError } from '../../feed/errors.ts';
import { until } from '../../testing/open-publisher.fixture.ts';
import { openTestRole, type TestRole, testFolder } from '../../testing/role-context.fixture.ts';
import { startGapRepairs } from './repair-gaps.ts';

const TOPIC = venueCandleRangeTopics.venue_a;
const MINUTE = 60_000;
const START = 482_000 * 60 * MINUTE;

const closing: (() => Promise<unknown>)[] = [];
let role: TestRole;
let sent: { readonly request: string; readonly weight: number }[];
/** Thrown by the venue while set. */
let failure: Error | null;
beforeEach(async () => {
  const { folder, remove } = await testFolder();
  closing.push(remove);
  role = await openTestRole(folder, {});
  closing.push(() => role.close());
  await role.context.log.createTopics([TOPIC, candleRangeTopic]);
  await role.context.codec.prepare([TOPIC, candleRangeTopic]);
  [sent, failure] = [[], null];
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

let seq = 0;
async function append(fields: Partial<CandleRange>, topic = TOPIC): Promise<void> {
  const { log, codec } = role.context;
  const receivedAt = START + 10 * MINUTE;
  const base = { provider: 'venue_a_perp', coin: 'BTC', source: 'venue_node', intervalMs: MINUTE, receivedAt };
  const value = codec.encode(topic, { ...base, id: 'gap', kind: 'gap', from: START, until: START, ...fields });
  seq += 1;
  await log.append([{ topic: topic.name, partition: 0, key: 'BTC', value, receivedAt, seq }]);
}

/** Starts the repairs on a clock that advances by a minute at each look. */
async function start() {
  let minutes = 10;
  const repairs = await startGapRepairs({
    context: role.context,
    send: async (request, _signal, weight) => {
      sent.push({ request, weight });
      if (failure) throw failure;
    },
    intervalMs: 1,
    now: () => START + minutes++ * MINUTE,
  });
  closing.push(() => repairs.close());
  return repairs;
}

it('requests the bars of a gap that was in the log at the start, and of a later one, and again until they are stored', async () => {
  await append({ until: START + 2 * MINUTE });
  await start();
  await until(() => sent.length >= 2);
  const request = { coin: 'BTC', interval: '1m', startTime: START, endTime: START + 3 * MINUTE - 1 };
  expect(sent[0]).toEqual({ request: JSON.stringify({ type: 'candleSnapshot', req: request }), weight: 21 });
  expect(sent[1]).toEqual(sent[0]);
  const complete = { source: 'official_api', kind: 'complete', id: 'response' } as const;
  await append({ ...complete, until: START + 3 * MINUTE });
  await append({ coin: 'ETH', id: 'gap 2' });
  await until(() => sent.at(-1)!.request.includes('ETH'));
  sent.splice(0);
  await until(() => sent.length >= 2);
  expect(sent.filter(({ request: text }) => text.includes('BTC'))).toEqual([]);
});

it('requests the minute of an outcome of which a trade came too late, and ignores those of other venues', async () => {
  const missed = { source: 'trades', id: 'missed 1' };
  const outcome = { ...missed, provider: 'venue_a_outcome', coin: '#70' };
  await append({ ...missed, provider: 'venue_b', coin: '123456' }, candleRangeTopic);
  await append(outcome, candleRangeTopic);
  await start();
  await until(() => sent.length >= 1);
  await append({ ...outcome, id: 'missed 2', coin: '#71' }, candleRangeTopic);
  await until(() => sent.some(({ request }) => request.includes('#71')));
  const coins = new Set(sent.map(({ request }) => JSON.parse(request).req.coin));
  expect([...coins]).toEqual(['#70', '#71']);
});

it('repeats a request soon after failures, also after many of them', async () => {
  failure = new UpstreamError('upstream_rate_limited', 'no room', { retryAfterMs: 1_000 });
  await append({});
  // The clock advances by five seconds at each look, as it does in operation.
  const clock = { looks: 0 };
  const repairs = await startGapRepairs({
    context: role.context,
    send: async (request, _signal, weight) => {
      sent.push({ request, weight });
      if (failure) throw failure;
    },
    intervalMs: 1,
    now: () => START + 10 * MINUTE + 5_000 * clock.looks++,
  });
  closing.push(() => repairs.close());
  await until(() => sent.length >= 8);
  failure = null;
  const [count, looks] = [sent.length, clock.looks];
  await until(() => sent.length > count);
  // Some looks belong to other workers and to attempts themselves; an hour has 720 of five seconds.
  expect(clock.looks - looks).toBeLessThan(60);
});

it('repeats a request that failed, and is closed while it waits', async () => {
  failure = new UpstreamError('upstream_unavailable', 'away');
  await append({});
  const repairs = await start();
  await until(() => sent.length >= 3);
  await repairs.close();
  const count = sent.length;
  await append({ coin: 'ETH', id: 'gap 2' });
  expect(sent).toHaveLength(count);
});
