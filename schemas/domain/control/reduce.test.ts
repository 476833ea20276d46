import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../errors.ts';
import type { ControlCommand } from '../../topics/control.ts';
import { COMMAND_TYPES } from './command-types.ts';
import type { SeedResult } from './commands/seed-admin-key.ts';
import { type ControlFixture, createControlFixture, refusal, SECRET, WALL_ISO, WALL_MS } from './control.fixture.ts';
import type { Verdict } from './decision.ts';
import type { Actor } from './envelope.ts';
import { reduceControl } from './reduce.ts';
import { type ControlState, initialControlState } from './state.ts';

let commands = 0;
function reduce(state: ControlState, type: string, body: unknown, wallTime = WALL_MS): Verdict {
  commands += 1;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const command: ControlCommand = { id: `command ${commands}`, receivedAt: 0, wallTime, type, body: text };
  return reduceControl(state, command);
}
const seed = (keyId: string, organizationId: string, minted = false) => ({
  keyId,
  secret: SECRET,
  organization: { id: organizationId, name: 'First', plan: 'pro' },
  minted,
});
function seeded(verdict: Verdict): SeedResult {
  if (!verdict.ok) throw new Error(verdict.message);
  return verdict.result as SeedResult;
}

describe('the first seed', () => {
  it('creates the first organization with an admin key that has all scopes', () => {
    const state = initialControlState();
    expect(seeded(reduce(state, 'key.seed', seed('k1', 'org_1'))).outcome).toBe('first');
    expect(state.firstOrganizationId).toBe('org_1');
    expect([...state.organizations.values()]).toEqual([
      { id: 'org_1', name: 'First', plan: 'pro', createdAt: '2026-03-01T00:00:00.000Z' },
    ]);
    expect([...state.keys.values()]).toEqual([
      {
        id: 'k1',
        orgId: 'org_1',
        name: 'admin',
        userId: 'admin',
        scopes: ['read', 'trade', 'stream', 'admin'],
        sandbox: false,
        secret: SECRET,
        createdAt: '2026-03-01T00:00:00.000Z',
      },
    ]);
  });
});

describe('a later seed', () => {
  it('with another token of a setting adds an admin key to the first organization', () => {
    const state = initialControlState();
    reduce(state, 'key.seed', seed('k1', 'org_1'));
    expect(seeded(reduce(state, 'key.seed', seed('k2', 'org_2'))).outcome).toBe('added');
    expect([...state.organizations.keys()]).toEqual(['org_1']);
    expect(state.keys.get('k2')).toMatchObject({ orgId: 'org_1', scopes: ['read', 'trade', 'stream', 'admin'] });
  });

  it('with a token that a node generated is ignored', () => {
    const state = initialControlState();
    reduce(state, 'key.seed', seed('k1', 'org_1', true));
    expect(seeded(reduce(state, 'key.seed', seed('k2', 'org_2', true)))).toEqual({ outcome: 'dropped', key: null });
    expect([...state.keys.keys()]).toEqual(['k1']);
  });

  it('of the same key changes nothing, even with another secret', () => {
    const state = initialControlState();
    reduce(state, 'key.seed', seed('k1', 'org_1'));
    const other = { ...seed('k1', 'org_2'), secret: { ...SECRET, hash: 'b3RoZXI' } };
    expect(seeded(reduce(state, 'key.seed', other)).outcome).toBe('known');
    expect(state.keys.get('k1')!.secret).toEqual(SECRET);
  });
});

describe('an invalid command', () => {
  const bad: [string, string, unknown, string][] = [
    ['of an unknown type', 'key.paint', {}, 'bad_request'],
    ['whose body is not JSON', 'key.seed', '{', 'bad_request'],
    ['whose body lacks a field', 'key.seed', { keyId: 'k1' }, 'validation_failed'],
    [
      'with an unknown plan',
      'key.seed',
      { ...seed('k1', 'o'), organization: { id: 'o', name: 'n', plan: 'gold' } },
      'validation_failed',
    ],
  ];
  it.each(bad)('%s is refused and changes nothing', (_name, type, body, code) => {
    const state = initialControlState();
    expect(reduce(state, type, body)).toMatchObject({ ok: false, code });
    // The ids of commands and their answers also change with time.
    const ignored = { recentIds: null, idempotency: null };
    expect({ ...state, ...ignored }).toEqual({ ...initialControlState(), ...ignored });
    expect([...state.idempotency.current.answers, ...state.idempotency.previous.answers]).toEqual([]);
  });

  it('whose wall time is invalid is refused', () => {
    expect(reduce(initialControlState(), 'key.seed', seed('k1', 'org_1'), 9e15)).toMatchObject({ code: 'bad_request' });
  });

  it('never throws, whatever it contains', () => {
    const control = createControlFixture();
    const values = fc.oneof(
      fc.json({ maxDepth: 4 }),
      fc
        .object({ key: fc.constantFrom('actor', 'keyId', '__proto__', 'subscriptions', 'filters', 'secret') })
        .map((body) => JSON.stringify({ actor: control.operator, ...body })),
    );
    const types = fc.constantFrom(...COMMAND_TYPES.keys());
    fc.assert(
      fc.property(types, values, fc.oneof(fc.double(), fc.maxSafeInteger()), (type, body, wallTime) => {
        expect(typeof reduce(control.state, type, body, wallTime).ok).toBe('boolean');
      }),
      { seed: 4, numRuns: 1_000 },
    );
  });
});

describe('the key of the actor', () => {
  const create = { keyId: 'k', name: 'n', userId: 'u', scopes: ['read'], sandbox: false, secret: SECRET };
  const refusedAs = (control: ControlFixture, as: Actor, code: ErrorCode) => {
    expect(control.send('key.create', create, { as })).toMatchObject(refusal(code));
    expect(control.state.keys.has('k')).toBe(false);
  };

  it('must be active when the command is decided', () => {
    const control = createControlFixture();
    const second = control.key(control.operator, 'second');
    control.send('key.revoke', { keyId: 'second' }, { as: control.operator });
    refusedAs(control, second, 'unauthenticated');
    refusedAs(control, { ...second, keyId: 'nobody' }, 'unauthenticated');
  });

  it('must belong to the organization and the set of the actor', () => {
    const control = createControlFixture();
    control.organization('org_acme');
    refusedAs(control, { ...control.operator, orgId: 'org_acme' }, 'unauthenticated');
    refusedAs(control, { ...control.operator, sandbox: true }, 'unauthenticated');
  });

  it('needs the scope admin for every command except those on its own session', () => {
    const control = createControlFixture();
    const reader = control.key(control.operator, 'reader', { scopes: ['read', 'trade', 'stream'] });
    refusedAs(control, reader, 'forbidden_scope');
    const others = [...COMMAND_TYPES.values()].filter(({ by }) => by !== 'admin').map(({ type }) => type);
    expect(others).toEqual(['key.seed', 'webhook.disable', 'session.open', 'session.close']);
    for (const { type, by } of COMMAND_TYPES.values())
      if (by === 'admin') expect(control.send(type, {}, { as: reader })).toMatchObject(refusal('forbidden_scope'));
  });

  it('must be named', () => {
    expect(createControlFixture().send('key.create', create, { as: null })).toMatchObject(
      refusal('validation_failed', 'actor:'),
    );
  });
});

describe('a command that is in the log twice', () => {
  it('counts once, even if the first one was refused', () => {
    const control = createControlFixture();
    const as = control.operator;
    const bind = { walletId: 'wal_1', provider: 'venue_b', address: `0x${'a'.repeat(40)}`, label: '' };
    expect(control.send('wallet.unbind', { walletId: 'wal_1' }, { as, id: 'twice' })).toMatchObject(
      refusal('not_found'),
    );
    control.send('wallet.bind', bind, { as });
    expect(control.send('wallet.unbind', { walletId: 'wal_1' }, { as, id: 'twice' })).toMatchObject(
      refusal('conflict', 'twice'),
    );
    expect(control.state.wallets.size).toBe(1);
  });

  it('is recognised after four thousand others, with bounded memory', () => {
    const control = createControlFixture();
    const as = control.operator;
    const send = (id: string) => control.send('key.revoke', { keyId: 'none' }, { as, id });
    send('old');
    for (let n = 0; n < 4_096; n += 1) send(`id ${n}`);
    expect(send('old')).toMatchObject(refusal('conflict'));
    for (let n = 0; n < 9_000; n += 1) send(`more ${n}`);
    const { current, previous } = control.state.recentIds;
    expect(current.size + previous.size).toBeLessThanOrEqual(8_192);
  });
});

describe('the audit log', () => {
  it('has an entry for every accepted change and none for a refused one', () => {
    const control = createControlFixture();
    const create = { keyId: 'k', name: 'n', userId: 'u', scopes: ['read'], sandbox: false, secret: SECRET };
    const verdict = control.send('key.create', create, { as: control.operator, id: 'c-1' });
    const entry = {
      orgId: 'org_first',
      id: 'c-1',
      at: WALL_ISO,
      action: 'key.create',
      keyId: 'first',
      userId: 'admin',
    };
    expect(verdict).toMatchObject({ audit: [{ ...entry, targetId: 'k' }] });
    expect(control.send('key.create', create, { as: control.operator })).not.toHaveProperty('audit');
  });

  it('shows an organization what an operator changed, but not with which key', () => {
    const control = createControlFixture();
    control.organization('org_acme');
    const change = { organizationId: 'org_acme', plan: 'pro' };
    const entry = { id: 'c-1', at: WALL_ISO, action: 'organization.change', targetId: 'org_acme' };
    expect(control.send('organization.change', change, { as: control.operator, id: 'c-1' })).toMatchObject({
      audit: [
        { ...entry, orgId: 'org_first', keyId: 'first', userId: 'admin' },
        { ...entry, orgId: 'org_acme', keyId: null, userId: null },
      ],
    });
  });

  it('has an entry for a key of a setting', () => {
    const verdict = reduce(initialControlState(), 'key.seed', seed('k1', 'org_1'));
    expect(verdict).toMatchObject({ audit: [{ orgId: 'org_1', action: 'key.create', keyId: null, targetId: 'k1' }] });
  });
});

describe('every node', () => {
  it('reaches the same state and verdicts from the same commands', () => {
    const bodies = [seed('k1', 'org_1', true), seed('k2', 'org_2', true), seed('k3', 'org_3'), seed('k3', 'org_4')];
    const run = () => {
      commands = 0;
      const state = initialControlState();
      return { verdicts: bodies.map((body) => reduce(state, 'key.seed', body)), state };
    };
    expect(run()).toEqual(run());
    expect(run().verdicts.map((verdict) => seeded(verdict).outcome)).toEqual(['first', 'dropped', 'added', 'known']);
  });
});
