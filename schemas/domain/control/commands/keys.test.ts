import { beforeEach, describe, expect, it } from 'vitest';
import { keyRows } from '../rows.ts';
import { createWorld, refusal, resultOf, SECRET, WALL_ISO, type World } from '../world.fixture.ts';
import { KEYS_MAX } from './create-key.ts';

let world: World;
beforeEach(() => {
  world = createWorld();
});
const body = (keyId: string, more: object = {}) => ({
  keyId,
  name: 'Desk',
  userId: 'u1',
  scopes: ['read'],
  sandbox: false,
  secret: SECRET,
  ...more,
});

describe('a key', () => {
  it('is created in the organization of the one that asks, and listed without its secret', () => {
    const acme = world.organization('org_acme');
    const row = { id: 'k', name: 'Desk', userId: 'u1', scopes: ['read'], sandbox: false, createdAt: WALL_ISO };
    expect(resultOf(world.send('key.create', body('k'), { as: acme }))).toEqual(row);
    expect(keyRows(world.state, acme)).toContainEqual(row);
    expect(keyRows(world.state, world.operator).map(({ id }) => id)).toEqual(['first']);
    expect(JSON.stringify(keyRows(world.state, acme))).not.toContain(SECRET.hash);
    expect(world.state.keys.get('k')?.secret).toEqual(SECRET);
  });

  it('is one of at most a thousand, sandbox keys counted apart; a revoked one makes room', () => {
    const acme = world.organization('org_acme');
    const create = (keyId: string, sandbox = false) => world.send('key.create', body(keyId, { sandbox }), { as: acme });
    for (let n = 1; n < KEYS_MAX; n += 1) resultOf(create(`k${n}`));
    expect(create('more')).toMatchObject(refusal('conflict', '1000 live keys'));
    for (let n = 0; n < KEYS_MAX; n += 1) resultOf(create(`s${n}`, true));
    expect(create('more', true)).toMatchObject(refusal('conflict', '1000 sandbox keys'));
    expect(world.send('key.create', body('k'), { as: world.operator }).ok).toBe(true);
    world.send('key.revoke', { keyId: 'k7' }, { as: acme });
    expect(create('more', true)).toMatchObject(refusal('conflict'));
    expect(create('more').ok).toBe(true);
    expect(create('another')).toMatchObject(refusal('conflict'));
  });

  it('holds each scope once', () => {
    const verdict = world.send('key.create', body('k', { scopes: ['read', 'read'] }), { as: world.operator });
    expect(verdict).toMatchObject({ ok: true, result: { scopes: ['read'] } });
  });

  it.each([
    ['a scope that there is not', { scopes: ['write'] }, 'scopes.0'],
    ['no scope', { scopes: [] }, 'scopes'],
    ['no name', { name: '' }, 'name'],
    ['half a character in its name', { name: 'a\ud800' }, 'name'],
    ['a name beyond measure', { name: 'x'.repeat(201) }, 'name'],
    ['no user', { userId: 7 }, 'userId'],
    ['a secret that is no hash', { secret: 'plain' }, 'secret'],
  ])('with %s is refused, naming the field', (_name, more, field) => {
    expect(world.send('key.create', body('k', more), { as: world.operator })).toMatchObject(
      refusal('validation_failed', `${field}:`),
    );
    expect(world.state.keys.size).toBe(1);
  });

  it('with an id that is taken is refused, whoever has it', () => {
    const acme = world.organization('org_acme');
    expect(world.send('key.create', body('first'), { as: acme })).toMatchObject(refusal('conflict'));
    expect(world.state.keys.get('first')?.orgId).toBe('org_first');
  });
});

describe('revoking', () => {
  it('ends a key and tells whose sockets to close', () => {
    world.key(world.operator, 'k');
    expect(world.send('key.revoke', { keyId: 'k' }, { as: world.operator })).toMatchObject({
      ok: true,
      revokedKeyIds: ['k'],
    });
    expect(world.state.keys.has('k')).toBe(false);
    expect(world.send('key.revoke', { keyId: 'k' }, { as: world.operator })).toMatchObject(refusal('not_found'));
  });

  it('spares the last admin key, which sandbox keys and keys without the scope cannot replace', () => {
    world.key(world.operator, 'reader', { scopes: ['read'] });
    world.key(world.operator, 'sandboxed', { sandbox: true });
    expect(world.send('key.revoke', { keyId: 'first' }, { as: world.operator })).toMatchObject(refusal('conflict'));
    world.key(world.operator, 'second');
    expect(world.send('key.revoke', { keyId: 'first' }, { as: world.operator }).ok).toBe(true);
    const second = { ...world.operator, keyId: 'second' };
    expect(world.send('key.revoke', { keyId: 'second' }, { as: second })).toMatchObject(refusal('conflict'));
    for (const keyId of ['reader', 'sandboxed'])
      expect(world.send('key.revoke', { keyId }, { as: second }).ok).toBe(true);
  });

  it('tells nothing of a key of another organization', () => {
    const acme = world.organization('org_acme');
    const foreign = world.send('key.revoke', { keyId: 'first' }, { as: acme });
    expect(foreign).toEqual(world.send('key.revoke', { keyId: 'nowhere' }, { as: acme }));
    expect(foreign).toMatchObject(refusal('not_found'));
  });

  it('holds against a start with the same setting', () => {
    const organization = { id: 'org_x', name: 'x', plan: 'pro' };
    const seed = { keyId: 'leaked', secret: SECRET, organization, minted: false };
    world.send('key.seed', seed, { as: null });
    world.send('key.revoke', { keyId: 'leaked' }, { as: world.operator });
    expect(resultOf(world.send('key.seed', seed, { as: null }))).toEqual({ outcome: 'revoked', key: null });
    expect(world.send('key.create', body('leaked'), { as: world.operator })).toMatchObject(refusal('conflict'));
    expect(world.state.keys.has('leaked')).toBe(false);
  });
});

describe('a sandbox key', () => {
  it('makes, sees and revokes sandbox keys only', () => {
    const sandboxed = world.key(world.operator, 'sandboxed', { sandbox: true });
    expect(world.send('key.create', body('k'), { as: sandboxed })).toMatchObject(refusal('forbidden_scope', 'sandbox'));
    world.key(sandboxed, 'other');
    expect(keyRows(world.state, sandboxed).map(({ id }) => id)).toEqual(['other', 'sandboxed']);
    expect(keyRows(world.state, world.operator).map(({ id }) => id)).toEqual(['first', 'other', 'sandboxed']);
    world.key(world.operator, 'second');
    expect(world.send('key.revoke', { keyId: 'second' }, { as: sandboxed })).toMatchObject(refusal('not_found'));
    expect(world.send('key.revoke', { keyId: 'other' }, { as: sandboxed }).ok).toBe(true);
    expect(world.send('key.revoke', { keyId: 'sandboxed' }, { as: world.operator }).ok).toBe(true);
  });
});
