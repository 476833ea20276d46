import { describe, expect, it } from 'vitest';
import type { ControlCommand } from '../../topics/control.ts';
import type { Verdict } from './command.ts';
import type { Seeded } from './commands/seed-admin-key.ts';
import { reduceControl } from './reduce.ts';
import { type ControlState, initialControlState } from './state.ts';

const WALL_MS = Date.UTC(2026, 2, 1);
const SECRET = { algorithm: 'scrypt', N: 16_384, r: 8, p: 1, salt: 'c2FsdA', hash: 'aGFzaA' } as const;

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
    expect(state).toEqual(initialControlState());
  });
});

describe('every node', () => {
  it('comes to the same state and verdicts from the same commands', () => {
    const bodies = [seed('k1', 'org_1', true), seed('k2', 'org_2', true), seed('k3', 'org_3'), seed('k3', 'org_4')];
    const run = () => {
      const state = initialControlState();
      return { verdicts: bodies.map((body) => reduce(state, 'key.seed', body)), state };
    };
    expect(run()).toEqual(run());
    expect(run().verdicts.map((verdict) => seeded(verdict).outcome)).toEqual(['first', 'dropped', 'added', 'known']);
  });
});
