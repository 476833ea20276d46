import { describe, expect, it } from 'vitest';
import { EncodedBody } from './encodings.ts';
import { type CachedResponse, ResponseCache } from './response-cache.ts';

const response = (bytes: number, ttlMs = 1_000): CachedResponse => ({
  statusCode: 200,
  body: new EncodedBody(Buffer.alloc(bytes)),
  ttlMs,
});

describe('ResponseCache', () => {
  it('evicts the oldest responses when the total size exceeds the limit', async () => {
    const cache = new ResponseCache(() => 1);
    const keys = Array.from({ length: 40 }, (_, at) => `key ${at}`);
    for (const key of keys) await cache.computeOnce(key, async () => response(1024 * 1024));
    // Each counts twice, for its compressed forms: 32 MiB have room for 15, and for what an entry costs beside its body.
    expect(keys.filter((key) => cache.get(key) !== undefined)).toEqual(keys.slice(-15));
  });

  it('does not store a response whose time to live is 0', async () => {
    const cache = new ResponseCache(() => 1);
    expect(await cache.computeOnce('key', async () => response(1, 0))).toMatchObject({ ttlMs: 0 });
    expect(cache.get('key')).toBeUndefined();
  });

  it('rejects all concurrent callers when the computation fails, and computes again on the next call', async () => {
    const cache = new ResponseCache(() => 1);
    const failing = async () => {
      throw new Error('no');
    };
    const calls = [cache.computeOnce('key', failing), cache.computeOnce('key', async () => response(1))];
    expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await cache.computeOnce('key', async () => response(1))).toMatchObject({ statusCode: 200 });
  });
});
