/** Reads outcomes and questions of `outcomeMeta` and `outcomeMetaUpdates` (venue page, sections 3.5 and 7). */
import {
  asList,
  asObject,
  asText,
  FieldError,
  type JsonObject,
  readInteger,
  readList,
  readObject,
} from '#schemas/domain/json-fields';

/** A question with two sides, each a coin. */
export interface Outcome {
  readonly outcome: number;
  readonly name: string;
  readonly description: string;
  /** Names of side 0 and side 1. */
  readonly sides: readonly [string, string];
  /** The original object of the venue. */
  readonly raw: JsonObject;
}

/** A question that several outcomes answer together. */
export interface Question {
  readonly question: number;
  readonly name: string;
  readonly description: string;
  /** Ids of its outcomes in the venue's order. */
  readonly named: readonly number[];
  /** The outcome for "none of them". */
  readonly fallback: number | null;
}

export interface OutcomeMeta {
  readonly outcomes: readonly Outcome[];
  readonly questions: readonly Question[];
}

export type OutcomeUpdate =
  | { readonly kind: 'created'; readonly outcome: Outcome }
  | { readonly kind: 'settled'; readonly outcome: number }
  | { readonly kind: 'questionUpdated'; readonly question: Question }
  | { readonly kind: 'questionSettled'; readonly question: number };

/** Reads an answer of `outcomeMeta`. Throws `FieldError`. */
export function readOutcomeMeta(answer: unknown, field: string): OutcomeMeta {
  const { outcomes, questions } = readObject(answer, field);
  return {
    outcomes: readList(outcomes, `${field}.outcomes`).map((value, at) =>
      readOutcome(value, `${field}.outcomes[${at}]`),
    ),
    questions: readList(questions ?? [], `${field}.questions`).map((value, at) =>
      readQuestion(value, `${field}.questions[${at}]`),
    ),
  };
}

/** Reads updates, a plain list or `{updates}`; unknown kinds are left out. Throws `FieldError`. */
export function readOutcomeUpdates(data: unknown): readonly OutcomeUpdate[] {
  const list = Array.isArray(data) ? data : readList(readObject(data, 'data').updates, 'data.updates');
  return list.flatMap((value, at) => readUpdate(readObject(value, `data[${at}]`), `data[${at}]`));
}

function readUpdate(update: JsonObject, field: string): OutcomeUpdate[] {
  const { outcomeCreated, outcomeSettled, questionUpdated, questionSettled } = update;
  if (outcomeCreated !== undefined) {
    return [{ kind: 'created', outcome: readOutcome(outcomeCreated, `${field}.outcomeCreated`) }];
  }
  if (outcomeSettled !== undefined) {
    return [{ kind: 'settled', outcome: readId(outcomeSettled, 'outcome', `${field}.outcomeSettled`) }];
  }
  if (questionUpdated !== undefined) {
    return [{ kind: 'questionUpdated', question: readQuestion(questionUpdated, `${field}.questionUpdated`) }];
  }
  if (questionSettled !== undefined) {
    return [{ kind: 'questionSettled', question: readId(questionSettled, 'question', `${field}.questionSettled`) }];
  }
  return [];
}

/** Reads an id, alone or in an object. */
function readId(value: unknown, name: 'outcome' | 'question', field: string): number {
  const id = typeof value === 'object' ? readObject(value, field)[name] : value;
  return readInteger(id, field);
}

/** Reads one outcome. Throws `FieldError`. */
export function readOutcome(value: unknown, field: string): Outcome {
  const raw = readObject(value, field);
  return {
    outcome: readInteger(raw.outcome, `${field}.outcome`),
    name: readWords(raw.name, `${field}.name`),
    description: readWords(raw.description, `${field}.description`),
    sides: [sideName(raw.sideSpecs, 0) ?? 'Yes', sideName(raw.sideSpecs, 1) ?? 'No'],
    raw,
  };
}

/** Returns the name of a side; null in old entries, which have no side names (side 0 is Yes then and side 1 No). */
function sideName(sides: unknown, side: 0 | 1): string | null {
  return asText(asObject(asList(sides)[side]).name);
}

function readQuestion(value: unknown, field: string): Question {
  const raw = readObject(value, field);
  const { fallbackOutcome } = raw;
  return {
    question: readInteger(raw.question, `${field}.question`),
    name: readWords(raw.name, `${field}.name`),
    description: readWords(raw.description, `${field}.description`),
    named: readIds(raw.namedOutcomes, `${field}.namedOutcomes`),
    fallback:
      fallbackOutcome === undefined || fallbackOutcome === null
        ? null
        : readInteger(fallbackOutcome, `${field}.fallbackOutcome`),
  };
}

function readIds(value: unknown, field: string): readonly number[] {
  return readList(value ?? [], field).map((id, at) => readInteger(id, `${field}[${at}]`));
}

/** Reads text that may be missing or empty, as in old entries. */
function readWords(value: unknown, field: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw new FieldError(field, 'text', value);
  return value;
}
