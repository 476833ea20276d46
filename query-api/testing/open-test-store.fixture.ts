/** Opens a real store in a temporary folder, with the tables of the service. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '#infra/store/migrate';
import { openStore } from '#infra/store/open-store';
import type { Store } from '#infra/store/store';

export async function openTestStore(): Promise<{ readonly store: Store; close: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'parallax-query-api-'));
  const store = await openStore({ store: 'embedded', dataDir: folder });
  await migrate(store);
  return {
    store,
    close: async () => {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
