/** Caches response bodies as bytes for as long as their route allows. */
import { LRUCache } from 'lru-cache';
import type { EncodedBody } from './encodings.ts';
import type { Validators } from './validators.ts';

/** A hundred responses of thousands of rows: clients that read other large windows all the time fill it. */
const BYTES_MAX = 32 * 1024 * 1024;
/** Estimated overhead of a cache entry beyond its bytes. */
const ENTRY_BYTES = 256;

/** A response that is ready to be sent. */
export interface CachedResponse {
  readonly statusCode: number;
  readonly body: EncodedBody;
  /** How long it may be served from the cache; 0 means never. */
  readonly ttlMs: number;
  /** Set for a cached response whose clients may cache it too. */
  readonly validators?: Validators | undefined;
}

export class ResponseCache {
  private readonly responses: LRUCache<string, CachedResponse>;
  /** Monotonic ms. */
  readonly now: () => number;
  private readonly pending = new Map<string, Promise<CachedResponse>>();

  /** @param now monotonic ms. */
  constructor(now: () => number = () => performance.now()) {
    this.now = now;
    this.responses = new LRUCache({
      maxSize: BYTES_MAX,
      // The body may be compressed later into two encodings, whose sizes together count like that of the body.
      sizeCalculation: ({ body }, key) => 2 * body.plain.length + key.length + ENTRY_BYTES,
      perf: { now },
      ttlResolution: 0,
    });
  }

  get(key: string): CachedResponse | undefined {
    return this.responses.get(key);
  }

  /**
   * Computes a response once for all concurrent requests with the key. They all receive its error, which is not cached.
   * @param orgId if it is set, only concurrent requests of this organization share the computation. The response is
   * cached for all.
   */
  computeOnce(key: string, work: () => Promise<CachedResponse>, orgId?: string): Promise<CachedResponse> {
    const pendingKey = orgId === undefined ? key : `${orgId} ${key}`;
    const running = this.pending.get(pendingKey);
    if (running) return running;
    const response = this.computeAndStore(key, work).finally(() => this.pending.delete(pendingKey));
    this.pending.set(pendingKey, response);
    return response;
  }

  private async computeAndStore(key: string, work: () => Promise<CachedResponse>): Promise<CachedResponse> {
    const response = await work();
    if (response.ttlMs > 0) this.responses.set(key, response, { ttl: response.ttlMs });
    return response;
  }
}
