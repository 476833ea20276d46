/** The cookie of portal sessions (contract, Portal session). The log and the state hold only its digest. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

const NAME = 'plx_session';
const VALUE = /^[\w-]{43}$/;
const MAX_AGE_SECONDS = 12 * 60 * 60;
/** Loopback hosts: their traffic does not pass over a network, and they have no TLS. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/** Generates the value of a new cookie: 32 random bytes. */
export function mintCookie(): string {
  return randomBytes(32).toString('base64url');
}

/** The value of the session cookie in a `Cookie` header; null if there is none of the right form. */
export function readCookie(header: string | undefined): string | null {
  if (header === undefined) return null;
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at < 0 || pair.slice(0, at).trim() !== NAME) continue;
    const value = pair.slice(at + 1).trim();
    if (VALUE.test(value)) return value;
  }
  return null;
}

/** The digest under which the session is stored. */
export function digestOf(cookie: string): string {
  return hash('sha256', cookie, 'base64url');
}

/**
 * The required value of `X-Parallax-Csrf`: a foreign page can make a browser send the cookie, but cannot know this
 * value.
 */
export function csrfOf(cookie: string): string {
  return hash('sha256', `csrf ${cookie}`, 'base64url');
}

/** True if the header has the CSRF value of the cookie. Compares in constant time. */
export function isCsrfOf(cookie: string, header: string | string[] | undefined): boolean {
  if (typeof header !== 'string') return false;
  const [expected, actual] = [Buffer.from(csrfOf(cookie)), Buffer.from(header)];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/** The `Set-Cookie` header of a new session; null clears the cookie. */
export function setCookie(cookie: string | null, host: string): string {
  const secure = LOOPBACK.test(host) ? '' : '; Secure';
  const age = cookie === null ? 0 : MAX_AGE_SECONDS;
  return `${NAME}=${cookie ?? ''}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`;
}
