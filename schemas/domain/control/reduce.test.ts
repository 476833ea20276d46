import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../errors.ts';
import type { ControlCommand } from '../../topics/control.ts';
import type { Verdict } from './command.ts';
import { COMMAND_TYPES } from './command-types.ts';
import type { Seeded } from './commands/seed-admin-key.ts';
import type { Actor } from './envelope.ts';
import { reduceControl } from './reduce.ts';
import { type ControlState, initialControlState } from './state.ts';
import { createWorld, refusal, SECRET, WALL_ISO, WALL_MS, type World } from './world.fixture.ts';

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
function seeded(verdict: Verdict): Seeded {
  if (!verdict.ok) throw new Error(verdict.message);
  return verdict.result as Seeded;
}

describe('the first seed', () => {
  it('makes the first organization with an admin key that holds all scopes', () => {
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
  it('with another token that was given is one more admin key of the first organization', () => {
    const state = initialControlState();
    reduce(state, 'key.seed', seed('k1', 'org_1'));
    expect(seeded(reduce(state, 'key.seed', seed('k2', 'org_2'))).outcome).toBe('added');
    expect([...state.organizations.keys()]).toEqual(['org_1']);
    expect(state.keys.get('k2')).toMatchObject({ orgId: 'org_1', scopes: ['read', 'trade', 'stream', 'admin'] });
  });

  it('with a token that a node made by itself is dropped', () => {
    const state = initialControlState();
    reduce(state, 'key.seed', seed('k1', 'org_1', true));
    expect(seeded(reduce(state, 'key.seed', seed('k2', 'org_2', true)))).toEqual({ outcome: 'dropped', key: null });
    expect([...state.keys.keys()]).toEqual(['k1']);
  });

  it('of the same key changes nothing, whatever secret it brings', () => {
    const state = initialControlState();
    reduce(state, 'key.seed', seed('k1', 'org_1'));
    const other = { ...seed('k1', 'org_2'), secret: { ...SECRET, hash: 'b3RoZXI' } };
    expect(seeded(reduce(state, 'key.seed', other)).outcome).toBe('known');
    expect(state.keys.get('k1')!.secret).toEqual(SECRET);
  });
});

describe('a command that cannot be taken', () => {
  const bad: [string, string, unknown, string][] = [
    ['of a type that nobody knows', 'key.paint', {}, 'bad_request'],
    ['whose body is no JSON', 'key.seed', '{', 'bad_request'],
    ['whose body lacks a field', 'key.seed', { keyId: 'k1' }, 'validation_failed'],
    [
      'with a plan that there is not',
      'key.seed',
      { ...seed('k1', 'o'), organization: { id: 'o', name: 'n', plan: 'gold' } },
      'validation_failed',
    ],
  ];
  it.each(bad)('%s is refused and changes nothing', (_name, type, body, code) => {
    const state = initialControlState();
    expect(reduce(state, type, body)).toMatchObject({ ok: false, code });
    // What is kept of commands themselves turns with time.
    const turning = { recentIds: null, idempotency: null };
    expect({ ...state, ...turning }).toEqual({ ...initialControlState(), ...turning });
    expect([...state.idempotency.current.kept, ...state.idempotency.previous.kept]).toEqual([]);
  });

  it('whose wall time is no time is refused', () => {
    expect(reduce(initialControlState(), 'key.seed', seed('k1', 'org_1'), 9e15)).toMatchObject({ code: 'bad_request' });
  });

  it('never throws, whatever it holds', () => {
    const world = createWorld();
    const values = fc.oneof(
      fc.json({ maxDepth: 4 }),
      fc
        .object({ key: fc.constantFrom('actor', 'keyId', '__proto__', 'subscriptions', 'filters', 'secret') })
        .map((body) => JSON.stringify({ actor: world.operator, ...body })),
    );
    const types = fc.constantFrom(...COMMAND_TYPES.keys());
    fc.assert(
      fc.property(types, values, fc.oneof(fc.double(), fc.maxSafeInteger()), (type, body, wallTime) => {
        expect(typeof reduce(world.state, type, body, wallTime).ok).toBe('boolean');
      }),
      { seed: 4, numRuns: 1_000 },
    );
  });
});

describe('the key that asks', () => {
  const create = { keyId: 'k', name: 'n', userId: 'u', scopes: ['read'], sandbox: false, secret: SECRET };
  const refusedAs = (world: World, as: Actor, code: ErrorCode) => {
    expect(world.send('key.create', create, { as })).toMatchObject(refusal(code));
    expect(world.state.keys.has('k')).toBe(false);
  };

  it('has to be good when the command is decided', () => {
    const world = createWorld();
    const second = world.key(world.operator, 'second');
    world.send('key.revoke', { keyId: 'second' }, { as: world.operator });
    refusedAs(world, second, 'unauthenticated');
    refusedAs(world, { ...second, keyId: 'nobody' }, 'unauthenticated');
  });

  it('has to be of the organization and the side that it speaks for', () => {
    const world = createWorld();
    world.organization('org_acme');
    refusedAs(world, { ...world.operator, orgId: 'org_acme' }, 'unauthenticated');
    refusedAs(world, { ...world.operator, sandbox: true }, 'unauthenticated');
  });

  it('needs the scope admin for every command but those on its own session', () => {
    const world = createWorld();
    const reader = world.key(world.operator, 'reader', { scopes: ['read', 'trade', 'stream'] });
    refusedAs(world, reader, 'forbidden_scope');
    const others = [...COMMAND_TYPES.values()].filter(({ by }) => by !== 'admin').map(({ type }) => type);
    expect(others).toEqual(['key.seed', 'webhook.disable', 'session.open', 'session.close']);
    for (const { type, by } of COMMAND_TYPES.values())
      if (by === 'admin') expect(world.send(type, {}, { as: reader })).toMatchObject(refusal('forbidden_scope'));
  });

  it('has to be told', () => {
    expect(createWorld().send('key.create', create, { as: null })).toMatchObject(
      refusal('validation_failed', 'actor:'),
    );
  });
});

describe('a command that stands in the log twice', () => {
  it('counts once, also where the first one was refused', () => {
    const world = createWorld();
    const as = world.operator;
    const bind = { walletId: 'wal_1', provider: 'venue_b', address: `0x${'a'.repeat(40)}`, label: '' };
    expect(world.send('wallet.unbind', { walletId: 'wal_1' }, { as, id: 'twice' })).toMatchObject(refusal('not_found'));
    world.send('wallet.bind', bind, { as });
    expect(world.send('wallet.unbind', { walletId: 'wal_1' }, { as, id: 'twice' })).toMatchObject(
      refusal('conflict', 'twice'),
    );
    expect(world.state.wallets.size).toBe(1);
  });

  it('is known over four thousand others, and costs memory for few more', () => {
    const world = createWorld();
    const as = world.operator;
    const send = (id: string) => world.send('key.revoke', { keyId: 'none' }, { as, id });
    send('old');
    for (let n = 0; n < 4_096; n += 1) send(`id ${n}`);
    expect(send('old')).toMatchObject(refusal('conflict'));
    for (let n = 0; n < 9_000; n += 1) send(`more ${n}`);
    const { current, previous } = world.state.recentIds;
    expect(current.size + previous.size).toBeLessThanOrEqual(8_192);
  });
});

describe('the audit log', () => {
  it('has an entry for every accepted change and none for a refused one', () => {
    const world = createWorld();
    const create = { keyId: 'k', name: 'n', userId: 'u', scopes: ['read'], sandbox: false, secret: SECRET };
    const verdict = world.send('key.create', create, { as: world.operator, id: 'c-1' });
    const entry = {
      orgId: 'org_first',
      id: 'c-1',
      at: WALL_ISO,
      action: 'key.create',
      keyId: 'first',
      userId: 'admin',
    };
    expect(verdict).toMatchObject({ audit: [{ ...entry, targetId: 'k' }] });
    expect(world.send('key.create', create, { as: world.operator })).not.toHaveProperty('audit');
  });

  it('tells an organization what an operator did to it, but not which key', () => {
    const world = createWorld();
    world.organization('org_acme');
    const change = { organizationId: 'org_acme', plan: 'pro' };
    const entry = { id: 'c-1', at: WALL_ISO, action: 'organization.change', targetId: 'org_acme' };
    expect(world.send('organization.change', change, { as: world.operator, id: 'c-1' })).toMatchObject({
      audit: [
        { ...entry, orgId: 'org_first', keyId: 'first', userId: 'admin' },
        { ...entry, orgId: 'org_acme', keyId: null, userId: null },
      ],
    });
  });

  it('tells of a key that a setting gave', () => {
    const verdict = reduce(initialControlState(), 'key.seed', seed('k1', 'org_1'));
    expect(verdict).toMatchObject({ audit: [{ orgId: 'org_1', action: 'key.create', keyId: null, targetId: 'k1' }] });
  });
});

describe('every node', () => {
  it('comes to the same state and verdicts from the same commands', () => {
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
