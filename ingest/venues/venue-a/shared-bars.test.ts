import { expect, it } from 'vitest';
import type { InfoResult } from '#schemas/requests/venue-a-info';
import { UpstreamError } from '../../feed/errors.ts';
import { type BarsReader, type BarsRequest, SharedBars } from './shared-bars.ts';

const MINUTE = 60_000;
const HOUR = 3_600_000;
/** 20 s into the minute 1000. */
const NOW = 1_000 * MINUTE + 20_000;

const rangeOf = (from: number, until: number, fields: Partial<BarsRequest> = {}): BarsRequest => ({
  coin: 'BTC',
  interval: '1m',
  startTime: from * MINUTE,
  endTime: until * MINUTE - 1,
  ...fields,
});

/** A venue that answers with the minutes of each request, when it is released or at once. */
function setUp() {
  const clock = { now: NOW };
  let joins = 0;
  const onJoin = () => {
    joins += 1;
  };
  const bars = new SharedBars({ onJoin, now: () => clock.now });
  const payers: Iterable<string>[] = [];
  const sent: string[] = [];
  const waiting: { end(): void; fail(error: Error): void }[] = [];
  let isOpen = true;
  const send: BarsReader['send'] = async ({ coin, startTime, endTime }, paying) => {
    payers.push(paying);
    sent.push(`${coin} ${startTime / MINUTE} ${Math.floor(endTime / MINUTE) + 1}`);
    if (!isOpen) await new Promise<void>((end, fail) => waiting.push({ end, fail }));
    const native = [];
    for (let t = startTime; t <= Math.min(endTime, clock.now); t += MINUTE) native.push({ t });
    return { native, fetchedAt: clock.now, source: 'official' };
  };
  return {
    clock,
    sent,
    waiting,
    hold: () => {
      isOpen = false;
    },
    joins: () => joins,
    /** Who pays for each request that was sent. */
    payers: () => payers.map((paying) => [...paying]),
    read: (range: BarsRequest, reader: Partial<BarsReader> = {}) =>
      bars.read(range, {
        orgIds: ['org'],
        roomUntil: clock.now + 10_000,
        signal: new AbortController().signal,
        send,
        ...reader,
      }),
  };
}

const minutesOf = ({ native }: InfoResult) => (native as { t: number }[]).map(({ t }) => t / MINUTE);

it('requests the bars of two overlapping reads at once only once each', async () => {
  const { hold, read, sent, waiting } = setUp();
  hold();
  const first = read(rangeOf(100, 104));
  const second = read(rangeOf(102, 106));
  expect(sent).toEqual(['BTC 100 104', 'BTC 104 106']);
  for (const { end } of waiting) end();
  expect(minutesOf(await first)).toEqual([100, 101, 102, 103]);
  expect((await first).parts).toBeUndefined();
  expect(minutesOf(await second)).toEqual([102, 103, 104, 105]);
  expect((await second).parts).toEqual([
    { startTime: 102 * MINUTE, endTime: 104 * MINUTE - 1, fetchedAt: NOW },
    { startTime: 104 * MINUTE, endTime: 106 * MINUTE - 1, fetchedAt: NOW },
  ]);
});

it('requests nothing for bars that were received in the last half minute, and all of them later', async () => {
  const { read, sent, clock } = setUp();
  await read(rangeOf(100, 110));
  clock.now += 29_000;
  expect(minutesOf(await read(rangeOf(102, 105)))).toEqual([102, 103, 104]);
  expect(sent).toHaveLength(1);
  clock.now += 2_000;
  await read(rangeOf(102, 105));
  expect(sent.slice(1)).toEqual(['BTC 102 105']);
});

it('states when each part was received', async () => {
  const { read, clock } = setUp();
  await read(rangeOf(100, 104));
  clock.now += 5_000;
  const { fetchedAt, parts } = await read(rangeOf(98, 106));
  expect(parts!.map((part) => [part.startTime / MINUTE, (part.endTime + 1) / MINUTE, part.fetchedAt - NOW])).toEqual([
    [98, 100, 5_000],
    [100, 104, 0],
    [104, 106, 5_000],
  ]);
  expect(fetchedAt).toBe(NOW);
});

it('requests again a bar that was in progress when it was received', async () => {
  const { read, sent } = setUp();
  const endTime = 1_000 * MINUTE;
  await read(rangeOf(998, 1_001, { endTime }));
  await read(rangeOf(999, 1_001, { endTime }));
  expect(sent).toEqual(['BTC 998 1001', 'BTC 1000 1001']);
});

it('shares the bar in progress while it is requested, and requests it again for a read after its close', async () => {
  const { hold, read, sent, waiting, clock } = setUp();
  hold();
  const inProgress = rangeOf(998, 1_001, { endTime: 1_000 * MINUTE });
  const first = [read(inProgress), read({ ...inProgress, startTime: 999 * MINUTE })];
  clock.now += MINUTE;
  const later = read(rangeOf(998, 1_002, { endTime: 1_001 * MINUTE }));
  expect(sent).toEqual(['BTC 998 1001', 'BTC 1000 1002']);
  for (const { end } of waiting) end();
  expect((await Promise.all(first)).map(minutesOf)).toEqual([
    [998, 999, 1_000],
    [999, 1_000],
  ]);
  const { native, parts } = await later;
  expect(minutesOf({ native } as InfoResult)).toEqual([998, 999, 1_000, 1_001]);
  expect(parts!.map(({ startTime, endTime: last }) => [startTime, last])).toEqual([
    [998 * MINUTE, 1_000 * MINUTE - 1],
    [1_000 * MINUTE, 1_001 * MINUTE],
  ]);
  // The second response has the closed bar.
  await read(rangeOf(998, 1_001));
  expect(sent.slice(2)).toEqual([]);
});

it('shares nothing between coins and between lengths of bars', async () => {
  const { read, sent } = setUp();
  await read(rangeOf(0, 120));
  await read(rangeOf(0, 120, { coin: 'ETH' }));
  await read(rangeOf(0, 120, { interval: '1h', endTime: 2 * HOUR - 1 }));
  expect(sent).toEqual(['BTC 0 120', 'ETH 0 120', 'BTC 0 120']);
});

it('fails with the request that it shares, and requests the bars again afterwards', async () => {
  const { hold, read, sent, waiting } = setUp();
  hold();
  const reads = [read(rangeOf(100, 104)), read(rangeOf(101, 103))];
  waiting[0]!.fail(new Error('down'));
  for (const { status } of await Promise.allSettled(reads)) expect(status).toBe('rejected');
  const again = read(rangeOf(101, 103));
  waiting[1]!.end();
  expect(minutesOf(await again)).toEqual([101, 102]);
  expect(sent).toEqual(['BTC 100 104', 'BTC 101 103']);
});

const noRoom = () => new UpstreamError('upstream_rate_limited', 'no room');

it('adds the organizations of a read, also of later equal ones, to those that pay for a request that it shares', async () => {
  const { hold, read, waiting, payers, joins } = setUp();
  hold();
  const single = new Set(['single']);
  const reads = [read(rangeOf(100, 104), { orgIds: ['rushing'] }), read(rangeOf(102, 106), { orgIds: single })];
  expect([payers(), joins()]).toEqual([[['rushing', 'single'], ['single']], 1]);
  single.add('rushing').add('late');
  expect(payers()).toEqual([
    ['rushing', 'single', 'late'],
    ['single', 'rushing', 'late'],
  ]);
  for (const { end } of waiting) end();
  await Promise.all(reads);
  // What was received costs nothing more.
  await read(rangeOf(101, 103), { orgIds: ['another'] });
  expect([payers()[0], joins()]).toEqual([['rushing', 'single', 'late'], 1]);
});

it('requests bars itself when there was no room for the request that it shares, until its own time for that ends', async () => {
  const { hold, read, sent, waiting, payers, clock } = setUp();
  hold();
  const first = read(rangeOf(100, 104), { orgIds: ['rushing'] });
  clock.now += 9_000;
  const others = [102, 103].map((from) => read(rangeOf(from, 106), { orgIds: [`from ${from}`] }));
  const impatient = read(rangeOf(100, 102), { roomUntil: clock.now });
  waiting[1]!.end();
  waiting[0]!.fail(noRoom());
  await expect(first).rejects.toThrow('no room');
  await expect(impatient).rejects.toThrow('no room');
  // The second of the others shares the new request of the first.
  expect([sent, payers()[2]]).toEqual([
    ['BTC 100 104', 'BTC 104 106', 'BTC 102 104'],
    ['from 102', 'from 103'],
  ]);
  waiting[2]!.end();
  expect((await Promise.all(others)).map(minutesOf)).toEqual([
    [102, 103, 104, 105],
    [103, 104, 105],
  ]);
});

it('requests bars itself when the read that requested them ran out of time, but not when its own time is over', async () => {
  const { hold, read, sent, waiting } = setUp();
  hold();
  const [ended, closed] = [new AbortController(), new AbortController()];
  const first = read(rangeOf(100, 104), { signal: ended.signal });
  const [other, late] = [read(rangeOf(101, 103)), read(rangeOf(102, 104), { signal: closed.signal })];
  ended.abort();
  closed.abort();
  waiting[0]!.fail(new Error('aborted'));
  await expect(first).rejects.toThrow('aborted');
  await expect(late).rejects.toThrow('aborted');
  expect(sent.slice(1)).toEqual(['BTC 101 103']);
  waiting[1]!.end();
  expect(minutesOf(await other)).toEqual([101, 102]);
});

it('joins the rest of a read into at most four requests', async () => {
  const { read, sent } = setUp();
  for (const minute of [10, 20, 30, 40, 42]) await read(rangeOf(minute, minute + 1));
  await read(rangeOf(0, 50));
  expect(sent.slice(5)).toEqual(['BTC 0 10', 'BTC 11 20', 'BTC 21 30', 'BTC 31 50']);
});

it.each([null, { error: 'x' }])('passes on a response without bars: %j', async (native) => {
  const { read } = setUp();
  await read(rangeOf(100, 104));
  const other = async (): Promise<InfoResult> => ({ native, fetchedAt: NOW, source: 'official' });
  expect((await read(rangeOf(100, 106), { send: other })).native).toEqual(native);
});
