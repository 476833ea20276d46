import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { migrate } from '#infra/store/migrate';
import { openStore } from '#infra/store/open-store';
import { startClickhouseHttpServer } from '#infra/testing/clickhouse-http-server';
import { openSandbox } from './open-sandbox.ts';

const BARS = 'SELECT coin, openTime, close FROM candle_bars FINAL ORDER BY coin, openTime';

it('three nodes on one server that open the sandbox at once return the same rows without duplicates', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parallax-query-api-'));
  const server = await startClickhouseHttpServer({ path: folder });
  const nodes = await Promise.all(
    [1, 2, 3].map(() => openStore({ store: `${server.url}/parallax`, dataDir: 'unused' })),
  );
  try {
    await migrate(nodes[0]!);
    const results = await Promise.all(
      nodes.map(async (node) => (await openSandbox(node).data()).store.query<{ coin: string; openTime: string }>(BARS)),
    );
    const [first] = results;
    for (const result of results) expect(result).toEqual(first);
    expect(first!.length).toBeGreaterThan(0);
    expect(new Set(first!.map(({ coin, openTime }) => `${coin} ${openTime}`)).size).toBe(first!.length);
    const databases = await nodes[0]!.query<{ name: string }>("SHOW DATABASES LIKE 'parallax%'");
    expect(databases.map(({ name }) => name.replace(/[0-9a-f]{12}$/, '…'))).toEqual(['parallax', 'parallax_sandbox_…']);
  } finally {
    for (const node of nodes) await node.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
