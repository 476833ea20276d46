import { describe, expect, it } from 'vitest';
import { AnswerCache, type KeptAnswer } from './answer-cache.ts';
import { EncodedBody } from './encodings.ts';

const answer = (bytes: number, ttlMs = 1_000): KeptAnswer => ({
  statusCode: 200,
  body: new EncodedBody(Buffer.alloc(bytes)),
  ttlMs,
});

describe('the cache of answers', () => {
  it('lets go of the oldest where all together are too large', async () => {
    const cache = new AnswerCache(() => 1);
    for (let at = 0; at < 40; at += 1) await cache.share(`key ${at}`, async () => answer(1024 * 1024));
    expect(cache.get('key 0')).toBeUndefined();
    expect(cache.get('key 39')).toBeDefined();
  });

  it('keeps nothing that may not be served again', async () => {
    const cache = new AnswerCache(() => 1);
    expect(await cache.share('key', async () => answer(1, 0))).toMatchObject({ ttlMs: 0 });
    expect(cache.get('key')).toBeUndefined();
  });

  it('tells a fault to everyone who waits for it, and asks again afterwards', async () => {
    const cache = new AnswerCache(() => 1);
    const fault = async () => {
      throw new Error('no');
    };
    const asked = [cache.share('key', fault), cache.share('key', async () => answer(1))];
    expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await cache.share('key', async () => answer(1))).toMatchObject({ statusCode: 200 });
  });
});
