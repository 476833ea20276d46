import { afterEach, expect, it, vi } from 'vitest';
import { readPartition } from '#infra/log/read-partition';
import type { Window } from '#schemas/domain/returns/series';
import { type AccountSeries, accountSeriesTopic, seriesKey } from '#schemas/topics/account-series';
import { type SeriesAttempt, seriesAttemptTopic } from '#schemas/topics/series-attempts';
import { UpstreamError } from '../feed/errors.ts';
import { openTestRole, testFolder } from '../testing/role-context.fixture.ts';
import { startSeriesRequests } from './request-series.ts';
import { SeriesAttempts } from './series-attempts.ts';
import { SeriesDue } from './series-due.ts';
import { SeriesHints } from './series-hints.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const series = (address: string, window: Window) => ({ address, window });

it('the series that is due longest comes first, an hour after its response', () => {
  let now = 10 * HOUR;
  const due = new SeriesDue(() => now);
  due.follow('a', series('a', 'ALL'), now - HOUR + 1);
  due.follow('b', series('b', 'ALL'), now - HOUR);
  due.follow('c', series('c', 'ALL'), now - HOUR - 1);
  const taken: string[] = [];
  for (let next = due.next(); next; next = due.next()) {
    taken.push(next.address);
    due.markSent(next);
  }
  expect(taken).toEqual(['c', 'b']);
  due.follow('c', series('c', 'ALL'), now);
  now += 1;
  expect(due.next()!.address).toBe('a');
});

it('a series that was never observed is due at once; a failed request again with growing waits, an unprocessed one later', () => {
  let now = 0;
  const due = new SeriesDue(() => now);
  due.follow('a', series('a', '1D'), null);
  const waits: number[] = [];
  for (let attempt = 0; attempt < 7; attempt += 1) {
    const next = due.next()!;
    due.markSent(next);
    due.markFailed(next);
    const since = now;
    while (!due.next()) now += 1_000;
    waits.push((now - since) / 1_000);
  }
  expect(waits).toEqual([30, 60, 120, 240, 480, 600, 600]);
  due.markSent(due.next()!);
  now += 10 * MINUTE - 1;
  expect(due.next()).toBeNull();
  now += 1;
  expect(due.next()).not.toBeNull();
  due.remove('a');
  expect(due.next()).toBeNull();
});

it('a hint makes a series due at once, at most one a minute for each account and window', () => {
  let now = 10 * HOUR;
  const due = new SeriesDue(() => now);
  const hints = new SeriesHints(due, () => now);
  for (const window of ['1D', 'ALL'] as const) due.follow(`a ${window}`, series('a', window), now);
  expect(hints.add('a', '1D')).toEqual({ window: '1D', accepted: true, nextHintAt: now + MINUTE });
  const next = due.next()!;
  expect([next.address, next.window]).toEqual(['a', '1D']);
  due.markSent(next);
  expect(due.next()).toBeNull();
  now += MINUTE - 1;
  expect(hints.add('a', '1D')).toEqual({ window: '1D', accepted: false, nextHintAt: now + 1 });
  expect(due.next()).toBeNull();
  expect(hints.add('a', 'ALL').accepted).toBe(true);
  expect(due.next()!.window).toBe('ALL');
  now += 1;
  expect(hints.add('a', '1D').accepted).toBe(true);
});

it('a hint about any window makes the one series due that has all windows, and none of another account', () => {
  const due = new SeriesDue(() => HOUR);
  for (const address of ['a', 'b']) due.follow(address, series(address, 'ALL'), HOUR);
  new SeriesHints(due, () => HOUR).add('a', '1W');
  expect(due.next()!.address).toBe('a');
  due.markSent(due.next()!);
  expect(due.next()).toBeNull();
});

it('requests the windows of followed accounts of its venue, until they are removed', async () => {
  const { folder, remove } = await testFolder();
  closing.push(remove);
  const role = await openTestRole(folder, {});
  closing.push(() => role.close());
  const { log, codec } = role.context;
  await log.createTopics([accountSeriesTopic]);
  await codec.prepare([accountSeriesTopic]);
  let seq = 0;
  const append = async (account: string, window: Window, observedAt: number | null, isRemoved = false) => {
    const record: AccountSeries = { account, window, source: 'venue_b_user_pnl', observedAt, points: [] };
    const value = isRemoved ? null : codec.encode(accountSeriesTopic, record);
    seq += 1;
    const at = { topic: accountSeriesTopic.name, partition: 0, key: seriesKey(record), receivedAt: 1_000 };
    await log.append([{ ...at, value, seq }]);
  };
  await append('venue_b:0x1', '1D', null);
  await append('venue_b:0x1', 'ALL', null);
  await append('venue_a:0x1', '1D', null);
  await append('venue_b:0x2', '1D', null);
  await append('venue_b:0x2', '1D', null, true);
  const sent: string[] = [];
  const requests = await startSeriesRequests({
    context: role.context,
    attempts: await SeriesAttempts.open(log, codec),
    family: 'venue_b',
    windows: ['1D'],
    intervalMs: 5,
    send: async (address, window) => {
      sent.push(`${address} ${window}`);
      if (sent.length === 1) throw new UpstreamError('upstream_unavailable', 'no response');
    },
  });
  closing.push(() => requests.close());
  await vi.waitFor(() => expect(sent).toEqual(['0x1 1D']), 10_000);
  await append('venue_b:0x3', '1D', null);
  await vi.waitFor(() => expect(sent).toEqual(['0x1 1D', '0x3 1D']), 10_000);
  // One response has every window of the account.
  const attempts: SeriesAttempt[] = [];
  await vi.waitFor(async () => {
    attempts.length = 0;
    await readPartition(log, { topic: seriesAttemptTopic.name, partition: 0 }, async ({ value }) => {
      attempts.push(codec.decode(seriesAttemptTopic, value!));
    });
    expect(attempts.map(({ account, windows }) => [account, windows.length])).toEqual([
      ['venue_b:0x1', 4],
      ['venue_b:0x3', 4],
    ]);
  }, 10_000);
  const [failed, processed] = attempts.map(({ attemptedAt, nextAttemptAt }) => nextAttemptAt - attemptedAt);
  expect([failed! < MINUTE, processed! < MINUTE]).toEqual([true, false]);
});
