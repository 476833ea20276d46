/** A control state with a first organization, and helpers that send commands to it. */
import { expect } from 'vitest';
import type { ErrorCode } from '../../errors.ts';
import type { ControlCommand } from '../../topics/control.ts';
import type { Verdict } from './decision.ts';
import type { Actor, IdempotencyRequest } from './envelope.ts';
import { reduceControl } from './reduce.ts';
import { initialControlState, type Plan, type Scope } from './state.ts';

export const WALL_MS = Date.UTC(2026, 2, 1);
export const WALL_ISO = '2026-03-01T00:00:00.000Z';
export const HOUR_MS = 3_600_000;
export const SECRET = { algorithm: 'scrypt', N: 16_384, r: 8, p: 1, salt: 'c2FsdA', hash: 'aGFzaA' } as const;

/** A well-formed signing secret of one repeated character. */
export const signingSecret = (character: string) => `whsec_${character.repeat(43)}=`;

export interface SendOptions {
  /** The actor; null for the service itself. */
  readonly as: Actor | null;
  readonly wallTime?: number;
  readonly idempotency?: IdempotencyRequest;
  /** The command's id; a new one by default. */
  readonly id?: string;
}

export type ControlFixture = ReturnType<typeof createControlFixture>;

export function createControlFixture() {
  const state = initialControlState();
  let commands = 0;
  const send = (type: string, body: object, { as, wallTime = WALL_MS, idempotency, id }: SendOptions): Verdict => {
    commands += 1;
    const envelope = { ...(as ? { actor: as } : {}), ...(idempotency ? { idempotency } : {}) };
    const command: ControlCommand = {
      id: id ?? `command-${commands}`,
      receivedAt: 0,
      wallTime,
      type,
      body: JSON.stringify({ ...envelope, ...body }),
    };
    return reduceControl(state, command);
  };
  const organization = { id: 'org_first', name: 'First', plan: 'pro' };
  send('key.seed', { keyId: 'first', secret: SECRET, organization, minted: true }, { as: null });
  const operator: Actor = { orgId: 'org_first', keyId: 'first', userId: 'admin', sandbox: false };
  return {
    state,
    send,
    /** A key of the first organization with all scopes. */
    operator,
    /** Creates an organization; returns its admin key, whose id is `<orgId>-admin`. */
    organization(orgId: string, plan: Plan = 'free'): Actor {
      const adminKey = { id: `${orgId}-admin`, secret: SECRET };
      resultOf(send('organization.create', { organizationId: orgId, name: orgId, plan, adminKey }, { as: operator }));
      return { orgId, keyId: adminKey.id, userId: 'admin', sandbox: false };
    },
    /** Creates a key with another one. */
    key(as: Actor, keyId: string, options: { scopes?: readonly Scope[]; sandbox?: boolean } = {}): Actor {
      const { scopes = ['admin'], sandbox = as.sandbox } = options;
      resultOf(send('key.create', { keyId, name: keyId, userId: 'u', scopes, sandbox, secret: SECRET }, { as }));
      return { orgId: as.orgId, keyId, userId: 'u', sandbox };
    },
  };
}

/** The result of an accepted command; throws for a refused one. */
export function resultOf<R>(verdict: Verdict): R {
  if (!verdict.ok) throw new Error(`${verdict.code}: ${verdict.message}`);
  return verdict.result as R;
}

/** Matches a refusal whose message contains this text. */
export function refusal(code: ErrorCode, message = ''): object {
  return { ok: false, code, message: expect.stringContaining(message) };
}
