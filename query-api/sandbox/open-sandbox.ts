import type { Store } from '#infra/store/store';
import type { Dependencies } from '../routes/route.ts';
import { type DataSetRecord, viewsOf } from './data-set.ts';
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
 * Opens the shipped data set on the first request. Its tables are opened beside the views, since nearly every page reads
 * both; what failed is repeated for the next request that reads a table.
 */
export function openSandbox(store: Pick<Store, 'database' | 'inDatabase'>): Sandbox {
  const data = once(async () => {
    const [responses, records] = await Promise.all([readInfoResponses(), readDataSet()]);
    let read: readonly DataSetRecord[] | null = records;
    const tables = once(async () => {
      const opened = await openTables(store, read ?? (await readDataSet()));
      // The rows are in the store now.
      read = null;
      return opened;
    });
    // Whoever reads a table gets the error.
    tables().catch(() => {});
    const views = viewsOf(records);
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
