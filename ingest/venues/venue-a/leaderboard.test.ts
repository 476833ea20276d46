import { afterEach, describe, expect, it } from 'vitest';
import { loadSettings } from '#infra/config/settings';
import { partPayload, readPartPlace, readPartText } from '#schemas/domain/export-parts';
import { type Answer, startHttpServer } from '../../testing/http-server.fixture.ts';
import { MemoryLog } from '../../testing/memory-log.fixture.ts';
import { openTestPublisher, silentLogger, until } from '../../testing/open-publisher.fixture.ts';
import { fetchExport, leaderboardClient, startLeaderboard } from './leaderboard.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** An export of some hundred KB. */
const EXPORT = JSON.stringify({
  leaderboardRows: Array.from({ length: 3_000 }, (_, nth) => ({
    ethAddress: `0x${nth.toString(16).padStart(40, '0')}`,
    windowPerformances: [['day', { pnl: '1.5', roi: '0.1', vlm: '2.0' }]],
  })),
});

async function startHost(answer: () => Answer) {
  const host = await startHttpServer(answer);
  closing.push(() => host.close());
  return host;
}

/** Starts the fetches of a service with this log and closes everything at the end of the test. */
async function open(url: string, log = new MemoryLog()) {
  const test = await openTestPublisher({ log });
  const settings = loadSettings([], { PARALLAX_VENUE_A_STATS_URL: url });
  const running = await startLeaderboard({ ...test, settings, logger: silentLogger, expect: () => () => {} });
  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    await running.close();
    await test.publisher.close();
  };
  closing.push(close);
  const parts = () => test.raw('venue_a', 'stats');
  const isComplete = () => {
    const last = parts().at(-1);
    return last !== undefined && readPartPlace(last.payload).index === readPartPlace(last.payload).count - 1;
  };
  return { ...test, parts, isComplete, close };
}

describe('startLeaderboard', () => {
  it('publishes the export in parts, which together are its bytes, with no other record between them', async () => {
    const host = await startHost(() => ({ body: EXPORT }));
    const { parts, isComplete, feeds } = await open(host.url);
    await until(isComplete);
    expect(host.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /Mainnet/leaderboard']);
    const published = parts();
    expect(published.length).toBeGreaterThan(2);
    expect(new Set(published.map(({ request, key }) => `${request} ${key}`))).toEqual(
      new Set(['GET /Mainnet/leaderboard venue_a.stats']),
    );
    expect(published.map(({ payload }) => readPartPlace(payload))).toEqual(
      published.map((_, index) => ({ index, count: published.length })),
    );
    expect(published.map(({ payload }) => readPartText(payload)).join('')).toBe(EXPORT);
    expect(feeds('venue_a').map(({ feed, kind }) => [feed, kind])).toEqual([['venue_a.stats', 'connected']]);
  });

  it('requests nothing at a start while the newest board is younger than the interval', async () => {
    const host = await startHost(() => ({ body: EXPORT }));
    const log = new MemoryLog();
    const first = await open(host.url, log);
    await until(first.isComplete);
    await first.close();
    const second = await open(host.url, log);
    await second.close();
    expect(host.requests).toHaveLength(1);
  });

  it('requests an export at a start if the newest board is old', async () => {
    const host = await startHost(() => ({ body: EXPORT }));
    const log = new MemoryLog();
    const hourAgo = Date.now() - 3_600_000;
    const earlier = await openTestPublisher({ log, now: () => hourAgo });
    const payload = partPayload({ index: 0, count: 1 }, Buffer.alloc(0));
    const request = 'GET /Mainnet/leaderboard';
    earlier.publisher.receive({ source: 'venue_a.stats', feed: 'venue_a.stats', request, payload });
    await earlier.publisher.close();
    await open(host.url, log);
    await until(() => host.requests.length === 1);
  });

  it('requests an export at a start after a kill between two parts', async () => {
    const host = await startHost(() => ({ body: EXPORT }));
    const log = new MemoryLog();
    const first = await open(host.url, log);
    await until(first.isComplete);
    await first.close();
    log.partitions.get('raw.venue_a.stats/0')!.pop();
    const second = await open(host.url, log);
    await until(second.isComplete);
    expect(host.requests).toHaveLength(2);
    expect(second.parts().filter(({ payload }) => readPartPlace(payload).index === 0)).toHaveLength(2);
  });

  it('requests nothing for as long as the host demanded, also if the interval is shorter', async () => {
    const requestedAt: number[] = [];
    const host = await startHost(() => {
      requestedAt.push(Date.now());
      return requestedAt.length === 1 ? { status: 429, headers: { 'retry-after': '1' } } : { body: EXPORT };
    });
    const test = await openTestPublisher();
    const settings = {
      ...loadSettings([], { PARALLAX_VENUE_A_STATS_URL: host.url }),
      // Less than the setting accepts, so that the test need not wait.
      leaderboardMinutes: '0.0001',
    };
    const running = await startLeaderboard({ ...test, settings, logger: silentLogger, expect: () => () => {} });
    closing.push(
      () => test.publisher.close(),
      () => running.close(),
    );
    await until(() => requestedAt.length === 2);
    expect(requestedAt[1]! - requestedAt[0]!).toBeGreaterThanOrEqual(990);
  });

  it('publishes nothing of an export that fails, and reports the host as unreachable after five failures', async () => {
    const host = await startHost(() => ({ body: EXPORT.slice(0, -20) }));
    const test = await openTestPublisher();
    const settings = {
      ...loadSettings([], { PARALLAX_VENUE_A_STATS_URL: host.url }),
      // Less than the setting accepts, so that the test need not wait.
      leaderboardMinutes: '0.0001',
    };
    const running = await startLeaderboard({ ...test, settings, logger: silentLogger, expect: () => () => {} });
    closing.push(
      () => test.publisher.close(),
      () => running.close(),
    );
    await until(() => test.feeds('venue_a').length > 0);
    expect(test.feeds('venue_a')).toMatchObject([{ feed: 'venue_a.stats', kind: 'unreachable' }]);
    expect(test.raw('venue_a', 'stats')).toEqual([]);
  });
});

describe('fetchExport', () => {
  const fetchFrom = async (answer: Answer, timeoutMs = 10_000) =>
    fetchExport(leaderboardClient({ timeoutMs }), (await startHost(() => answer)).url, new AbortController().signal);

  it.each([
    ['an error', { status: 500 }, 'upstream_unavailable'],
    ['a limit', { status: 429, headers: { 'retry-after': '1' } }, 'upstream_rate_limited'],
    ['a body that ends with the connection', { body: EXPORT, cutOff: true }, 'upstream_unavailable'],
    ['a body that ends early', { body: EXPORT.slice(0, EXPORT.length / 2) }, 'upstream_malformed'],
    ['a body that ends after a row', { body: EXPORT.slice(0, EXPORT.indexOf('},{') + 1) }, 'upstream_malformed'],
    ['nothing', { body: '' }, 'upstream_malformed'],
    ['HTML', { body: '<html>Bad gateway</html>' }, 'upstream_malformed'],
    ['a row that is not JSON', { body: EXPORT.replace('"0.1"', 'nought') }, 'upstream_malformed'],
    ['another shape', { body: '{"rows":[{}]}' }, 'upstream_malformed'],
    ['nobody', { body: '{"leaderboardRows":[]}' }, 'upstream_malformed'],
  ])('rejects %s', async (_, answer, code) => {
    await expect(fetchFrom(answer)).rejects.toMatchObject({ code });
  });

  it.each([
    ['does not answer', { hang: true }],
    ['stops in the middle of its answer', { body: EXPORT, hang: true }],
  ])('rejects a host that %s after the time limit', async (_, answer) => {
    await expect(fetchFrom(answer, 300)).rejects.toMatchObject({ code: 'upstream_unavailable' });
  });

  it('rejects with the reason of the signal', async () => {
    const { url } = await startHost(() => ({ hang: true }));
    const abort = new AbortController();
    const fetched = fetchExport(leaderboardClient({}), url, abort.signal);
    abort.abort(new Error('closing'));
    await expect(fetched).rejects.toThrow('closing');
  });
});
