/** Answers served again for as long as their route says, as the bytes that were sent first. */
import { LRUCache } from 'lru-cache';

const BYTES_MAX = 64 * 1024 * 1024;
/** Bookkeeping of an entry beside its bytes. */
const ENTRY_BYTES = 256;

/** A body as it goes out. */
export interface CachedAnswer {
  readonly statusCode: number;
  readonly body: Buffer;
}

export class AnswerCache {
  private readonly kept = new LRUCache<string, CachedAnswer>({
    maxSize: BYTES_MAX,
    sizeCalculation: (answer, key) => answer.body.length + key.length + ENTRY_BYTES,
  });
  private readonly underWay = new Map<string, Promise<CachedAnswer>>();

  get(key: string): CachedAnswer | undefined {
    return this.kept.get(key);
  }

  /** Works an answer out once for everyone who asks meanwhile. Errors are not kept. */
  async share(key: string, ttlMs: number, work: () => Promise<CachedAnswer>): Promise<CachedAnswer> {
    const running = this.underWay.get(key);
    if (running) return running;
    const answer = work();
    this.underWay.set(key, answer);
    try {
      const done = await answer;
      this.kept.set(key, done, { ttl: ttlMs });
      return done;
    } finally {
      this.underWay.delete(key);
    }
  }
}
