import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../testing/open-publisher.fixture.ts';
import { entry, never, setUpCatalog } from './catalog.fixture.ts';
import { ClosedMarkets } from './closed-markets.ts';
import { readCrawlCursors } from './crawl-cursors.ts';

describe('ClosedMarkets', () => {
  const closedEntry = (id: string, closedTime = '2026-05-09 02:07:01+00') => ({
    ...entry(id),
    closed: true,
    closedTime,
  });

  it('looks up vanished markets until they are listed as closed, five times at most', async () => {
    let closed: string[] = [];
    const { source, pass, server, requests } = await setUpCatalog((path) => ({
      body: JSON.stringify(path.includes('condition_ids') ? closed.map((id) => closedEntry(id)) : []),
    }));
    const markets = new ClosedMarkets(source, { publishedUntil: source.now(), logger: silentLogger });
    markets.addVanished(['m1', 'm2']);
    await markets.refresh(never);
    closed = ['m1'];
    for (let rounds = 0; rounds < 9; rounds += 1) {
      pass(30_000);
      await markets.refresh(never);
    }
    const lookUps = server.requests.map(({ path }) => path).filter((path) => path.includes('condition_ids'));
    expect(lookUps.filter((path) => path.includes('condition_ids=m1'))).toHaveLength(2);
    expect(lookUps.filter((path) => path.includes('condition_ids=m2'))).toHaveLength(5);
    expect(await requests()).toContain('GET /markets?limit=100&closed=true&condition_ids=m1&condition_ids=m2');
  });

  /** A closed list with ten closings a minute, the newest at `began`, and its markets in the log. */
  async function setUpClosings(began: number) {
    const time = (at: number) => new Date(at).toISOString().slice(0, 19).replace('T', ' ').concat('+00');
    let newest = 0;
    let failsAfter = Number.POSITIVE_INFINITY;
    const closing = (nth: number) => closedEntry(`m${nth}`, time(began + nth * 6_000));
    const closings = (offset: number) => Array.from({ length: 100 }, (_, at) => closing(newest - offset - at));
    const test = await setUpCatalog((path) => {
      const offset = Number(/offset=(\d+)/.exec(path)?.[1] ?? 0);
      if (offset > failsAfter) return { status: 400 };
      const requested = [...path.matchAll(/condition_ids=m(-?\d+)/g)].map(([, nth]) => closing(Number(nth)));
      return { body: JSON.stringify(requested.length > 0 ? requested : closings(offset)) };
    });
    test.pass(began - 1_000_000);
    const published = async () => {
      await test.publisher.flush();
      const entries = test.raw('venue_b', 'gamma').flatMap(({ payload }) => JSON.parse(payload.toString()));
      return new Set(entries.map(({ conditionId }: { conditionId: string }) => conditionId));
    };
    const refresh = (markets: ClosedMarkets) => {
      test.pass(30_000);
      return markets.refresh(never);
    };
    /** Closes this many markets, ten a minute. */
    const close = (count: number) => {
      newest += count;
      test.pass(count * 6_000);
    };
    /** Refuses pages beyond an offset from now on. */
    const failAfter = (offset: number) => {
      failsAfter = offset;
    };
    const start = async () => {
      await test.publisher.flush();
      const { closedUntil } = await readCrawlCursors(test.log, test.codec);
      return new ClosedMarkets(test.newSource(), { publishedUntil: closedUntil ?? began, logger: silentLogger });
    };
    return {
      ...test,
      published,
      refresh,
      close,
      failAfter,
      start,
      missing: async (from: number, to: number) => {
        const all = await published();
        return Array.from({ length: to - from + 1 }, (_, at) => `m${from + at}`).filter((id) => !all.has(id));
      },
    };
  }

  it('publishes after a pause every market that closed during it', async () => {
    const { refresh, close, missing, start } = await setUpClosings(Date.now());
    await refresh(await start());
    close(1_500);
    await refresh(await start());
    expect(await missing(-600, 1_500)).toEqual([]);
  });

  it('publishes all of them even if the process ends or the venue fails in between', async () => {
    const { refresh, close, failAfter, missing, start } = await setUpClosings(Date.now());
    await refresh(await start());
    close(1_500);
    failAfter(400);
    const interrupted = await start();
    await expect(refresh(interrupted)).rejects.toMatchObject({ code: 'upstream_rejected' });
    failAfter(800);
    await expect(refresh(interrupted)).rejects.toMatchObject({ code: 'upstream_rejected' });
    failAfter(Number.POSITIVE_INFINITY);
    await refresh(await start());
    expect(await missing(-600, 1_500)).toEqual([]);
  });

  it('publishes all that closed while the venue did not answer, and few known markets', async () => {
    const { refresh, close, missing, start, requests, server } = await setUpClosings(Date.now());
    const markets = await start();
    await refresh(markets);
    close(1_500);
    await refresh(markets);
    expect(await missing(0, 1_500)).toEqual([]);
    const [requestsBefore, publishedBefore] = [server.requests.length, (await requests()).length];
    close(3);
    for (let rounds = 0; rounds < 10; rounds += 1) await refresh(markets);
    expect([server.requests.length - requestsBefore, (await requests()).length - publishedBefore]).toEqual([11, 1]);
    expect(await missing(0, 1_503)).toEqual([]);
  });

  it('publishes all that closed if more vanished than it looks up', async () => {
    const { refresh, close, missing, start } = await setUpClosings(Date.now());
    const markets = await start();
    await refresh(markets);
    close(1_500);
    markets.addVanished(Array.from({ length: 1_500 }, (_, at) => `m${1_500 - at}`));
    await refresh(markets);
    expect(await missing(0, 1_500)).toEqual([]);
  });

  it('finds markets after a restart that vanished before it and were not looked up', async () => {
    const { refresh, close, missing, start } = await setUpClosings(Date.now());
    const markets = await start();
    await refresh(markets);
    close(700);
    markets.addVanished(['m1']);
    // The process ends here; the venue continues to close markets.
    close(700);
    await refresh(await start());
    expect(await missing(1, 1)).toEqual([]);
  });

  it('repeats the first page after many other answers, so that a restart finds it', async () => {
    const { refresh, source, requests } = await setUpClosings(Date.now());
    const markets = new ClosedMarkets(source, { publishedUntil: source.now(), logger: silentLogger });
    await refresh(markets);
    const before = (await requests()).length;
    source.publishedCount += 249;
    for (let rounds = 0; rounds < 3; rounds += 1) await refresh(markets);
    expect((await requests()).length - before).toBe(0);
    source.publishedCount += 1;
    for (let rounds = 0; rounds < 3; rounds += 1) await refresh(markets);
    expect((await requests()).slice(before)).toEqual([
      'GET /markets?limit=100&closed=true&order=closedTime&ascending=false',
    ]);
  });
});
