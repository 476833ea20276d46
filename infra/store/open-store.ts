import { join } from 'node:path';
import type { Store } from './store.ts';

/**
 * Opens the store that `--store` names: `embedded`, in `<dataDir>/store`, or a server by URL. The other one is not
 * loaded: the embedded engine has hundreds of megabytes.
 */
export async function openStore(setting: string, dataDir: string): Promise<Store> {
  if (setting === 'embedded') {
    const { openEmbeddedStore } = await import('./embedded.ts');
    return openEmbeddedStore({ path: join(dataDir, 'store') });
  }
  const { openServerStore, parseServerUrl } = await import('./server.ts');
  return openServerStore(parseServerUrl(setting));
}
