import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { putKey, putOrganization } from '#schemas/domain/control/indices';
import {
  type ControlState,
  initialControlState,
  type Key,
  SCOPES,
  type SecretHash,
} from '#schemas/domain/control/state';
import { createAuthenticator, ReplicaAuthenticator } from './authenticator.ts';
import { HASH_LIMITS, HashLimiter } from './hash-limiter.ts';
import { hashSecret, verifySecret } from './secret-hash.ts';
import { formatToken, mintToken, type Token } from './token.ts';

const ORGANIZATION = { id: 'org_1', name: 'One', plan: 'pro', createdAt: '2026-01-01T00:00:00.000Z' } as const;
const token = mintToken();
let secret: SecretHash;
beforeAll(async () => {
  secret = await hashSecret(token.secret);
});

/** Counts the hashes that run. */
class CountingLimiter extends HashLimiter {
  hashes = 0;
  override run<T>(keyId: string, hash: () => Promise<T>): Promise<T> {
    return super.run(keyId, () => {
      this.hashes += 1;
      return hash();
    });
  }
}

let state: ControlState;
let limiter: CountingLimiter;
let replica: { state: ControlState; isCurrent: boolean };
let authenticator: ReplicaAuthenticator;
beforeEach(() => {
  state = initialControlState();
  putOrganization(state, ORGANIZATION);
  putKey(state, keyOf(token));
  replica = { state, isCurrent: true };
  limiter = new CountingLimiter(HASH_LIMITS);
  authenticator = new ReplicaAuthenticator(replica, limiter);
});

function keyOf({ keyId, sandbox }: Token): Key {
  const { id: orgId, createdAt } = ORGANIZATION;
  return { id: keyId, orgId, name: 'k', userId: 'u', scopes: SCOPES, sandbox, secret, createdAt };
}
const wrong = (char: string) => formatToken({ ...token, secret: char.repeat(43) });

describe('a good token', () => {
  it('is accepted with its key and organization, after one hash', async () => {
    expect(authenticator.authenticateKnown(formatToken(token))).toBeUndefined();
    const found = await authenticator.authenticate(formatToken(token));
    expect(found).toEqual({ key: keyOf(token), organization: ORGANIZATION });
    expect(authenticator.authenticateKnown(formatToken(token))).toEqual(found);
    await authenticator.authenticate(formatToken(token));
    expect(limiter.hashes).toBe(1);
  });

  it('costs one hash for any number of concurrent requests', async () => {
    const requests = Array.from({ length: 50 }, () => authenticator.authenticate(formatToken(token)));
    for (const found of await Promise.all(requests)) expect(found?.key.id).toBe(token.keyId);
    expect(limiter.hashes).toBe(1);
  });

  it('costs no hash if it was generated here', () => {
    authenticator.remember(token);
    expect(authenticator.authenticateKnown(formatToken(token))?.key.id).toBe(token.keyId);
    expect(limiter.hashes).toBe(0);
  });

  it('is refused after its key was removed, also while its secret is being hashed', async () => {
    const requests = authenticator.authenticate(formatToken(token));
    state.keys.delete(token.keyId);
    expect(await requests).toBeNull();
    expect(authenticator.authenticateKnown(formatToken(token))).toBeNull();
  });

  it('is refused while its organization is suspended, also if its secret was verified before', async () => {
    authenticator.remember(token);
    const before = authenticator.authenticateKnown(formatToken(token))!;
    putOrganization(state, { ...ORGANIZATION, suspended: true });
    expect(authenticator.authenticateKnown(formatToken(token))).toBeNull();
    expect(await authenticator.authenticate(formatToken(token))).toBeNull();
    expect(authenticator.authenticateAgain(before)).toBeNull();
    putOrganization(state, ORGANIZATION);
    expect(authenticator.authenticateAgain(before)).toEqual(before);
  });

  it('is refused without its organization', () => {
    authenticator.remember(token);
    state.organizations.clear();
    expect(authenticator.authenticateKnown(formatToken(token))).toBeNull();
  });
});

describe('a bad token', () => {
  it('costs nothing if it is malformed or names no key', async () => {
    for (const text of ['', 'nonsense', formatToken(mintToken()), formatToken({ ...token, sandbox: true })])
      expect(await authenticator.authenticate(text)).toBeNull();
    expect(limiter.hashes).toBe(0);
  });

  it('costs a hash once', async () => {
    expect(await authenticator.authenticate(wrong('a'))).toBeNull();
    expect(authenticator.authenticateKnown(wrong('a'))).toBeNull();
    expect(await authenticator.authenticate(wrong('a'))).toBeNull();
    expect(limiter.hashes).toBe(1);
  });

  it('costs nothing once the right secret of its key is known', async () => {
    authenticator.remember(token);
    for (const char of 'abcdefgh') expect(authenticator.authenticateKnown(wrong(char))).toBeNull();
    expect(limiter.hashes).toBe(0);
  });

  it('of one key is hashed five times a second, then answered with 503, and delays no verified token', async () => {
    const requests = [...'abcdefgh'].map((char) => authenticator.authenticate(wrong(char)).catch((error) => error));
    const answers = await Promise.all(requests);
    expect(answers.slice(0, 5)).toEqual(Array(5).fill(null));
    for (const error of answers.slice(5))
      expect(error).toMatchObject({ code: 'internal_error', status: 503, retryAfterSeconds: 1 });
    authenticator.remember(token);
    expect(authenticator.authenticateKnown(formatToken(token))?.key.id).toBe(token.keyId);
  });
});

describe('the secret of a new key', () => {
  it('is hashed in the same slots as checks, a few for one organization', async () => {
    const one = new HashLimiter({ ...HASH_LIMITS, concurrent: 1, newPerOrganization: 1, waiting: 1 });
    const busy = new ReplicaAuthenticator(replica, one);
    const REFUSAL = { code: 'internal_error', status: 503, retryAfterSeconds: 1 };
    const hashed = busy.hashNewSecret('org_1', token.secret);
    await expect(busy.hashNewSecret('org_1', token.secret)).rejects.toMatchObject(REFUSAL);
    const check = busy.authenticate(formatToken(token));
    await expect(busy.hashNewSecret('org_2', token.secret)).rejects.toMatchObject(REFUSAL);
    expect(await verifySecret(token.secret, await hashed)).toBe(true);
    expect((await check)?.key.id).toBe(token.keyId);
  });
});

describe('the roles of one process', () => {
  it('share verified secrets', () => {
    createAuthenticator(replica).remember(token);
    expect(createAuthenticator({ ...replica }).authenticateKnown(formatToken(token))?.key.id).toBe(token.keyId);
  });
});
