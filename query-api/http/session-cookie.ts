/** The cookie of portal sessions (the contract, Portal session). The log and the state hold its digest only. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

const NAME = 'plx_session';
const VALUE = /^[\w-]{43}$/;
const MAX_AGE_SECONDS = 12 * 60 * 60;
/** What a browser takes for the machine itself: there nothing passes over a network, and there is no TLS. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/** The value of a new cookie: 32 random bytes. */
export function mintCookie(): string {
  return randomBytes(32).toString('base64url');
}

/** The value of the session cookie in a `Cookie` header; null when there is none that can be one. */
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

/** Under which the session is found. */
export function digestOf(cookie: string): string {
  return hash('sha256', cookie, 'base64url');
}

/** What `X-Parallax-Csrf` must say beside the cookie: whoever only makes a browser send the cookie cannot know it. */
export function csrfOf(cookie: string): string {
  return hash('sha256', `csrf ${cookie}`, 'base64url');
}

/** Compares in constant time. */
export function isCsrfOf(cookie: string, given: string | string[] | undefined): boolean {
  if (typeof given !== 'string') return false;
  const [expected, actual] = [Buffer.from(csrfOf(cookie)), Buffer.from(given)];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/** `Set-Cookie` of a new session; null clears it. */
export function setCookie(cookie: string | null, host: string): string {
  const secure = LOOPBACK.test(host) ? '' : '; Secure';
  const age = cookie === null ? 0 : MAX_AGE_SECONDS;
  return `${NAME}=${cookie ?? ''}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`;
}
