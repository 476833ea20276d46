/**
 * Validators of cached responses: weak ETag, Cache-Control and Age, and 304 for a client that has the current body
 * (contract, venue_a markets). The tag is computed once for each cached body.
 */
import { createHash } from 'node:crypto';
import type { Route } from '../routes/route.ts';
import type { HeaderList } from './send.ts';

/** Length of the digest in a tag. */
const TAG_LENGTH = 22;
const CONDITIONAL_FAMILIES = ['/v1/markets/venue_a/', '/v1/venue_a/info/', '/v1/events/:universalId/candles'];

/** True if the cached responses of a route carry validators. */
export function isConditional({ method, path, cacheTtlMs }: Pick<Route, 'method' | 'path' | 'cacheTtlMs'>): boolean {
  return method === 'GET' && cacheTtlMs > 0 && CONDITIONAL_FAMILIES.some((family) => path.startsWith(family));
}

/** What clients need in order to cache a body themselves. */
export interface Validators {
  readonly etag: string;
  /** Without `Age`, which differs between requests. */
  readonly headers: HeaderList;
  /** When the body was produced, on the clock of the response cache, ms. */
  readonly producedAt: number;
}

/** The weak tag of a body, with its quotes. */
export function etagOf(body: Buffer): string {
  return `W/"${createHash('sha256').update(body).digest('base64url').slice(0, TAG_LENGTH)}"`;
}

/** @param producedAt when the body was produced, on the clock of the response cache, ms. */
export function validatorsOf(body: Buffer, lifetimeMs: number, producedAt: number): Validators {
  const etag = etagOf(body);
  const maxAge = Math.floor(lifetimeMs / 1_000);
  return { etag, headers: ['etag', etag, 'cache-control', `private, max-age=${maxAge}`], producedAt };
}

/** The headers of a response at a time of the response cache, ms. */
export function headersAt({ headers, producedAt }: Validators, now: number): HeaderList {
  return [...headers, 'age', String(Math.max(0, Math.floor((now - producedAt) / 1_000)))];
}

/** True if `If-None-Match` names the tag; weak comparison (RFC 9110, 13.1.2). */
export function matchesTag(ifNoneMatch: string | undefined, { etag }: Pick<Validators, 'etag'>): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const opaque = etag.slice(2);
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === opaque);
}
