/** Delivers to endpoints of every kind while the sending process is killed several times. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { measureWebhookDeliveries } from './webhook-deliveries.ts';

const SIZE = { deliveries: 3_000, copies: 1, waiting: 24, timeoutMs: 800, kills: 3, bareMs: 200 };

it('loses none of 3000 deliveries through 3 kills, sends nothing to disabled webhooks, and drains the queue', {
  timeout: 180_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parallax-bench-test-'));
  const shares: number[] = [];
  try {
    // Throws if any guarantee is violated.
    const [result] = await measureWebhookDeliveries({ folder, onProgress: (share) => void shares.push(share) }, SIZE);
    expect(result).toMatchObject({ name: 'webhook-deliveries', unit: 'deliveries/s' });
    expect(result!.value).toBeGreaterThan(0);
    expect(result!.baseline).toBeGreaterThan(0);
    expect(shares.at(-1)).toBe(1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
