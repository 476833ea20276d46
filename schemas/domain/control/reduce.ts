import type { z } from 'zod';
import { auditEntries } from './audit.ts';
import { type Decision, type KeyCommand, type Refusal, refused, type Verdict } from './command.ts';
import { type Actor, type Envelope, envelopeSchema } from './envelope.ts';
import { earlierAnswer, keepAnswer, namedRequest, turnGenerations } from './idempotency.ts';
import { isoTime } from './iso-time.ts';
import { goodKey } from './lookups.ts';
import { type CommandText, type ReadCommand, readCommand } from './read-command.ts';
import { isNewId } from './recent-ids.ts';
import type { ControlState } from './state.ts';

/**
 * Decides one command, in log order. Pure but for the state, which it changes in place: every node that has read as far
 * has come to the same verdicts. Never throws, whatever the command holds.
 */
export function reduceControl(state: ControlState, command: CommandText): Verdict {
  return reduceRead(state, readCommand(command));
}

/** A command that was read, and when it was appended. */
interface Asked extends ReadCommand {
  /** `wallTime` as ISO-8601. */
  readonly at: string;
}

/** As `reduceControl`, of a command that `readCommand` has read already. */
export function reduceRead(state: ControlState, read: ReadCommand | Refusal): Verdict {
  if (!read.ok) return notDecided(read);
  const { id, wallTime, type, body, isSurelyGood } = read;
  if (!isNewId(state.recentIds, id)) return notDecided(refused('conflict', 'the command stands in the log twice'));
  turnGenerations(state.idempotency, wallTime);
  const asked: Asked = { ok: true, id, wallTime, type, body, isSurelyGood, at: isoTime(wallTime) };
  return type.by === 'service' ? verdictOf(asked, null, decide(state, asked, null)) : decideForKey(state, asked, type);
}

/** The one place for what holds for every command of a client: its key is good, and its `Idempotency-Key` counts once. */
function decideForKey(state: ControlState, asked: Asked, { by }: KeyCommand<unknown, unknown>): Verdict {
  const envelope = understood<Envelope>(asked, envelopeSchema);
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
  const { wallTime } = asked;
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

function decide(state: ControlState, asked: Asked, actor: Actor | null): Decision<unknown> {
  const { type, wallTime, at } = asked;
  const parsed = understood(asked, type.body);
  if (!parsed.ok) return parsed;
  // Commands of the service are decided without an actor, all others with one.
  return type.by === 'service'
    ? type.decide(state, parsed.value, { wallTime, at })
    : type.decide(state, parsed.value, { wallTime, at, actor: actor! });
}

/** The body as the schema reads it, which need not be asked where it is surely good. */
function understood<T>(
  { body, isSurelyGood }: ReadCommand,
  schema: z.ZodType<T>,
): { readonly ok: true; readonly value: T } | Refusal {
  if (isSurelyGood) return { ok: true, value: body as T };
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

function verdictOf({ id, type, at }: Asked, actor: Actor | null, decision: Decision<unknown>): Verdict {
  if (!decision.ok) return notDecided(decision);
  const { result, change } = decision;
  return {
    ok: true,
    result,
    revokedKeyIds: change?.revokedKeyIds ?? [],
    audit: change ? auditEntries({ id, action: type.action, at }, actor, change) : [],
    replayed: false,
  };
}
