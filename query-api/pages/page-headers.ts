/** Headers of every response of the portal (contract, Portal). Scripts, styles and connections come from here only. */
import type { HeaderList } from '../http/send.ts';

/** @param streamOrigin origin of the WebSocket gateway, which pages connect to; null if it is unknown. */
export function pageHeaders(streamOrigin: string | null): HeaderList {
  return ['content-security-policy', contentPolicy(streamOrigin), ...FIXED];
}

const FIXED: HeaderList = [
  'referrer-policy',
  'no-referrer',
  'cross-origin-opener-policy',
  'same-origin',
  'cross-origin-resource-policy',
  'same-origin',
  'permissions-policy',
  'camera=(), microphone=(), geolocation=()',
];

function contentPolicy(streamOrigin: string | null): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self'${streamOrigin === null ? '' : ` ${streamOrigin}`}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/** The origin of a URL as a policy names it; null for a URL that cannot be parsed, as with an invalid `Host`. */
export function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null;
}
