import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** How far the clock of the sender may differ; an older delivery could be a repeated one. */
const TOLERANCE_SECONDS = 5 * 60;
const SECRET_PREFIX = 'whsec_';
const VERSION_PREFIX = 'v1,';

/**
 * True if a delivery was signed with the secret in the last five minutes (Standard Webhooks 1.0).
 * It shares no code with the sender, so that it finds an error of the sender's.
 * @param body as it was received: its bytes are signed.
 * @param now unix ms.
 */
export function isAuthentic(headers: IncomingHttpHeaders, body: Buffer, secret: string, now = Date.now()): boolean {
  const timestamp = String(headers['webhook-timestamp']);
  if (!(Math.abs(now / 1_000 - Number(timestamp)) < TOLERANCE_SECONDS)) return false;
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const expected = createHmac('sha256', key)
    .update(`${String(headers['webhook-id'])}.${timestamp}.`)
    .update(body)
    .digest();
  return String(headers['webhook-signature'])
    .split(' ')
    .filter((part) => part.startsWith(VERSION_PREFIX))
    .map((part) => Buffer.from(part.slice(VERSION_PREFIX.length), 'base64'))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
}
