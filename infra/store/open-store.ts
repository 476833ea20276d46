import { join } from 'node:path';
import { SettingError } from '../config/declare.ts';
import type { Store } from './store.ts';

/** Location of a store. `store` is `embedded`, in `<dataDir>/store`, or the URL of a server. */
export interface StoreLocation {
  readonly store: string;
  readonly dataDir: string;
  /** Replaces the password in the URL. */
  readonly storePassword?: string | null;
  /** Name of the cluster of ClickHouse that holds the tables; null for a single server. */
  readonly storeCluster?: string | null;
}

/** Opens the store. The kind that is not used is not loaded: the embedded engine has hundreds of megabytes. */
export async function openStore(location: StoreLocation): Promise<Store> {
  const { store, dataDir, storePassword = null, storeCluster: cluster = null } = location;
  if (store === 'embedded') {
    if (cluster !== null)
      throw new SettingError(
        'PARALLAX_STORE_CLUSTER does not fit --store embedded; accepted: a cluster with the URL of one of its servers',
      );
    const { openEmbeddedStore } = await import('./embedded.ts');
    return openEmbeddedStore({ path: join(dataDir, 'store') });
  }
  const { openServerStore, parseServerUrl } = await import('./server.ts');
  const connection = parseServerUrl(store);
  return openServerStore({ ...connection, ...(storePassword === null ? {} : { password: storePassword }), cluster });
}
