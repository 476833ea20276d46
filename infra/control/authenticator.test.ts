import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { putKey, putOrganization } from '#schemas/domain/control/indices';
import {
  type ControlState,
  initialControlState,
  type Key,
  SCOPES,
  type SecretHash,
} from '#schemas/domain/control/state';
import { createAuthenticator, HostAuthenticator } from './authenticator.ts';
import { HASH_LIMITS, HashSlots } from './hash-slots.ts';
import { hashSecret, verifySecret } from './secret-hash.ts';
import { formatToken, mintToken, type Token } from './token.ts';

const ORGANIZATION = { id: 'org_1', name: 'One', plan: 'pro', createdAt: '2026-01-01T00:00:00.000Z' } as const;
const token = mintToken();
let secret: SecretHash;
beforeAll(async () => {
  secret = await hashSecret(token.secret);
});

/** Counts the hashes that run. */
class CountingSlots extends HashSlots {
  hashes = 0;
  override run<T>(keyId: string, hash: () => Promise<T>): Promise<T> {
    return super.run(keyId, () => {
      this.hashes += 1;
      return hash();
    });
  }
}

let state: ControlState;
let slots: CountingSlots;
let host: { state: ControlState; isCurrent: boolean };
let authenticator: HostAuthenticator;
beforeEach(() => {
  state = initialControlState();
  putOrganization(state, ORGANIZATION);
  putKey(state, keyOf(token));
  host = { state, isCurrent: true };
  slots = new CountingSlots(HASH_LIMITS);
  authenticator = new HostAuthenticator(host, slots);
});

function keyOf({ keyId, sandbox }: Token): Key {
  const { id: orgId, createdAt } = ORGANIZATION;
  return { id: keyId, orgId, name: 'k', userId: 'u', scopes: SCOPES, sandbox, secret, createdAt };
}
const wrong = (letter: string) => formatToken({ ...token, secret: letter.repeat(43) });

describe('a good token', () => {
  it('gives its key and organization, after one hash', async () => {
    expect(authenticator.authenticateKnown(formatToken(token))).toBeUndefined();
    const found = await authenticator.authenticate(formatToken(token));
    expect(found).toEqual({ key: keyOf(token), organization: ORGANIZATION });
    expect(authenticator.authenticateKnown(formatToken(token))).toEqual(found);
    await authenticator.authenticate(formatToken(token));
    expect(slots.hashes).toBe(1);
  });

  it('costs one hash however many come with it at first', async () => {
    const asked = Array.from({ length: 50 }, () => authenticator.authenticate(formatToken(token)));
    for (const found of await Promise.all(asked)) expect(found?.key.id).toBe(token.keyId);
    expect(slots.hashes).toBe(1);
  });

  it('costs no hash where it was made here', () => {
    authenticator.remember(token);
    expect(authenticator.authenticateKnown(formatToken(token))?.key.id).toBe(token.keyId);
    expect(slots.hashes).toBe(0);
  });

  it('is refused once its key is gone, also while its secret is hashed', async () => {
    const asked = authenticator.authenticate(formatToken(token));
    state.keys.delete(token.keyId);
    expect(await asked).toBeNull();
    expect(authenticator.authenticateKnown(formatToken(token))).toBeNull();
  });

  it('is refused while its organization is suspended, also where its secret is known or was checked before', async () => {
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
  it('costs nothing where it is malformed or names no key', async () => {
    for (const text of ['', 'nonsense', formatToken(mintToken()), formatToken({ ...token, sandbox: true })])
      expect(await authenticator.authenticate(text)).toBeNull();
    expect(slots.hashes).toBe(0);
  });

  it('costs a hash once', async () => {
    expect(await authenticator.authenticate(wrong('a'))).toBeNull();
    expect(authenticator.authenticateKnown(wrong('a'))).toBeNull();
    expect(await authenticator.authenticate(wrong('a'))).toBeNull();
    expect(slots.hashes).toBe(1);
  });

  it('costs nothing once the good one of its key is known', async () => {
    authenticator.remember(token);
    for (const letter of 'abcdefgh') expect(authenticator.authenticateKnown(wrong(letter))).toBeNull();
    expect(slots.hashes).toBe(0);
  });

  it('of one key is hashed five times a second, then answered 503, and holds up nobody known', async () => {
    const asked = [...'abcdefgh'].map((letter) => authenticator.authenticate(wrong(letter)).catch((error) => error));
    const answers = await Promise.all(asked);
    expect(answers.slice(0, 5)).toEqual(Array(5).fill(null));
    for (const error of answers.slice(5))
      expect(error).toMatchObject({ code: 'internal_error', status: 503, retryAfterSeconds: 1 });
    authenticator.remember(token);
    expect(authenticator.authenticateKnown(formatToken(token))?.key.id).toBe(token.keyId);
  });
});

describe('the secret of a new key', () => {
  it('is hashed in the same places as those that are checked, few of one organization', async () => {
    const one = new HashSlots({ ...HASH_LIMITS, concurrent: 1, newPerOrganization: 1, waiting: 1 });
    const busy = new HostAuthenticator(host, one);
    const REFUSAL = { code: 'internal_error', status: 503, retryAfterSeconds: 1 };
    const made = busy.hashNew('org_1', token.secret);
    await expect(busy.hashNew('org_1', token.secret)).rejects.toMatchObject(REFUSAL);
    const check = busy.authenticate(formatToken(token));
    await expect(busy.hashNew('org_2', token.secret)).rejects.toMatchObject(REFUSAL);
    expect(await verifySecret(token.secret, await made)).toBe(true);
    expect((await check)?.key.id).toBe(token.keyId);
  });
});

describe('the roles of one process', () => {
  it('share what was checked', () => {
    createAuthenticator(host).remember(token);
    expect(createAuthenticator({ ...host }).authenticateKnown(formatToken(token))?.key.id).toBe(token.keyId);
  });
});
