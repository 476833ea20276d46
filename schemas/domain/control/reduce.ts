import type { z } from 'zod';
import type { ControlCommand } from '../../topics/control.ts';
import { auditEntries } from './audit.ts';
import type { CommandType, KeyCommand } from './command.ts';
import { COMMAND_TYPES } from './command-types.ts';
import { type Decision, type Refusal, refused, type Verdict } from './decision.ts';
import { type Actor, type Envelope, envelopeSchema } from './envelope.ts';
import { findAnswer, namedRequest, rotateGenerations, storeAnswer } from './idempotency.ts';
import { isoTime } from './iso-time.ts';
import { activeKey } from './lookups.ts';
import { rememberId } from './recent-ids.ts';
import type { ControlState } from './state.ts';

/** The last time that a `Date` can hold, unix ms. */
const WALL_TIME_MAX = 8_640_000_000_000_000;

/** The fields of a record of `control.commands` that the reducer reads. */
type CommandFields = Pick<ControlCommand, 'id' | 'wallTime' | 'type' | 'body'>;

/** A command whose type and time are known and whose body is JSON. */
interface ParsedCommand {
  readonly ok: true;
  readonly id: string;
  readonly type: CommandType<unknown, unknown>;
  /** Unix ms. */
  readonly wallTime: number;
  /** `wallTime` as ISO-8601. */
  readonly at: string;
  /** Envelope and arguments, not validated yet. */
  readonly body: unknown;
}

/**
 * Decides one command, in log order. Pure except for the state, which it changes in place: every node that has read up to
 * the same offset has reached the same verdicts. Never throws, whatever the command contains.
 */
export function reduceControl(state: ControlState, command: CommandFields): Verdict {
  const parsedCommand = parseCommand(command);
  if (!parsedCommand.ok) return refusalVerdict(parsedCommand);
  const { id, wallTime, type } = parsedCommand;
  if (!rememberId(state.recentIds, id))
    return refusalVerdict(refused('conflict', 'the command was already decided: it is in the log twice'));
  rotateGenerations(state.idempotency, wallTime);
  return type.by === 'service'
    ? verdictOf(parsedCommand, null, decide(state, parsedCommand, null))
    : decideForKey(state, parsedCommand, type);
}

function parseCommand({ id, wallTime, type: name, body: text }: CommandFields): ParsedCommand | Refusal {
  const type = COMMAND_TYPES.get(name);
  if (!type) return refused('bad_request', `unknown command ${name}`);
  if (!(Math.abs(wallTime) <= WALL_TIME_MAX)) return refused('bad_request', 'wallTime: must be a valid time');
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return refused('bad_request', `the body of ${name} must be JSON`);
  }
  return { ok: true, id, type, wallTime, at: isoTime(wallTime), body };
}

/** Checks what applies to every command of a client: its key is active, and its `Idempotency-Key` counts once. */
function decideForKey(
  state: ControlState,
  parsedCommand: ParsedCommand,
  { by }: KeyCommand<unknown, unknown>,
): Verdict {
  const envelope = validated<Envelope>(parsedCommand.body, envelopeSchema);
  if (!envelope.ok) return refusalVerdict(envelope);
  const { actor: claimed, idempotency } = envelope.value;
  const key = activeKey(state, claimed.keyId)?.key;
  // It may have been revoked after the node accepted the request.
  if (key?.orgId !== claimed.orgId || key.sandbox !== claimed.sandbox)
    return refusalVerdict(refused('unauthenticated', 'the API key is unknown or was revoked'));
  if (by === 'admin' && !key.scopes.includes('admin'))
    return refusalVerdict(refused('forbidden_scope', 'the key lacks the scope admin, which this command requires'));
  // Uses the key's own strings instead of equal ones: rows share them, and their hashes are computed already.
  const actor: Actor = { orgId: key.orgId, keyId: key.id, userId: claimed.userId, sandbox: key.sandbox };
  const { wallTime } = parsedCommand;
  const request = idempotency && namedRequest(idempotency);
  const earlier = request && findAnswer(state.idempotency, actor, request, wallTime);
  if (earlier) {
    const { answer, replayed } = earlier;
    return answer.ok
      ? { ok: true, result: answer.result, revokedKeyIds: [], audit: [], replayed }
      : { ...answer, replayed };
  }
  const decision = decide(state, parsedCommand, actor);
  if (request) storeAnswer(state.idempotency, actor, request, wallTime, decision);
  return verdictOf(parsedCommand, actor, decision);
}

function decide(state: ControlState, parsedCommand: ParsedCommand, actor: Actor | null): Decision<unknown> {
  const { type, wallTime, at } = parsedCommand;
  const parsed = validated(parsedCommand.body, type.body);
  if (!parsed.ok) return parsed;
  // Commands of the service are decided without an actor, all others with one.
  return type.by === 'service'
    ? type.decide(state, parsed.value, { wallTime, at })
    : type.decide(state, parsed.value, { wallTime, at, actor: actor! });
}

/** Parses the body; a refusal names the invalid fields. */
function validated<T>(body: unknown, schema: z.ZodType<T>): { readonly ok: true; readonly value: T } | Refusal {
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

function refusalVerdict(refusal: Refusal): Verdict {
  return { ...refusal, replayed: false };
}

function verdictOf({ id, type, at }: ParsedCommand, actor: Actor | null, decision: Decision<unknown>): Verdict {
  if (!decision.ok) return refusalVerdict(decision);
  const { result, change } = decision;
  return {
    ok: true,
    result,
    revokedKeyIds: change?.revokedKeyIds ?? [],
    audit: change ? auditEntries({ id, action: type.action, at }, actor, change) : [],
    replayed: false,
  };
}
