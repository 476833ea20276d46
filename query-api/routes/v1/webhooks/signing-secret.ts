import { randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

/** Generates a signing secret: `whsec_` and base64 of 32 random bytes (Standard Webhooks). */
export function makeSigningSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}
