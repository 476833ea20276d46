/**
 * From a token to its key. A secret that was checked before on this node costs a keyed digest; one that was not costs
 * a hash, of which only so many run at a time.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type GoodKey, goodKey } from '#schemas/domain/control/lookups';
import type { ControlState, SecretHash } from '#schemas/domain/control/state';
import { unavailable } from '#schemas/errors';
import type { ControlHost } from './control-host.ts';
import { HashBusyError, HashSlots } from './hash-slots.ts';
import { hashSecret, verifySecret } from './secret-hash.ts';
import { parseToken, type Token } from './token.ts';

/** Keys whose secret was checked here; one that falls out costs a hash again. */
const KNOWN_KEYS_MAX = 100_000;
/** Wrong secrets that were checked here, so that a client that goes on sending one costs nothing. */
const KNOWN_WRONG_MAX = 10_000;

export type Authenticated = GoodKey;

export interface Authenticator {
  /**
   * Null for a token that is not good. Rejects with an `ApiError` (503) when too many secrets wait to be checked, and
   * while this node cannot vouch for any key because it may not know of its revocation (`ControlHost.isCurrent`).
   */
  authenticate(token: string): Promise<Authenticated | null>;
  /** Like `authenticate`, without waiting (it throws): undefined when the secret has to be hashed first. */
  authenticateKnown(token: string): Authenticated | null | undefined;
  /**
   * Whether what was authenticated before, by a token that has not changed since, still is: with the key as it is now,
   * or null once it was revoked or its organization suspended. Throws as `authenticateKnown` does. Costs no digest.
   */
  authenticateAgain(before: Authenticated): Authenticated | null;
  /**
   * Hashes the secret of a new key that an organization makes, within the bounds that hold for checks too. Rejects with an
   * `ApiError` (503) when too many secrets wait, of everyone or of this organization.
   */
  hashNew(orgId: string, secret: string): Promise<SecretHash>;
  /** Takes a secret that was just made or checked here as good. */
  remember(token: Token): void;
}

type HostState = Pick<ControlHost, 'state' | 'isCurrent'>;

/** By the state, which all who opened the host share. */
const authenticators = new WeakMap<ControlState, Authenticator>();

/** The authenticator of a host: one for all roles of the process, so that what one has checked the others know. */
export function createAuthenticator(host: HostState): Authenticator {
  const existing = authenticators.get(host.state);
  if (existing) return existing;
  const made = new HostAuthenticator(host, new HashSlots());
  authenticators.set(host.state, made);
  return made;
}

/** Exported for tests; roles go by `createAuthenticator`. */
export class HostAuthenticator implements Authenticator {
  private readonly host: HostState;
  private readonly slots: HashSlots;
  private readonly digestKey = randomBytes(32).toString('base64url');
  /** Digest of the secret, by key id. */
  private readonly good = new LRUCache<string, Buffer>({ max: KNOWN_KEYS_MAX });
  /** By key id and digest. */
  private readonly wrong = new LRUCache<string, true>({ max: KNOWN_WRONG_MAX });
  /** Checks under way, by key id and digest: many requests of a client that starts share one. */
  private readonly underWay = new Map<string, Promise<boolean>>();

  constructor(host: HostState, slots: HashSlots) {
    this.host = host;
    this.slots = slots;
  }

  authenticateKnown(text: string): Authenticated | null | undefined {
    const token = parseToken(text);
    const found = token && this.keyOf(token);
    if (!found) return null;
    const good = this.good.get(token.keyId);
    if (good) return timingSafeEqual(good, this.digestOf(token.secret)) ? found : null;
    return this.wrong.has(this.checkName(token)) ? null : undefined;
  }

  authenticateAgain({ key }: Authenticated): Authenticated | null {
    return this.keyOf({ keyId: key.id, sandbox: key.sandbox });
  }

  async authenticate(text: string): Promise<Authenticated | null> {
    const quick = this.authenticateKnown(text);
    if (quick !== undefined) return quick;
    const token = parseToken(text)!;
    const name = this.checkName(token);
    const check = this.underWay.get(name) ?? this.check(token, name);
    const good = await check.catch(busyAsUnavailable);
    // The key may have been revoked while its secret was hashed.
    return good ? this.keyOf(token) : null;
  }

  hashNew(orgId: string, secret: string): Promise<SecretHash> {
    return this.slots.runNew(orgId, () => hashSecret(secret)).catch(busyAsUnavailable);
  }

  remember(token: Token): void {
    this.good.set(token.keyId, this.digestOf(token.secret));
  }

  private check(token: Token, name: string): Promise<boolean> {
    const { secret } = this.keyOf(token)!.key;
    const check = this.slots
      .run(token.keyId, () => verifySecret(token.secret, secret))
      .then((good) => {
        if (good) this.remember(token);
        else this.wrong.set(name, true);
        return good;
      })
      .finally(() => this.underWay.delete(name));
    this.underWay.set(name, check);
    return check;
  }

  /** Throws 503 while keys that this node holds may be revoked, and keys that it lacks may exist. */
  private keyOf({ keyId, sandbox }: Pick<Token, 'keyId' | 'sandbox'>): Authenticated | null {
    if (!this.host.isCurrent) throw unavailable('this node cannot check keys now; try again');
    const good = goodKey(this.host.state, keyId);
    return good && good.key.sandbox === sandbox ? good : null;
  }

  /**
   * SHA-256 over a key that lives as long as the process, and the secret. All secrets have one length and no digest is
   * told to anyone, so this is as good as an HMAC, whose objects cost a request more than all the rest of it. Digests
   * are compared in constant time all the same.
   */
  private digestOf(secret: string): Buffer {
    return hash('sha256', this.digestKey + secret, 'buffer');
  }

  private checkName({ keyId, secret }: Token): string {
    return `${keyId} ${this.digestOf(secret).toString('hex')}`;
  }
}

function busyAsUnavailable(error: unknown): never {
  throw error instanceof HashBusyError ? unavailable(`${error.message}; try again`, error) : error;
}
