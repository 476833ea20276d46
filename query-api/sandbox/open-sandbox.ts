import type { Store } from '#infra/store/store';
import type { Dependencies } from '../routes/route.ts';
import { viewsOf } from './data-set.ts';
import { readDataSet } from './data-set-file.ts';
import { openTables } from './open-tables.ts';

/** What handlers read of markets and events. */
export type MarketData = Pick<Dependencies, 'views' | 'store'>;

/** The fixed market data that sandbox keys are answered from. */
export interface Sandbox {
  data(): Promise<MarketData>;
}

/** The shipped data set. It is read at the first question, and its tables are opened at the first that reads one. */
export function openSandbox(store: Pick<Store, 'database' | 'inDatabase'>): Sandbox {
  const tables = once(async () => openTables(store, await readDataSet()));
  const data = once(async () => ({
    views: viewsOf(await readDataSet()),
    store: { query: async (sql, parameters) => (await tables()).query(sql, parameters) } as MarketData['store'],
  }));
  return { data };
}

/** Does the work for the first who asks and gives its result to all; after a failure the next one tries again. */
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
