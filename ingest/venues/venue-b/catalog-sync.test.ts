import { afterEach, describe, expect, it } from 'vitest';
import { Budget } from '../../feed/budget.ts';
import { FeedLife } from '../../feed/feed-life.ts';
import { HttpClient } from '../../feed/http-client.ts';
import { type Answer, startHttpServer } from '../../testing/http-server.fixture.ts';
import { openTestPublisher, silentLogger } from '../../testing/open-publisher.fixture.ts';
import { CatalogSync } from './catalog-sync.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const never = new AbortController().signal;
const entry = (id: string) => ({ conditionId: id, clobTokenIds: `["${id}y","${id}n"]` });

async function setUp(answer: (path: string) => Answer) {
  const server = await startHttpServer(({ path }) => answer(path));
  const test = await openTestPublisher();
  closing.push(
    () => server.close(),
    () => test.publisher.close(),
  );
  const { publisher, metrics } = test;
  let now = 1_000_000;
  const catalog = new CatalogSync({
    url: `${server.url}/gamma/`,
    http: new HttpClient({ budget: new Budget({ max: 1_000, windowMs: 1_000 }) }),
    life: new FeedLife({ venue: 'venue_b', feed: 'venue_b.gamma', publisher, logger: silentLogger, metrics }),
    publisher,
    now: () => now,
  });
  return {
    ...test,
    catalog,
    server,
    pass: (ms: number) => {
      now += ms;
    },
    known: () => [...catalog.markets()].map(({ conditionId }) => conditionId),
    requests: async () => {
      await publisher.flush();
      return test.raw('venue_b', 'gamma').map(({ request }) => request);
    },
  };
}

const page = (markets: string[], next_cursor?: string): Answer => ({
  body: JSON.stringify({ markets: markets.map(entry), ...(next_cursor ? { next_cursor } : {}) }),
});

describe('CatalogSync', () => {
  it('follows the cursor to the end and publishes every page under its question', async () => {
    const { catalog, known, requests } = await setUp((path) =>
      path.includes('after_cursor=a%3D%3D') ? page(['m3']) : page(['m1', 'm2'], 'a=='),
    );
    await catalog.refresh(never);
    expect(known()).toEqual(['m1', 'm2', 'm3']);
    expect(await requests()).toEqual([
      'GET /markets/keyset?limit=100&closed=false',
      'GET /markets/keyset?limit=100&closed=false&after_cursor=a%3D%3D',
    ]);
  });

  it('ends at a cursor that leads to itself', async () => {
    const { catalog, requests } = await setUp(() => page(['m1'], 'again'));
    await catalog.refresh(never);
    expect(await requests()).toHaveLength(2);
  });

  it('forgets in the next pass what is listed no more', async () => {
    let listed = ['m1', 'm2'];
    const { catalog, known, pass } = await setUp(() => page(listed));
    await catalog.refresh(never);
    listed = ['m2'];
    pass(60_000);
    await catalog.refresh(never);
    expect(known()).toEqual(['m2']);
  });

  it('asks for the newest markets between the passes of a large catalog', async () => {
    const { catalog, known, pass, requests } = await setUp((path) => {
      if (!path.includes('keyset')) return { body: JSON.stringify([entry('new')]) };
      const at = Number(/after_cursor=(\d+)/.exec(path)?.[1] ?? 0);
      return page([`m${at}`], at < 9 ? String(at + 1) : undefined);
    });
    await catalog.refresh(never);
    expect(catalog.restMs()).toBe(60_000);
    pass(60_000);
    await catalog.refresh(never);
    expect(known()).toHaveLength(11);
    expect((await requests()).at(-1)).toBe('GET /markets?limit=100&closed=false&order=startDate&ascending=false');
    // Ten pages: the next pass is due two minutes after the last began.
    expect(catalog.restMs()).toBe(60_000);
    pass(60_000);
    await catalog.refresh(never);
    expect(known()).toHaveLength(10);
  });

  it('keeps what it knows when a pass breaks off, and what came of it stays published', async () => {
    let broken = false;
    const { catalog, known, pass, requests } = await setUp((path) => {
      if (!path.includes('after_cursor')) return page(['m1'], 'two');
      return broken ? { body: '{"markets":' } : page(['m2']);
    });
    await catalog.refresh(never);
    broken = true;
    pass(60_000);
    await expect(catalog.refresh(never)).rejects.toMatchObject({ code: 'upstream_malformed' });
    expect(known()).toEqual(['m1', 'm2']);
    expect(await requests()).toHaveLength(4);
  });
});
