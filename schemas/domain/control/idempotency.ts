/**
 * What was answered under which `Idempotency-Key` (the contract, Organizations): decided by the reducer, so that it
 * holds over nodes. Two generations of a day each hold the answers: one is kept at least 24 hours, and forgetting a
 * day's worth is one assignment.
 */
import { type Decision, type Refusal, refused } from './command.ts';
import type { IdempotencyRequest } from './envelope.ts';
import { jsonLength } from './json-length.ts';
import { type Owner, ownerName } from './owner.ts';

export const IDEMPOTENCY_MS = 24 * 60 * 60 * 1_000;
/** Answers that one owner may have kept in a generation: one organization cannot fill the memory of every node. */
export const IDEMPOTENCY_ANSWERS_MAX = 100_000;
/** Characters that these answers may have with their names and digests (`jsonLength`); the last one may pass it. */
export const IDEMPOTENCY_LENGTH_MAX = 32 * 1_024 * 1_024;

/** An answer that can be given again. Results hold no secrets, so neither does this. */
type Answer = { readonly ok: true; readonly result: unknown } | Refusal;

/** An answer that was given. */
export interface Kept {
  readonly at: number;
  readonly bodyDigest: string;
  readonly answer: Answer;
}

/** The answers of one owner. */
export interface OwnAnswers {
  /** By route and key; set by `putAnswer` only, which keeps `length` true. */
  readonly byName: Map<string, Kept>;
  /** Of all of them. Follows from them, so a snapshot does not hold it. */
  length: number;
}

interface Generation {
  readonly startedAt: number;
  /** By owner. */
  readonly kept: Map<string, OwnAnswers>;
}

export interface Idempotency {
  current: Generation;
  previous: Generation;
}

function newGeneration(startedAt: number): Generation {
  return { startedAt, kept: new Map() };
}

export function initialIdempotency(): Idempotency {
  return { current: newGeneration(0), previous: newGeneration(0) };
}

/** Whether two wall times are a day apart. Nodes' clocks differ, so time may also seem to have gone back. */
function isDayApart(a: number, b: number): boolean {
  return Math.abs(a - b) >= IDEMPOTENCY_MS;
}

/** Forgets what is too old: to be called for every command, with its wall time. */
export function turnGenerations(state: Idempotency, wallTime: number): void {
  if (!isDayApart(wallTime, state.current.startedAt)) return;
  state.previous = state.current;
  state.current = newGeneration(wallTime);
}

/** A request as its answer is kept. */
export interface NamedRequest {
  /** Its route and its key. */
  readonly name: string;
  readonly bodyDigest: string;
}

/** To be made once for each request: a text that is put together is hashed anew each time. */
export function namedRequest({ route, key, bodyDigest }: IdempotencyRequest): NamedRequest {
  return { name: `${route} ${key}`, bodyDigest };
}

/** The answer that was given under this key, 422 for another body, or null when the command is to be decided. */
export function earlierAnswer(
  { current, previous }: Idempotency,
  owner: Owner,
  { name, bodyDigest }: NamedRequest,
  wallTime: number,
): { readonly answer: Answer; readonly replayed: boolean } | null {
  const by = ownerName(owner);
  const own = current.kept.get(by);
  const kept = own?.byName.get(name) ?? previous.kept.get(by)?.byName.get(name);
  if (kept && !isDayApart(wallTime, kept.at)) {
    if (kept.bodyDigest === bodyDigest) return { answer: kept.answer, replayed: true };
    const answer = refused('validation_failed', 'Idempotency-Key: was used with another body', { status: 422 });
    return { answer, replayed: false };
  }
  if (!own || (own.byName.size < IDEMPOTENCY_ANSWERS_MAX && own.length < IDEMPOTENCY_LENGTH_MAX)) return null;
  const retryAfterSeconds = Math.max(1, Math.ceil((current.startedAt + IDEMPOTENCY_MS - wallTime) / 1_000));
  const answer = refused('quota_exceeded', 'Idempotency-Key: too many within a day', { retryAfterSeconds });
  return { answer, replayed: false };
}

/** Keeps what was decided under this key. */
export function keepAnswer(
  { current }: Idempotency,
  owner: Owner,
  { name, bodyDigest }: NamedRequest,
  wallTime: number,
  decision: Decision<unknown>,
): void {
  const answer: Answer = decision.ok ? { ok: true, result: decision.result } : decision;
  putAnswer(current.kept, ownerName(owner), name, { at: wallTime, bodyDigest, answer });
}

/** Puts an answer of an owner (`ownerName`), in place of an older one of that name. */
export function putAnswer(generation: Map<string, OwnAnswers>, by: string, name: string, kept: Kept): void {
  let own = generation.get(by);
  if (!own) {
    own = { byName: new Map(), length: 0 };
    generation.set(by, own);
  }
  // A clock that goes back makes an answer of this generation too old.
  const before = own.byName.get(name);
  own.byName.set(name, kept);
  own.length += lengthOf(name, kept) - (before ? lengthOf(name, before) : 0);
}

function lengthOf(name: string, { bodyDigest, answer }: Kept): number {
  return name.length + bodyDigest.length + jsonLength(answer);
}
