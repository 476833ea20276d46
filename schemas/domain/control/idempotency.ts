/**
 * Stores the answer to each `Idempotency-Key` (contract, Organizations). The reducer does it, so that it works across
 * nodes. Two generations of a day each hold the answers, so that an answer is stored for at least 24 hours and dropping
 * the answers of a day is one assignment.
 */
import { type Decision, type Refusal, refused } from './decision.ts';
import type { IdempotencyRequest } from './envelope.ts';
import { jsonLength } from './json-length.ts';
import { type Owner, ownerName } from './owner.ts';

const IDEMPOTENCY_MS = 24 * 60 * 60 * 1_000;
/** Answers that one owner may have in a generation: one organization cannot fill the memory of every node. */
export const IDEMPOTENCY_ANSWERS_MAX = 100_000;
/** Characters of these answers with their names and digests (`jsonLength`); the last answer may exceed the bound. */
export const IDEMPOTENCY_LENGTH_MAX = 32 * 1_024 * 1_024;

/** An answer that can be returned again. Results contain no secrets, so neither does this. */
type Answer = { readonly ok: true; readonly result: unknown } | Refusal;

/** An answer with the time and the request that it belongs to. */
export interface StoredAnswer {
  readonly at: number;
  readonly bodyDigest: string;
  readonly answer: Answer;
}

/** The answers of one owner. */
export interface OwnAnswers {
  /** By route and key; changed only by `putAnswer`, which updates `length`. */
  readonly byName: Map<string, StoredAnswer>;
  /** Total length of the answers. It follows from them, so a snapshot does not contain it. */
  length: number;
}

interface Generation {
  readonly startedAt: number;
  /** By owner. */
  readonly answers: Map<string, OwnAnswers>;
}

export interface Idempotency {
  current: Generation;
  previous: Generation;
}

function newGeneration(startedAt: number): Generation {
  return { startedAt, answers: new Map() };
}

export function initialIdempotency(): Idempotency {
  return { current: newGeneration(0), previous: newGeneration(0) };
}

/** True if two wall times are a day apart. Nodes' clocks differ, so time may also seem to go back. */
function isDayApart(a: number, b: number): boolean {
  return Math.abs(a - b) >= IDEMPOTENCY_MS;
}

/** Drops answers that are too old. Must be called for every command, with its wall time. */
export function rotateGenerations(state: Idempotency, wallTime: number): void {
  if (!isDayApart(wallTime, state.current.startedAt)) return;
  state.previous = state.current;
  state.current = newGeneration(wallTime);
}

/** The name and digest under which the answer to a request is stored. */
export interface NamedRequest {
  /** Its route and its key. */
  readonly name: string;
  readonly bodyDigest: string;
}

/** Call it once for each request: each new string is hashed again by the maps. */
export function namedRequest({ route, key, bodyDigest }: IdempotencyRequest): NamedRequest {
  return { name: `${route} ${key}`, bodyDigest };
}

/** The stored answer of this key, 422 for another body, 429 at the bounds, or null if the command must be decided. */
export function findAnswer(
  { current, previous }: Idempotency,
  owner: Owner,
  { name, bodyDigest }: NamedRequest,
  wallTime: number,
): { readonly answer: Answer; readonly replayed: boolean } | null {
  const by = ownerName(owner);
  const own = current.answers.get(by);
  const stored = own?.byName.get(name) ?? previous.answers.get(by)?.byName.get(name);
  if (stored && !isDayApart(wallTime, stored.at)) {
    if (stored.bodyDigest === bodyDigest) return { answer: stored.answer, replayed: true };
    const answer = refused('validation_failed', 'Idempotency-Key: was already used with another body', { status: 422 });
    return { answer, replayed: false };
  }
  if (!own || (own.byName.size < IDEMPOTENCY_ANSWERS_MAX && own.length < IDEMPOTENCY_LENGTH_MAX)) return null;
  const retryAfterSeconds = Math.max(1, Math.ceil((current.startedAt + IDEMPOTENCY_MS - wallTime) / 1_000));
  const answer = refused('quota_exceeded', 'Idempotency-Key: too many keys within a day', { retryAfterSeconds });
  return { answer, replayed: false };
}

/** Stores the decision under this key. */
export function storeAnswer(
  { current }: Idempotency,
  owner: Owner,
  { name, bodyDigest }: NamedRequest,
  wallTime: number,
  decision: Decision<unknown>,
): void {
  const answer: Answer = decision.ok ? { ok: true, result: decision.result } : decision;
  putAnswer(current.answers, ownerName(owner), name, { at: wallTime, bodyDigest, answer });
}

/** Stores an answer of an owner (`ownerName`) and replaces an older one of that name. */
export function putAnswer(generation: Map<string, OwnAnswers>, by: string, name: string, stored: StoredAnswer): void {
  let own = generation.get(by);
  if (!own) {
    own = { byName: new Map(), length: 0 };
    generation.set(by, own);
  }
  // An answer of this generation can be too old if a clock went back.
  const before = own.byName.get(name);
  own.byName.set(name, stored);
  own.length += lengthOf(name, stored) - (before ? lengthOf(name, before) : 0);
}

function lengthOf(name: string, { bodyDigest, answer }: StoredAnswer): number {
  return name.length + bodyDigest.length + jsonLength(answer);
}
