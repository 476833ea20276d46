import { beforeEach, describe, expect, it } from 'vitest';
import { type ControlFixture, createControlFixture, HOUR_MS, refusal, resultOf, WALL_MS } from '../control.fixture.ts';
import type { Actor } from '../envelope.ts';
import { activeSession } from '../lookups.ts';
import { SESSIONS_PER_KEY_MAX } from './open-session.ts';

let control: ControlFixture;
let reader: Actor;
beforeEach(() => {
  control = createControlFixture();
  reader = control.key(control.operator, 'reader', { scopes: ['read'] });
});
const digest = (n: number) => String(n).padStart(43, '0');
const open = (as: Actor, n: number, wallTime = WALL_MS) =>
  control.send('session.open', { digest: digest(n) }, { as, wallTime });
const close = (as: Actor, n: number) => control.send('session.close', { digest: digest(n) }, { as });
const session = (n: number, now = WALL_MS) => activeSession(control.state, digest(n), now);

describe('a portal session', () => {
  it('acts as its key for 12 hours, whatever the scopes of the key are', () => {
    expect(resultOf(open(reader, 1))).toEqual({ expiresAt: WALL_MS + 12 * HOUR_MS });
    expect(session(1, WALL_MS + 12 * HOUR_MS - 1)?.key.id).toBe('reader');
    expect(session(1, WALL_MS + 12 * HOUR_MS)).toBeUndefined();
    expect(session(2)).toBeUndefined();
  });

  it('has no digest in the audit log', () => {
    const verdict = open(reader, 1);
    expect(verdict).toMatchObject({ audit: [{ action: 'session.create', keyId: 'reader', targetId: 'reader' }] });
    expect(JSON.stringify(verdict)).not.toContain(digest(1));
  });

  it('is closed by its own key only', () => {
    open(reader, 1);
    expect(close(control.operator, 1)).toMatchObject(refusal('not_found'));
    expect(close(control.operator, 1)).toEqual(close(control.operator, 2));
    expect(close(reader, 1).ok).toBe(true);
    expect(session(1)).toBeUndefined();
    expect(control.state.sessionsByKey.size).toBe(0);
  });

  it('ends with its key, and is suspended with its organization', () => {
    const acme = control.organization('org_acme');
    open(acme, 1);
    open(reader, 2);
    const suspend = (suspended: boolean) =>
      control.send('organization.change', { organizationId: 'org_acme', suspended }, { as: control.operator });
    suspend(true);
    expect(session(1)).toBeUndefined();
    suspend(false);
    expect(session(1)?.organization.id).toBe('org_acme');
    control.send('key.revoke', { keyId: 'reader' }, { as: control.operator });
    expect(session(2)).toBeUndefined();
    expect(control.state.sessions.has(digest(2))).toBe(false);
  });

  it('is not opened twice under one digest', () => {
    open(reader, 1);
    expect(open(control.operator, 1)).toMatchObject(refusal('conflict'));
    expect(session(1)?.key.id).toBe('reader');
  });

  it('removes expired sessions of its key, and the oldest above the limit', () => {
    for (let n = 0; n < SESSIONS_PER_KEY_MAX; n += 1) open(reader, n, WALL_MS + n);
    open(reader, 999, WALL_MS + HOUR_MS);
    expect(control.state.sessions.size).toBe(SESSIONS_PER_KEY_MAX);
    expect([session(0), session(1)?.key.id]).toEqual([undefined, 'reader']);
    open(reader, 1_000, WALL_MS + 12 * HOUR_MS + 50);
    expect([...control.state.sessions.keys()].at(0)).toBe(digest(51));
    expect(control.state.sessions.size).toBe(SESSIONS_PER_KEY_MAX - 49);
  });
});
