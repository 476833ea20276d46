import { join } from 'node:path';
import type { Store } from './store.ts';

/** Location of a store. `store` is `embedded`, in `<dataDir>/store`, or the URL of a server. */
export interface StoreLocation {
  readonly store: string;
  readonly dataDir: string;
  /** Replaces the password in the URL. */
  readonly storePassword?: string | null;
}

/** Opens the store. The kind that is not used is not loaded: the embedded engine has hundreds of megabytes. */
export async function openStore({ store, dataDir, storePassword = null }: StoreLocation): Promise<Store> {
  if (store === 'embedded') {
    const { openEmbeddedStore } = await import('./embedded.ts');
    return openEmbeddedStore({ path: join(dataDir, 'store') });
  }
  const { openServerStore, parseServerUrl } = await import('./server.ts');
  const connection = parseServerUrl(store);
  return openServerStore(storePassword === null ? connection : { ...connection, password: storePassword });
}
