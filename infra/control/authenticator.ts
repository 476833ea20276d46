/**
 * Finds the key of a token. A secret that was checked before on this node costs a keyed digest; another one costs a
 * hash, of which a limited number run at a time.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type ActiveKey, activeKey } from '#schemas/domain/control/lookups';
import type { ControlState, SecretHash } from '#schemas/domain/control/state';
import { unavailable } from '#schemas/errors';
import type { ControlReplica } from './control-replica.ts';
import { HashBusyError, HashLimiter } from './hash-limiter.ts';
import { hashSecret, verifySecret } from './secret-hash.ts';
import { parseToken, type Token } from './token.ts';

/** Keys whose secret was verified here; one that is evicted costs a hash again. */
const KNOWN_KEYS_MAX = 100_000;
/** Wrong secrets that were checked here, so that a client that keeps sending one costs nothing. */
const KNOWN_WRONG_MAX = 10_000;

export type Authenticated = ActiveKey;

export interface Authenticator {
  /**
   * Returns the key of a token, or null if the token is not valid. Rejects with an `ApiError` (503) when too many
   * secrets wait to be checked, and while this node may not know of revocations (`ControlReplica.isCurrent`).
   */
  authenticate(token: string): Promise<Authenticated | null>;
  /** Like `authenticate`, without waiting (it throws): undefined when the secret has to be hashed first. */
  authenticateKnown(token: string): Authenticated | null | undefined;
  /**
   * Checks again a key that was authenticated before by the same token. Returns the key as it is now, or null once it
   * was revoked or its organization suspended. Throws like `authenticateKnown`. Costs no digest.
   */
  authenticateAgain(before: Authenticated): Authenticated | null;
  /**
   * Hashes the secret of an organization's new key, within the limits that also hold for checks. Rejects with an
   * `ApiError` (503) when too many secrets wait, of everyone or of this organization.
   */
  hashNewSecret(orgId: string, secret: string): Promise<SecretHash>;
  /** Marks a secret that was just generated or verified here as valid. */
  remember(token: Token): void;
}

type ReplicaState = Pick<ControlReplica, 'state' | 'isCurrent'>;

/** Authenticators by the state of their replica, which all its users share. */
const authenticators = new WeakMap<ControlState, Authenticator>();

/** The authenticator of a replica: one for all roles of the process, so that they share verified secrets. */
export function createAuthenticator(replica: ReplicaState): Authenticator {
  const existing = authenticators.get(replica.state);
  if (existing) return existing;
  const authenticator = new ReplicaAuthenticator(replica, new HashLimiter());
  authenticators.set(replica.state, authenticator);
  return authenticator;
}

/** Exported for tests; roles use `createAuthenticator`. */
export class ReplicaAuthenticator implements Authenticator {
  private readonly replica: ReplicaState;
  private readonly limiter: HashLimiter;
  private readonly digestKey = randomBytes(32).toString('base64url');
  /** Digests of verified secrets, by key id. */
  private readonly verified = new LRUCache<string, Buffer>({ max: KNOWN_KEYS_MAX });
  /** Wrong secrets, by key id and digest. */
  private readonly wrong = new LRUCache<string, true>({ max: KNOWN_WRONG_MAX });
  /** Running checks, by key id and digest: concurrent requests with the same token share one. */
  private readonly pendingChecks = new Map<string, Promise<boolean>>();

  constructor(replica: ReplicaState, limiter: HashLimiter) {
    this.replica = replica;
    this.limiter = limiter;
  }

  authenticateKnown(text: string): Authenticated | null | undefined {
    const token = parseToken(text);
    const found = token && this.keyOf(token);
    if (!found) return null;
    const verified = this.verified.get(token.keyId);
    if (verified) return timingSafeEqual(verified, this.digestOf(token.secret)) ? found : null;
    return this.wrong.has(this.checkId(token)) ? null : undefined;
  }

  authenticateAgain({ key }: Authenticated): Authenticated | null {
    return this.keyOf({ keyId: key.id, sandbox: key.sandbox });
  }

  async authenticate(text: string): Promise<Authenticated | null> {
    const quick = this.authenticateKnown(text);
    if (quick !== undefined) return quick;
    const token = parseToken(text)!;
    const id = this.checkId(token);
    const check = this.pendingChecks.get(id) ?? this.check(token, id);
    const verified = await check.catch(busyAsUnavailable);
    // The key may have been revoked while its secret was being hashed.
    return verified ? this.keyOf(token) : null;
  }

  hashNewSecret(orgId: string, secret: string): Promise<SecretHash> {
    return this.limiter.runForNewKey(orgId, () => hashSecret(secret)).catch(busyAsUnavailable);
  }

  remember(token: Token): void {
    this.verified.set(token.keyId, this.digestOf(token.secret));
  }

  private check(token: Token, id: string): Promise<boolean> {
    const { secret } = this.keyOf(token)!.key;
    const check = this.limiter
      .run(token.keyId, () => verifySecret(token.secret, secret))
      .then((verified) => {
        if (verified) this.remember(token);
        else this.wrong.set(id, true);
        return verified;
      })
      .finally(() => this.pendingChecks.delete(id));
    this.pendingChecks.set(id, check);
    return check;
  }

  /** Throws 503 while keys of this node may be revoked, or new ones may be missing. */
  private keyOf({ keyId, sandbox }: Pick<Token, 'keyId' | 'sandbox'>): Authenticated | null {
    if (!this.replica.isCurrent) throw unavailable('this node cannot check keys at the moment; try again');
    const active = activeKey(this.replica.state, keyId);
    return active && active.key.sandbox === sandbox ? active : null;
  }

  /**
   * SHA-256 over a random key of this process and the secret. All secrets have one length and no digest leaves the
   * process, so this is as good as an HMAC, whose objects cost a request more than all the rest. Digests are compared
   * in constant time nevertheless.
   */
  private digestOf(secret: string): Buffer {
    return hash('sha256', this.digestKey + secret, 'buffer');
  }

  private checkId({ keyId, secret }: Token): string {
    return `${keyId} ${this.digestOf(secret).toString('hex')}`;
  }
}

function busyAsUnavailable(error: unknown): never {
  throw error instanceof HashBusyError ? unavailable(`${error.message}; try again`, error) : error;
}
