/** Names of a route in the OpenAPI document, and the errors that follow from its declaration. */
import type { ErrorCode } from '#schemas/errors';
import { missingScopeCode, type Route } from '../routes/route.ts';

/** Converts `/v1/events/:universalId/spread` to `/v1/events/{universalId}/spread`. */
export function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

/** Converts `GET /v1/events/:universalId/spread` to `getEventsUniversalIdSpread`. */
export function operationId({ method, path }: Pick<Route, 'method' | 'path'>): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '' && word !== 'v1');
  return method.toLowerCase() + words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
}

/** Error statuses with their codes, sorted by status. */
export function errorStatuses(route: Route): [number, ErrorCode[]][] {
  const hasParameters = /:\w/.test(route.path);
  const isChange = route.method !== 'GET';
  const statuses: [number, ErrorCode[]][] = [[400, ['bad_request', 'validation_failed']]];
  if (route.scope !== null) statuses.push([401, ['unauthenticated']]);
  if (route.scope !== null) statuses.push([403, [missingScopeCode(route)]]);
  if (hasParameters || route.notFoundCodes?.length || route.scope === 'any')
    statuses.push([404, [...(route.notFoundCodes ?? ['not_found' as const])]]);
  if (isChange) statuses.push([409, ['conflict']]);
  if (route.body) statuses.push([413, ['validation_failed']]);
  if (route.creates) statuses.push([422, ['validation_failed']]);
  // Without a SKU the limit of commands applies (`http/command-rate-limiter.ts`).
  if (route.sku || (route.dependsOnCaller && isChange)) statuses.push([429, ['quota_exceeded']]);
  statuses.push([500, ['internal_error']], [503, ['internal_error']]);
  const add = (status: number, code: ErrorCode): void => {
    const codes = statuses.find(([known]) => known === status)?.[1];
    if (codes) codes.push(code);
    else statuses.push([status, [code]]);
  };
  for (const upstream of route.upstreamStatuses)
    add(upstream, upstream === 429 ? 'upstream_rate_limited' : 'upstream_unavailable');
  return statuses.sort(([one], [other]) => one - other);
}
