/**
 * What was answered under which `Idempotency-Key` (the contract, Organizations): decided by the reducer, so that it
 * holds over nodes. Two generations of a day each hold the answers: one is kept at least 24 hours, and forgetting a
 * day's worth is one assignment.
 */
import { type Decision, type Refusal, refused } from './command.ts';
import type { IdempotencyRequest } from './envelope.ts';
import { type Owner, ownerName } from './owner.ts';

export const IDEMPOTENCY_MS = 24 * 60 * 60 * 1_000;
/** Answers that one owner may have kept in a generation: one organization cannot fill the memory of every node. */
export const IDEMPOTENCY_ANSWERS_MAX = 100_000;

/** An answer that can be given again. Results hold no secrets, so neither does this. */
type Answer = { readonly ok: true; readonly result: unknown } | Refusal;

/** An answer that was given. */
export interface Kept {
  readonly at: number;
  readonly bodyDigest: string;
  readonly answer: Answer;
}

interface Generation {
  readonly startedAt: number;
  /** By owner, then by route and key. */
  readonly kept: Map<string, Map<string, Kept>>;
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

const nameOf = ({ route, key }: IdempotencyRequest) => `${route} ${key}`;

/** The answer that was given under this key, 422 for another body, or null when the command is to be decided. */
export function earlierAnswer(
  { current, previous }: Idempotency,
  owner: Owner,
  request: IdempotencyRequest,
  wallTime: number,
): { readonly answer: Answer; readonly replayed: boolean } | null {
  const by = ownerName(owner);
  const name = nameOf(request);
  const own = current.kept.get(by);
  const kept = own?.get(name) ?? previous.kept.get(by)?.get(name);
  if (kept && !isDayApart(wallTime, kept.at)) {
    if (kept.bodyDigest === request.bodyDigest) return { answer: kept.answer, replayed: true };
    const answer = refused('validation_failed', 'Idempotency-Key: was used with another body', { status: 422 });
    return { answer, replayed: false };
  }
  if ((own?.size ?? 0) < IDEMPOTENCY_ANSWERS_MAX) return null;
  const retryAfterSeconds = Math.max(1, Math.ceil((current.startedAt + IDEMPOTENCY_MS - wallTime) / 1_000));
  const answer = refused('quota_exceeded', 'Idempotency-Key: too many within a day', { retryAfterSeconds });
  return { answer, replayed: false };
}

/** Keeps what was decided under this key. */
export function keepAnswer(
  { current }: Idempotency,
  owner: Owner,
  request: IdempotencyRequest,
  wallTime: number,
  decision: Decision<unknown>,
): void {
  const by = ownerName(owner);
  const answer: Answer = decision.ok ? { ok: true, result: decision.result } : decision;
  const kept: Kept = { at: wallTime, bodyDigest: request.bodyDigest, answer };
  const own = current.kept.get(by);
  if (own) own.set(nameOf(request), kept);
  else current.kept.set(by, new Map([[nameOf(request), kept]]));
}
