import { describe, expect, it } from 'vitest';
import { hashSecret, verifySecret } from './secret-hash.ts';

describe('a hashed secret', () => {
  it('is known again, and nothing else is taken for it', async () => {
    const kept = await hashSecret('the secret');
    expect(await verifySecret('the secret', kept)).toBe(true);
    expect(await verifySecret('the secres', kept)).toBe(false);
    expect(JSON.stringify(kept)).not.toContain('the secret');
  });
  it('has another hash each time', async () => {
    const [first, second] = [await hashSecret('same'), await hashSecret('same')];
    expect(first.hash).not.toBe(second.hash);
  });
  it('is checked with the parameters that it was hashed with', async () => {
    const kept = await hashSecret('the secret');
    expect(await verifySecret('the secret', { ...kept, N: 2 * kept.N })).toBe(false);
  });
});
