/** Answers served again for as long as their route says, as the bytes that were sent first. */
import { LRUCache } from 'lru-cache';
import type { EncodedBody } from './encodings.ts';

const BYTES_MAX = 64 * 1024 * 1024;
/** Bookkeeping of an entry beside its bytes. */
const ENTRY_BYTES = 256;

/** An answer as it goes out. */
export interface KeptAnswer {
  readonly statusCode: number;
  readonly body: EncodedBody;
  /** How long it may be served again; 0 is never. */
  readonly ttlMs: number;
}

export class AnswerCache {
  private readonly kept: LRUCache<string, KeptAnswer>;
  private readonly underWay = new Map<string, Promise<KeptAnswer>>();

  /** @param now monotonic ms. */
  constructor(now: () => number = () => performance.now()) {
    this.kept = new LRUCache({
      maxSize: BYTES_MAX,
      // Compressed forms come later; they are smaller than the body, two of them at most as large.
      sizeCalculation: ({ body }, key) => 2 * body.plain.length + key.length + ENTRY_BYTES,
      perf: { now },
      ttlResolution: 0,
    });
  }

  get(key: string): KeptAnswer | undefined {
    return this.kept.get(key);
  }

  /** Works an answer out once for everyone who asks meanwhile. Errors are told to all of them and not kept. */
  share(key: string, work: () => Promise<KeptAnswer>): Promise<KeptAnswer> {
    const running = this.underWay.get(key);
    if (running) return running;
    const answer = this.keep(key, work);
    this.underWay.set(key, answer);
    return answer;
  }

  private async keep(key: string, work: () => Promise<KeptAnswer>): Promise<KeptAnswer> {
    try {
      const answer = await work();
      if (answer.ttlMs > 0) this.kept.set(key, answer, { ttl: answer.ttlMs });
      return answer;
    } finally {
      this.underWay.delete(key);
    }
  }
}
