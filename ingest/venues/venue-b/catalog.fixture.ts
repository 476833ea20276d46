/** A fake catalog of venue_b, and the objects that read it. */
import { afterEach } from 'vitest';
import { Budget } from '../../feed/budget.ts';
import { ConnectionState } from '../../feed/connection-state.ts';
import { HttpClient } from '../../feed/http-client.ts';
import { type Answer, startHttpServer } from '../../testing/http-server.fixture.ts';
import { openTestPublisher, silentLogger } from '../../testing/open-publisher.fixture.ts';
import { CatalogSource } from './catalog-source.ts';
import { CatalogSync } from './catalog-sync.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

export const never = new AbortController().signal;
export const entry = (id: string) => ({ conditionId: id, clobTokenIds: `["${id}y","${id}n"]` });

export async function setUpCatalog(answer: (path: string) => Answer, pagesMax = 1_000) {
  const server = await startHttpServer(({ path }) => answer(path));
  const test = await openTestPublisher();
  closing.push(
    () => server.close(),
    () => test.publisher.close(),
  );
  const { publisher, metrics } = test;
  let now = 1_000_000;
  const options = {
    url: `${server.url}/gamma/`,
    http: new HttpClient({ budget: new Budget({ max: 1_000, windowMs: 1_000 }) }),
    connection: new ConnectionState({
      venue: 'venue_b',
      feed: 'venue_b.gamma',
      publisher,
      logger: silentLogger,
      metrics,
    }),
    publisher,
    now: () => now,
  };
  const source = new CatalogSource(options);
  const warned: object[] = [];
  const logger = Object.assign(Object.create(silentLogger), { warn: (fields: object) => void warned.push(fields) });
  const catalog = new CatalogSync(source, { logger, pagesMax });
  return {
    ...test,
    catalog,
    warned,
    source,
    /** A source as after a restart, which tracks no markets yet. */
    newSource: () => new CatalogSource(options),
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

export const page = (markets: string[], next_cursor?: string): Answer => ({
  body: JSON.stringify({ markets: markets.map(entry), ...(next_cursor ? { next_cursor } : {}) }),
});
