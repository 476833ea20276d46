import type { Store } from '#infra/store/store';
import type { Dependencies } from '../routes/route.ts';
import { viewsOf } from './data-set.ts';
import { readDataSet } from './data-set-file.ts';
import { readInfoResponses, sandboxRequests, seriesIn } from './info-responses.ts';
import { openTables } from './open-tables.ts';

/** What handlers read. */
export type MarketData = Pick<Dependencies, 'views' | 'store' | 'ingest'>;

/** Provides the fixed market data of sandbox keys. */
export interface Sandbox {
  data(): Promise<MarketData>;
}

/**
 * Opens the shipped data set lazily: the views on the first request, the tables on the first request that reads one.
 */
export function openSandbox(store: Pick<Store, 'database' | 'inDatabase'>): Sandbox {
  const tables = once(async () => openTables(store, await readDataSet()));
  const data = once(async () => {
    const responses = await readInfoResponses();
    const views = viewsOf(await readDataSet());
    return {
      views: { ...views, accountSeries: seriesIn(responses) },
      ingest: sandboxRequests(responses, views.accountValues),
      store: {
        query: async (sql, parameters) => (await tables()).query(sql, parameters),
      } satisfies MarketData['store'] as MarketData['store'],
    };
  });
  return { data };
}

/** Runs `work` on the first call and returns its result to all calls; after a failure the next call runs it again. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null;
  return () => {
    result ??= work().catch((error: unknown) => {
      result = null;
      throw error;
    });
    return result;
  };
}
