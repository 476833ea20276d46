import { beforeEach, describe, expect, it } from 'vitest';
import type { Actor } from '../envelope.ts';
import { goodSession } from '../lookups.ts';
import { createWorld, HOUR_MS, refusal, resultOf, WALL_MS, type World } from '../world.fixture.ts';
import { SESSIONS_PER_KEY_MAX } from './open-session.ts';

let world: World;
let reader: Actor;
beforeEach(() => {
  world = createWorld();
  reader = world.key(world.operator, 'reader', { scopes: ['read'] });
});
const digest = (n: number) => String(n).padStart(43, '0');
const open = (as: Actor, n: number, wallTime = WALL_MS) =>
  world.send('session.open', { digest: digest(n) }, { as, wallTime });
const close = (as: Actor, n: number) => world.send('session.close', { digest: digest(n) }, { as });
const session = (n: number, now = WALL_MS) => goodSession(world.state, digest(n), now);

describe('a portal session', () => {
  it('acts as its key for 12 hours, whatever scopes the key has', () => {
    expect(resultOf(open(reader, 1))).toEqual({ expiresAt: WALL_MS + 12 * HOUR_MS });
    expect(session(1, WALL_MS + 12 * HOUR_MS - 1)?.key.id).toBe('reader');
    expect(session(1, WALL_MS + 12 * HOUR_MS)).toBeUndefined();
    expect(session(2)).toBeUndefined();
  });

  it('tells its digest to no audit log', () => {
    const verdict = open(reader, 1);
    expect(verdict).toMatchObject({ audit: [{ action: 'session.create', keyId: 'reader', targetId: 'reader' }] });
    expect(JSON.stringify(verdict)).not.toContain(digest(1));
  });

  it('is closed by its own key only', () => {
    open(reader, 1);
    expect(close(world.operator, 1)).toMatchObject(refusal('not_found'));
    expect(close(world.operator, 1)).toEqual(close(world.operator, 2));
    expect(close(reader, 1).ok).toBe(true);
    expect(session(1)).toBeUndefined();
    expect(world.state.sessionsByKey.size).toBe(0);
  });

  it('ends with its key, and sleeps with its organization', () => {
    const acme = world.organization('org_acme');
    open(acme, 1);
    open(reader, 2);
    const suspend = (suspended: boolean) =>
      world.send('organization.change', { organizationId: 'org_acme', suspended }, { as: world.operator });
    suspend(true);
    expect(session(1)).toBeUndefined();
    suspend(false);
    expect(session(1)?.organization.id).toBe('org_acme');
    world.send('key.revoke', { keyId: 'reader' }, { as: world.operator });
    expect(session(2)).toBeUndefined();
    expect(world.state.sessions.has(digest(2))).toBe(false);
  });

  it('is not opened twice under one digest', () => {
    open(reader, 1);
    expect(open(world.operator, 1)).toMatchObject(refusal('conflict'));
    expect(session(1)?.key.id).toBe('reader');
  });

  it('makes room: the expired go, and the oldest of too many', () => {
    for (let n = 0; n < SESSIONS_PER_KEY_MAX; n += 1) open(reader, n, WALL_MS + n);
    open(reader, 999, WALL_MS + HOUR_MS);
    expect(world.state.sessions.size).toBe(SESSIONS_PER_KEY_MAX);
    expect([session(0), session(1)?.key.id]).toEqual([undefined, 'reader']);
    open(reader, 1_000, WALL_MS + 12 * HOUR_MS + 50);
    expect([...world.state.sessions.keys()].at(0)).toBe(digest(51));
    expect(world.state.sessions.size).toBe(SESSIONS_PER_KEY_MAX - 49);
  });
});
