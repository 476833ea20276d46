import { describe, expect, it } from 'vitest';
import { hashSecret, verifySecret } from './secret-hash.ts';

describe('a hashed secret', () => {
  it('matches its secret and no other', async () => {
    const stored = await hashSecret('the secret');
    expect(await verifySecret('the secret', stored)).toBe(true);
    expect(await verifySecret('the secres', stored)).toBe(false);
    expect(JSON.stringify(stored)).not.toContain('the secret');
  });
  it('has a different hash each time', async () => {
    const [first, second] = [await hashSecret('same'), await hashSecret('same')];
    expect(first.hash).not.toBe(second.hash);
  });
  it('is checked with the parameters that it was hashed with', async () => {
    const stored = await hashSecret('the secret');
    expect(await verifySecret('the secret', { ...stored, N: 2 * stored.N })).toBe(false);
  });
});
