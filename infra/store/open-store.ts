import { join } from 'node:path';
import type { Store } from './store.ts';

/**
 * Opens the store that `--store` names: `embedded`, in `<dataDir>/store`, or the server at an address. What is not used
 * is not loaded: the engine in the process weighs hundreds of megabytes.
 */
export async function openStore(setting: string, dataDir: string): Promise<Store> {
  if (setting === 'embedded') {
    const { openEmbeddedStore } = await import('./embedded.ts');
    return openEmbeddedStore({ path: join(dataDir, 'store') });
  }
  const { openServerStore, parseServerAddress } = await import('./server.ts');
  return openServerStore(parseServerAddress(setting));
}
