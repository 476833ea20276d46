import type { z } from 'zod';
import type { ControlCommand } from '../../topics/control.ts';
import { auditEntries } from './audit.ts';
import { type CommandType, type Decision, type KeyCommand, type Refusal, refused, type Verdict } from './command.ts';
import { bindWallet } from './commands/bind-wallet.ts';
import { changeOrganization } from './commands/change-organization.ts';
import { changeWebhook } from './commands/change-webhook.ts';
import { closeSession } from './commands/close-session.ts';
import { createKey } from './commands/create-key.ts';
import { createOrganization } from './commands/create-organization.ts';
import { createPlatformAttribution } from './commands/create-platform-attribution.ts';
import { createWebhook } from './commands/create-webhook.ts';
import { deleteOrganization } from './commands/delete-organization.ts';
import { deletePlatformAttribution } from './commands/delete-platform-attribution.ts';
import { deleteWebhook } from './commands/delete-webhook.ts';
import { disableWebhook } from './commands/disable-webhook.ts';
import { openSession } from './commands/open-session.ts';
import { redeliverWebhook } from './commands/redeliver-webhook.ts';
import { revokeKey } from './commands/revoke-key.ts';
import { rotateWebhookSecret } from './commands/rotate-webhook-secret.ts';
import { seedAdminKey } from './commands/seed-admin-key.ts';
import { testWebhook } from './commands/test-webhook.ts';
import { unbindWallet } from './commands/unbind-wallet.ts';
import { type Actor, type Envelope, envelopeSchema } from './envelope.ts';
import { earlierAnswer, keepAnswer, namedRequest, turnGenerations } from './idempotency.ts';
import { isoTime } from './iso-time.ts';
import { goodKey } from './lookups.ts';
import { type QuickCheck, quickCheckOf } from './quick-check.ts';
import { isNewId } from './recent-ids.ts';
import type { ControlState } from './state.ts';

/** Beyond it a `Date` cannot be made. */
const WALL_TIME_MAX = 8_640_000_000_000_000;

/** Every sort of command. */
export const COMMAND_TYPES: ReadonlyMap<string, CommandType<unknown, unknown>> = new Map(
  [
    seedAdminKey,
    createKey,
    revokeKey,
    createOrganization,
    changeOrganization,
    deleteOrganization,
    bindWallet,
    unbindWallet,
    createPlatformAttribution,
    deletePlatformAttribution,
    createWebhook,
    changeWebhook,
    disableWebhook,
    deleteWebhook,
    rotateWebhookSecret,
    testWebhook,
    redeliverWebhook,
    openSession,
    closeSession,
  ].map((command) => [command.type, command as unknown as CommandType<unknown, unknown>]),
);

interface Checked {
  readonly type: CommandType<unknown, unknown>;
  readonly isSurelyGood: QuickCheck;
}

const CHECKED: ReadonlyMap<string, Checked> = new Map(
  Array.from(COMMAND_TYPES, ([name, type]) => [name, { type, isSurelyGood: quickCheckOf(type.body) }]),
);
const isEnvelope = quickCheckOf(envelopeSchema);

/** A command whose text was understood. */
interface Asked extends Checked {
  readonly id: string;
  readonly body: unknown;
  readonly moment: { readonly wallTime: number; readonly at: string };
}

/**
 * Decides one command, in log order. Pure but for the state, which it changes in place: every node that has read as far
 * has come to the same verdicts. Never throws, whatever the command holds.
 */
export function reduceControl(state: ControlState, command: ControlCommand): Verdict {
  const { id, wallTime, body } = command;
  const checked = CHECKED.get(command.type);
  if (!checked) return notDecided(refused('bad_request', `unknown command ${command.type}`));
  if (!(Math.abs(wallTime) <= WALL_TIME_MAX)) return notDecided(refused('bad_request', 'wallTime: is no time'));
  const { type, isSurelyGood } = checked;
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return notDecided(refused('bad_request', `the body of ${type.type} is no JSON`));
  }
  if (!isNewId(state.recentIds, id)) return notDecided(refused('conflict', 'the command stands in the log twice'));
  turnGenerations(state.idempotency, wallTime);
  const asked = { id, type, isSurelyGood, body: value, moment: { wallTime, at: isoTime(wallTime) } };
  return type.by === 'service' ? verdictOf(asked, null, decide(state, asked, null)) : decideForKey(state, asked, type);
}

/** The one place for what holds for every command of a client: its key is good, and its `Idempotency-Key` counts once. */
function decideForKey(state: ControlState, asked: Asked, { by }: KeyCommand<unknown, unknown>): Verdict {
  const envelope = understood<Envelope>(asked.body, isEnvelope, envelopeSchema);
  if (!envelope.ok) return notDecided(envelope);
  const { actor: claimed, idempotency } = envelope.value;
  const key = goodKey(state, claimed.keyId)?.key;
  // It may have been revoked after the node that asks has let it in.
  if (key?.orgId !== claimed.orgId || key.sandbox !== claimed.sandbox)
    return notDecided(refused('unauthenticated', 'the API key is not known or was revoked'));
  if (by === 'admin' && !key.scopes.includes('admin'))
    return notDecided(refused('forbidden_scope', 'this needs the scope admin, which the key lacks'));
  // The key's own texts instead of equal ones: rows share them, and their hashes are known.
  const actor: Actor = { orgId: key.orgId, keyId: key.id, userId: claimed.userId, sandbox: key.sandbox };
  const { wallTime } = asked.moment;
  const request = idempotency && namedRequest(idempotency);
  const earlier = request && earlierAnswer(state.idempotency, actor, request, wallTime);
  if (earlier) {
    const { answer, replayed } = earlier;
    return answer.ok
      ? { ok: true, result: answer.result, revokedKeyIds: [], audit: [], replayed }
      : { ...answer, replayed };
  }
  const decision = decide(state, asked, actor);
  if (request) keepAnswer(state.idempotency, actor, request, wallTime, decision);
  return verdictOf(asked, actor, decision);
}

function decide(
  state: ControlState,
  { type, body, isSurelyGood, moment }: Asked,
  actor: Actor | null,
): Decision<unknown> {
  const parsed = understood(body, isSurelyGood, type.body);
  if (!parsed.ok) return parsed;
  // Commands of the service are decided without an actor, all others with one.
  return type.by === 'service'
    ? type.decide(state, parsed.value, moment)
    : type.decide(state, parsed.value, { wallTime: moment.wallTime, at: moment.at, actor: actor! });
}

/** The body as the schema reads it, at little cost where it is surely good. */
function understood<T>(
  body: unknown,
  isSurelyGood: QuickCheck,
  schema: z.ZodType<T>,
): { readonly ok: true; readonly value: T } | Refusal {
  if (isSurelyGood(body)) return { ok: true, value: body as T };
  const parsed = schema.safeParse(body);
  return parsed.success ? { ok: true, value: parsed.data } : invalid(parsed.error);
}

function invalid({
  issues,
}: {
  readonly issues: readonly { path: readonly PropertyKey[]; message: string }[];
}): Refusal {
  return refused(
    'validation_failed',
    issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`).join('; '),
  );
}

function notDecided(refusal: Refusal): Verdict {
  return { ...refusal, replayed: false };
}

function verdictOf({ id, type, moment }: Asked, actor: Actor | null, decision: Decision<unknown>): Verdict {
  if (!decision.ok) return notDecided(decision);
  const { result, change } = decision;
  return {
    ok: true,
    result,
    revokedKeyIds: change?.revokedKeyIds ?? [],
    audit: change ? auditEntries({ id, action: type.action, at: moment.at }, actor, change) : [],
    replayed: false,
  };
}
