/** What a request asks for: its parameters read by the route's schemas, and the key that equal questions share. */
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Route } from '../routes/route.ts';
import { validate } from './validate.ts';

/** Characters of URLs remembered for each route. */
const REMEMBERED_CHARACTERS = 1024 * 1024;
const URL_CHARACTERS_MAX = 1024;

export interface Asked {
  readonly input: { readonly params: unknown; readonly query: unknown };
  /** `depth=500` and `depth=100` ask the same, and so does a parameter that the route does not have. */
  readonly key: string;
}

/**
 * Reads requests of one route. A question depends on the URL alone, so the reading of a URL is remembered: it is the
 * larger part of serving a kept answer. Throws 400 `validation_failed`.
 */
export function createAskedReader(route: Route): (request: FastifyRequest) => Asked {
  const remembered = new LRUCache<string, Asked>({
    maxSize: REMEMBERED_CHARACTERS,
    sizeCalculation: (_asked, url) => url.length + 64,
  });
  return (request) => {
    const known = remembered.get(request.url);
    if (known) return known;
    const input = { params: validate(route.params, request.params), query: validate(route.query, request.query) };
    const asked = { input, key: `${route.path} ${JSON.stringify(input)}` };
    if (request.url.length <= URL_CHARACTERS_MAX) remembered.set(request.url, asked);
    return asked;
  };
}
