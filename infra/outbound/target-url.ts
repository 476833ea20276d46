/**
 * Decides by its text if a URL may be a target: when a tenant sets it, and again before each request. The addresses of its
 * name are evaluated at each request (`guarded-request.ts`). Pure.
 */
import { isIP } from 'node:net';
import { parseUrl } from '../runtime/parse-url.ts';
import { evaluateAddress, type Reach } from './address-policy.ts';

/** Maximum characters of a URL, both original and normalised. */
const TARGET_URL_MAX = 2_048;

/** The parsed parts of a URL that may be a target. */
export interface Target {
  /** The normalised URL, without a fragment. */
  readonly href: string;
  /** A name without a trailing dot, or an address without brackets. */
  readonly host: string;
  /** True if `host` is an address. */
  readonly literal: boolean;
  readonly port: number;
  /** True if the connection uses TLS. */
  readonly secure: boolean;
  /** Path and query. */
  readonly path: string;
  /** The value of the `Host` header. */
  readonly authority: string;
  readonly reach: Reach;
}

export type TargetVerdict =
  | { readonly ok: true; readonly target: Target }
  /** `message` names the field `url` and may be sent to the client. */
  | { readonly ok: false; readonly message: string };

export interface TargetRules {
  /** Test setting: `localhost` and loopback addresses may be targets too, also with plain http. */
  readonly allowLoopback?: boolean;
}

/** Below this port only 443 is allowed: system services listen there, and none of them receives webhooks. */
const FIRST_FREE_PORT = 1_024;
/** The ports from 1024 that browsers refuse because other protocols listen there (Fetch standard, port blocking). */
const BAD_PORTS = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);
/** Names that mean this machine or this network by definition (RFC 6761, 6762, 8375; ICANN for `internal`). */
const LOCAL_NAME = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)$/;
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})+$/;

const refused = (problem: string): TargetVerdict => ({ ok: false, message: `url: ${problem}` });

/** Evaluates a URL by its text. Addresses are recognized in every radix and notation of the URL standard. */
export function evaluateTargetUrl(text: string, { allowLoopback = false }: TargetRules = {}): TargetVerdict {
  if (text.length > TARGET_URL_MAX) return refused(`must have at most ${TARGET_URL_MAX} characters`);
  // Parsers disagree about these or drop them silently, so the checked URL could differ from the one that is called.
  if (hasOddCharacter(text)) return refused('must hold no spaces, control characters or backslashes');
  if (!/^https?:\/\/[^/?#]/i.test(text)) return refused('must be an absolute https URL');
  if (/^[^/]*\/\/[^/?#]*@/.test(text)) return refused('must hold no credentials');
  const url = parseUrl(text);
  if (!url) return refused('is not a valid URL');
  url.hash = '';
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  if (url.href.length > TARGET_URL_MAX) return refused(`must have at most ${TARGET_URL_MAX} characters once encoded`);

  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const literal = isIP(host) !== 0;
  const reach: Reach = allowLoopback && isLoopbackHost(host) ? 'loopback' : 'public';
  const fault = hostFault(host, literal, reach);
  if (fault) return refused(fault);
  const secure = url.protocol === 'https:';
  if (!secure && reach !== 'loopback') return refused('must be an https URL');
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  if (!isAllowedPort(port)) return refused(`port ${port} is not allowed; use 443 or one from ${FIRST_FREE_PORT}`);
  const { href, host: authority, pathname, search } = url;
  return { ok: true, target: { href, host, literal, port, secure, path: pathname + search, authority, reach } };
}

function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || evaluateAddress(host, 'loopback').allowed;
}

function hostFault(host: string, literal: boolean, reach: Reach): string | null {
  if (reach === 'loopback') return null;
  if (literal) {
    const verdict = evaluateAddress(host);
    return verdict.allowed ? null : `the address may never be reached (${verdict.reason})`;
  }
  if (LOCAL_NAME.test(host)) return 'names of the local machine or network may never be reached';
  return HOST_NAME.test(host) ? null : 'the host must be a full domain name or a public address';
}

function isAllowedPort(port: number): boolean {
  return port === 443 || (port >= FIRST_FREE_PORT && !BAD_PORTS.has(port));
}

function hasOddCharacter(text: string): boolean {
  for (const character of text) if (character <= ' ' || character === '\\' || character === '\u007f') return true;
  return false;
}
