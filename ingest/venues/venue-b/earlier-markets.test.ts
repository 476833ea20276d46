import { describe, expect, it } from 'vitest';
import type { Answer } from '../../testing/http-server.fixture.ts';
import { never, page, setUpCatalog } from './catalog.fixture.ts';
import { readCrawlCursors } from './crawl-cursors.ts';
import { EarlierMarkets } from './earlier-markets.ts';

describe('EarlierMarkets', () => {
  const closedPage = (path: string): Answer => {
    const at = Number(/after_cursor=(\d+)/.exec(path)?.[1] ?? 0);
    return page([`old${at}`], at < 11 ? String(at + 1) : undefined);
  };

  const RECENT = 'GET /markets/keyset?limit=100&closed=true&end_date_min=1969-10-03T00:00:00Z';
  const ALL = 'GET /markets/keyset?limit=100&closed=true';
  const pagesOf = (path: string) =>
    Array.from({ length: 12 }, (_, at) => (at === 0 ? path : `${path}&after_cursor=${at}`));

  it('publishes the recent markets and then all, a few pages at a time, and continues after a restart', async () => {
    const { source, server, requests, log, codec, publisher } = await setUpCatalog(closedPage);
    const restart = async () => {
      await publisher.flush();
      return new EarlierMarkets(source, (await readCrawlCursors(log, codec)).earlier);
    };
    const first = await restart();
    await first.refresh(never);
    expect(server.requests).toHaveLength(5);
    for (let rounds = 0; rounds < 9; rounds += 1) await (await restart()).refresh(never);
    expect(await requests()).toEqual([...pagesOf(RECENT), ...pagesOf(ALL)]);
    const last = await restart();
    for (let rounds = 0; rounds < 5; rounds += 1) await last.refresh(never);
    expect(server.requests).toHaveLength(24);
  });

  it('finds its cursor before a complete pass of the open catalog', async () => {
    const { source, server, log, codec, publisher, pass } = await setUpCatalog(closedPage);
    await new EarlierMarkets(source, null).refresh(never);
    for (let answers = 0; answers < 250; answers += 1) {
      pass(1);
      source.publish({ path: '/markets', payload: Buffer.from('[]'), body: [], markets: [] });
    }
    await publisher.flush();
    await new EarlierMarkets(source, (await readCrawlCursors(log, codec)).earlier).refresh(never);
    expect(server.requests.at(5)!.path).toBe(`/gamma${pagesOf(RECENT)[5]!.slice('GET '.length)}`);
  });

  it('repeats its cursor after many other answers', async () => {
    const { source, server } = await setUpCatalog(() => page(['old']));
    const earlier = new EarlierMarkets(source, { since: null, page: '7', isDone: true });
    for (let answers = 0; answers < 249; answers += 1) source.publishedCount += 1;
    await earlier.refresh(never);
    expect(server.requests).toHaveLength(0);
    source.publishedCount += 1;
    await earlier.refresh(never);
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/gamma/markets/keyset?limit=100&closed=true&after_cursor=7',
    ]);
  });
});
