/**
 * From a token to its key. A secret that was checked before on this node costs a keyed digest; one that was not costs
 * a hash, of which only so many run at a time, so that wrong secrets cannot slow everyone else down.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { LRUCache } from 'lru-cache';
import type { Key } from '#schemas/domain/control/state';
import { ApiError } from '#schemas/errors';
import type { ControlHost } from './control-host.ts';
import { verifySecret } from './secret-hash.ts';
import { parseToken, type Token } from './token.ts';

/** Hashes at a time: half the cores, so that requests always have the other half. */
const HASHES_MAX = Math.max(1, Math.floor(availableParallelism() / 2));
/** Longest wait for a place to hash in. */
const HASH_WAIT_MS = 2_000;
/** Hashes a second that one key id may cause. */
const HASHES_PER_KEY_PER_SECOND = 5;
const RETRY_AFTER_SECONDS = 1;
const KNOWN_MAX = 100_000;

export interface Authenticated {
  readonly key: Key;
}

export interface Authenticator {
  /** Null for a token that is not good. Throws an `ApiError` (503) when too many secrets wait to be checked. */
  authenticate(token: string): Promise<Authenticated | null>;
  /** Like `authenticate`, without waiting: undefined when the secret has to be hashed first. */
  authenticateKnown(token: string): Authenticated | null | undefined;
  /** Takes a secret that was just made here as checked. */
  remember(token: Token): void;
}

export function createAuthenticator(host: ControlHost): Authenticator {
  const digestKey = randomBytes(32);
  const digestOf = (secret: string) => createHmac('sha256', digestKey).update(secret).digest();
  /** Digests of good secrets, by key id. */
  const known = new LRUCache<string, Buffer>({ max: KNOWN_MAX });
  const hashing = new HashSlots();

  const authenticateKnown = (text: string): Authenticated | null | undefined => {
    const token = parseToken(text);
    if (!token) return null;
    const key = host.state.keys.get(token.keyId);
    if (!key || key.sandbox !== token.sandbox) return null;
    const digest = known.get(token.keyId);
    return digest && timingSafeEqual(digest, digestOf(token.secret)) ? { key } : undefined;
  };

  return {
    authenticateKnown,
    remember: (token) => void known.set(token.keyId, digestOf(token.secret)),
    async authenticate(text) {
      const quick = authenticateKnown(text);
      if (quick !== undefined) return quick;
      const token = parseToken(text)!;
      const key = host.state.keys.get(token.keyId)!;
      const good = await hashing.run(token.keyId, () => verifySecret(token.secret, key.secret));
      // The key may have been revoked while its secret was hashed.
      if (!good || !host.state.keys.has(token.keyId)) return null;
      known.set(token.keyId, digestOf(token.secret));
      return { key };
    },
  };
}

/** Bounds how many hashes run, wait, and are caused by one key id. */
class HashSlots {
  private running = 0;
  private readonly waiting: (() => void)[] = [];
  private readonly recent = new LRUCache<string, number[]>({ max: 10_000 });

  async run(keyId: string, hash: () => Promise<boolean>): Promise<boolean> {
    this.countAgainst(keyId);
    if (this.running >= HASHES_MAX) await this.waitForPlace();
    this.running += 1;
    try {
      return await hash();
    } finally {
      this.running -= 1;
      this.waiting.shift()?.();
    }
  }

  private countAgainst(keyId: string): void {
    const now = Date.now();
    const times = (this.recent.get(keyId) ?? []).filter((time) => now - time < 1_000);
    if (times.length >= HASHES_PER_KEY_PER_SECOND) throw busy();
    this.recent.set(keyId, [...times, now]);
  }

  private waitForPlace(): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(enter), 1);
        reject(busy());
      }, HASH_WAIT_MS);
      this.waiting.push(enter);
    });
  }
}

function busy(): ApiError {
  return new ApiError('internal_error', 'too many secrets are being checked; try again', {
    status: 503,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
