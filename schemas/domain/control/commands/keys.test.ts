import { beforeEach, describe, expect, it } from 'vitest';
import { type ControlFixture, createControlFixture, refusal, resultOf, SECRET, WALL_ISO } from '../control.fixture.ts';
import { keyRows } from '../rows.ts';
import { KEYS_MAX } from './create-key.ts';

let control: ControlFixture;
beforeEach(() => {
  control = createControlFixture();
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
  it('is created in the organization of the actor, and listed without its secret', () => {
    const acme = control.organization('org_acme');
    const row = { id: 'k', name: 'Desk', userId: 'u1', scopes: ['read'], sandbox: false, createdAt: WALL_ISO };
    expect(resultOf(control.send('key.create', body('k'), { as: acme }))).toEqual(row);
    expect(keyRows(control.state, acme)).toContainEqual(row);
    expect(keyRows(control.state, control.operator).map(({ id }) => id)).toEqual(['first']);
    expect(JSON.stringify(keyRows(control.state, acme))).not.toContain(SECRET.hash);
    expect(control.state.keys.get('k')?.secret).toEqual(SECRET);
  });

  it('is one of at most a thousand live and a thousand sandbox keys, without revoked ones', () => {
    const acme = control.organization('org_acme');
    const create = (keyId: string, sandbox = false) =>
      control.send('key.create', body(keyId, { sandbox }), { as: acme });
    for (let n = 1; n < KEYS_MAX; n += 1) resultOf(create(`k${n}`));
    expect(create('more')).toMatchObject(refusal('conflict', '1000 live keys'));
    for (let n = 0; n < KEYS_MAX; n += 1) resultOf(create(`s${n}`, true));
    expect(create('more', true)).toMatchObject(refusal('conflict', '1000 sandbox keys'));
    expect(control.send('key.create', body('k'), { as: control.operator }).ok).toBe(true);
    control.send('key.revoke', { keyId: 'k7' }, { as: acme });
    expect(create('more', true)).toMatchObject(refusal('conflict'));
    expect(create('more').ok).toBe(true);
    expect(create('another')).toMatchObject(refusal('conflict'));
  });

  it('has each scope once', () => {
    const verdict = control.send('key.create', body('k', { scopes: ['read', 'read'] }), { as: control.operator });
    expect(verdict).toMatchObject({ ok: true, result: { scopes: ['read'] } });
  });

  it.each([
    ['an unknown scope', { scopes: ['write'] }, 'scopes.0'],
    ['no scope', { scopes: [] }, 'scopes'],
    ['no name', { name: '' }, 'name'],
    ['a lone surrogate in its name', { name: 'a\ud800' }, 'name'],
    ['a name that is too long', { name: 'x'.repeat(201) }, 'name'],
    ['no user', { userId: 7 }, 'userId'],
    ['a secret that is no hash', { secret: 'plain' }, 'secret'],
  ])('with %s is refused, naming the field', (_name, more, field) => {
    expect(control.send('key.create', body('k', more), { as: control.operator })).toMatchObject(
      refusal('validation_failed', `${field}:`),
    );
    expect(control.state.keys.size).toBe(1);
  });

  it('with an id that is in use is refused, whoever owns it', () => {
    const acme = control.organization('org_acme');
    expect(control.send('key.create', body('first'), { as: acme })).toMatchObject(refusal('conflict'));
    expect(control.state.keys.get('first')?.orgId).toBe('org_first');
  });
});

describe('revoking', () => {
  it('removes a key and returns its id, so that its sockets are closed', () => {
    control.key(control.operator, 'k');
    expect(control.send('key.revoke', { keyId: 'k' }, { as: control.operator })).toMatchObject({
      ok: true,
      revokedKeyIds: ['k'],
    });
    expect(control.state.keys.has('k')).toBe(false);
    expect(control.send('key.revoke', { keyId: 'k' }, { as: control.operator })).toMatchObject(refusal('not_found'));
  });

  it('refuses the last admin key, which sandbox keys and keys without the scope cannot replace', () => {
    control.key(control.operator, 'reader', { scopes: ['read'] });
    control.key(control.operator, 'sandboxed', { sandbox: true });
    expect(control.send('key.revoke', { keyId: 'first' }, { as: control.operator })).toMatchObject(refusal('conflict'));
    control.key(control.operator, 'second');
    expect(control.send('key.revoke', { keyId: 'first' }, { as: control.operator }).ok).toBe(true);
    const second = { ...control.operator, keyId: 'second' };
    expect(control.send('key.revoke', { keyId: 'second' }, { as: second })).toMatchObject(refusal('conflict'));
    for (const keyId of ['reader', 'sandboxed'])
      expect(control.send('key.revoke', { keyId }, { as: second }).ok).toBe(true);
  });

  it('answers for a key of another organization as for one that does not exist', () => {
    const acme = control.organization('org_acme');
    const foreign = control.send('key.revoke', { keyId: 'first' }, { as: acme });
    expect(foreign).toEqual(control.send('key.revoke', { keyId: 'nowhere' }, { as: acme }));
    expect(foreign).toMatchObject(refusal('not_found'));
  });

  it('stays effective after a start with the same setting', () => {
    const organization = { id: 'org_x', name: 'x', plan: 'pro' };
    const seed = { keyId: 'leaked', secret: SECRET, organization, minted: false };
    control.send('key.seed', seed, { as: null });
    control.send('key.revoke', { keyId: 'leaked' }, { as: control.operator });
    expect(resultOf(control.send('key.seed', seed, { as: null }))).toEqual({ outcome: 'revoked', key: null });
    expect(control.send('key.create', body('leaked'), { as: control.operator })).toMatchObject(refusal('conflict'));
    expect(control.state.keys.has('leaked')).toBe(false);
  });
});

describe('a sandbox key', () => {
  it('creates, sees and revokes only sandbox keys', () => {
    const sandboxed = control.key(control.operator, 'sandboxed', { sandbox: true });
    expect(control.send('key.create', body('k'), { as: sandboxed })).toMatchObject(
      refusal('forbidden_scope', 'sandbox'),
    );
    control.key(sandboxed, 'other');
    expect(keyRows(control.state, sandboxed).map(({ id }) => id)).toEqual(['other', 'sandboxed']);
    expect(keyRows(control.state, control.operator).map(({ id }) => id)).toEqual(['first', 'other', 'sandboxed']);
    control.key(control.operator, 'second');
    expect(control.send('key.revoke', { keyId: 'second' }, { as: sandboxed })).toMatchObject(refusal('not_found'));
    expect(control.send('key.revoke', { keyId: 'other' }, { as: sandboxed }).ok).toBe(true);
    expect(control.send('key.revoke', { keyId: 'sandboxed' }, { as: control.operator }).ok).toBe(true);
  });
});
