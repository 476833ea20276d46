/** The kinds of store that a test can run on: in the process, and on a cluster, which the test server stands for. */
import { join } from 'node:path';
import { startClickhouseHttpServer, TEST_CLUSTER } from './clickhouse-http-server.ts';

export interface TestStore {
  /** Location of the store, as the settings say it. */
  readonly settings: { readonly store: string; readonly storeCluster: string | null };
  stop(): Promise<void>;
}

/** Each with its name and what starts it; its data is in the folder. */
export const TEST_STORES: readonly (readonly [string, (folder: string) => Promise<TestStore>])[] = [
  ['in the process', async () => ({ settings: { store: 'embedded', storeCluster: null }, stop: async () => {} })],
  [
    'on a cluster',
    async (folder) => {
      const server = await startClickhouseHttpServer({ path: join(folder, 'clickhouse') });
      return { settings: { store: `${server.url}/parallax`, storeCluster: TEST_CLUSTER }, stop: server.close };
    },
  ],
];
