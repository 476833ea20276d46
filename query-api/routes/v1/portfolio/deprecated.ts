/** What deprecated routes return in their headers. */
import { CustomResponse } from '../../route.ts';

/** 2026-01-01, unix seconds. */
const DEPRECATED_SINCE = 1_767_225_600;

/** For the declaration of a route. */
export const deprecationHeaders = {
  Deprecation: 'Since when the route is deprecated (RFC 9745).',
  Link: 'The route that takes its place, with the relation `successor-version`.',
} as const;

/** @param successor path of the route that takes its place. */
export function deprecatedResponse<R>(successor: string, body: R): CustomResponse<R> {
  const link = `<${successor}>; rel="successor-version"`;
  return new CustomResponse(200, body, ['Deprecation', `@${DEPRECATED_SINCE}`, 'Link', link]);
}
