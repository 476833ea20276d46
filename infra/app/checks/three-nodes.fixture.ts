/** Three nodes of the query API whose reads go through one log to ingest, and from there to a venue. */
import { Budget } from '#ingest/feed/budget';
import { HttpClient } from '#ingest/feed/http-client';
import type { Received } from '#ingest/publisher/publisher';
import { startRequestServer } from '#ingest/requests/request-server';
import { startHttpServer, type TestHttpServer } from '#ingest/testing/http-server.fixture';
import { silentLogger } from '#ingest/testing/open-publisher.fixture';
import { InfoClient } from '#ingest/venues/venue-a/info-client';
import { createInfoReads } from '#ingest/venues/venue-a/info-reads';
import { createTestApp, type TestApp, type TestAppOptions } from '#query-api/testing/test-app.fixture';
import { openTestLog } from '../../control/open-test-log.fixture.ts';
import { openRequestClient } from '../../requests/request-client.ts';

export interface ThreeNodes {
  readonly venue: TestHttpServer;
  /** Their data is live as of a given time. */
  readonly nodes: readonly TestApp[];
  /** What ingest published raw. */
  readonly published: readonly Received[];
  close(): Promise<void>;
}

/**
 * @param answer returns the venue's answer to the body of a request.
 * @param now the pipeline's time, unix ms.
 */
export async function startThreeNodes(
  answer: (body: string) => string,
  now: number,
  app: TestAppOptions['app'] = {},
): Promise<ThreeNodes> {
  const closing: (() => Promise<unknown>)[] = [];
  const published: Received[] = [];
  const venue = await startHttpServer(({ body }) => ({ body: answer(body) }));
  closing.push(() => venue.close());
  const { log, codec, close } = await openTestLog();
  closing.push(close);
  const budget = new Budget({ max: 1_200, windowMs: 60_000 });
  const http = new HttpClient({ budget, retries: 'reads' });
  const reads = createInfoReads({
    client: new InfoClient({ url: venue.url, http, node: null }),
    budget,
    publisher: { whenReady: async () => {}, receive: (received) => void published.push(received) },
    feed: 'venue_a.info',
  });
  const server = await startRequestServer({ log, codec, logger: silentLogger, handlers: [reads] });
  closing.push(() => server.close());
  const nodes: TestApp[] = [];
  for (let node = 0; node < 3; node += 1) {
    const requests = await openRequestClient({ log, codec, logger: silentLogger });
    closing.push(() => requests.close());
    const test = await createTestApp({ app: { ...app, requests } });
    closing.push(() => test.app.close());
    Object.assign(test.views, { freshness: { ...test.views.freshness, now: () => now, isLive: () => true } });
    nodes.push(test);
  }
  return {
    ...{ venue, nodes, published },
    close: async () => {
      for (const end of closing.reverse()) await end();
    },
  };
}
