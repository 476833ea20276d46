import { LRUCache } from 'lru-cache';

/** Characters of the cached results. */
const CACHED_CHARACTERS = 16 * 1024 * 1024;

/**
 * Creates a cache of results by the key of their request, for the client and for the server of requests. Each entry is
 * set with its own lifetime (`ttl`), by the wall clock.
 * @param charactersOf the size of an entry without its key.
 */
export function createResultCache<V extends object>(charactersOf: (value: V) => number): LRUCache<string, V> {
  return new LRUCache<string, V>({
    maxSize: CACHED_CHARACTERS,
    sizeCalculation: (value, key) => charactersOf(value) + key.length,
    perf: { now: Date.now },
    ttlResolution: 0,
  });
}
