/** What a route is called in the OpenAPI document, and which errors it can answer, as its declaration implies. */
import type { ErrorCode } from '#schemas/errors';
import { missingScopeCode, type Route } from '../routes/route.ts';

/** `/v1/events/:universalId/spread` as `/v1/events/{universalId}/spread`. */
export function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

/** `GET /v1/events/:universalId/spread` as `getEventsUniversalIdSpread`. */
export function operationId({ method, path }: Pick<Route, 'method' | 'path'>): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '' && word !== 'v1');
  return method.toLowerCase() + words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
}

/** Statuses of errors with their codes, in the order of the statuses. */
export function errorStatuses(route: Route): [number, ErrorCode[]][] {
  const hasParameters = /:\w/.test(route.path);
  const changes = route.method !== 'GET';
  const statuses: [number, ErrorCode[]][] = [[400, ['bad_request', 'validation_failed']]];
  if (route.scope !== null) statuses.push([401, ['unauthenticated']]);
  if (route.scope !== null) statuses.push([403, [missingScopeCode(route)]]);
  if (hasParameters || route.scope === 'any') statuses.push([404, [notFoundCode(route)]]);
  if (changes) statuses.push([409, ['conflict']]);
  if (route.body) statuses.push([413, ['validation_failed']]);
  if (route.creates) statuses.push([422, ['validation_failed']]);
  // Without a quota it is the bound on commands that refuses (`http/command-rate.ts`).
  if (route.sku || (route.isOwn && changes)) statuses.push([429, ['quota_exceeded']]);
  statuses.push([500, ['internal_error']], [503, ['internal_error']]);
  for (const upstream of route.upstreamStatuses) {
    const codes = statuses.find(([status]) => status === upstream)?.[1];
    if (codes) codes.push('upstream_unavailable');
    else statuses.push([upstream, ['upstream_unavailable']]);
  }
  return statuses.sort(([one], [other]) => one - other);
}

function notFoundCode({ path }: Route): ErrorCode {
  return path.startsWith('/v1/markets/') ? 'unknown_coin' : 'not_found';
}
