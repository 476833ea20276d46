import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import type { SecretHash } from '#schemas/domain/control/state';

const N = 16_384;
const R = 8;
const P = 1;
const HASH_BYTES = 32;
const SALT_BYTES = 16;

function derive(secret: string, salt: Buffer, { N, r, p }: Pick<SecretHash, 'N' | 'r' | 'p'>): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Twice what these parameters need; the default limit would refuse stronger parameters.
    scrypt(secret, salt, HASH_BYTES, { N, r, p, maxmem: 256 * N * r * p }, (error, hash) =>
      error ? reject(error) : resolve(hash),
    );
  });
}

/** Hashes a secret for storage. */
export async function hashSecret(secret: string): Promise<SecretHash> {
  const salt = randomBytes(SALT_BYTES);
  const parameters = { N, r: R, p: P };
  const hash = await derive(secret, salt, parameters);
  return { algorithm: 'scrypt', ...parameters, salt: salt.toString('base64url'), hash: hash.toString('base64url') };
}

/** Compares a secret with a stored hash in constant time. */
export async function verifySecret(secret: string, stored: SecretHash): Promise<boolean> {
  const hash = await derive(secret, Buffer.from(stored.salt, 'base64url'), stored);
  return timingSafeEqual(hash, Buffer.from(stored.hash, 'base64url'));
}
