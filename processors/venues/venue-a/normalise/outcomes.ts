/** The outcome markets: tracks which exist and how they are grouped, and emits their changes. */
import { FieldError } from '#schemas/domain/json-fields';
import { marketTopics } from '#schemas/topics/normalised';
import { outcomeCoin } from './coins.ts';
import { addListedIds } from './listed-ids.ts';
import { isSameMarket, type MarketWriter, RESOLVED_FLAGS, toMarket } from './outcome-market.ts';
import type { Outcome, OutcomeMeta, OutcomeUpdate, Question } from './outcome-messages.ts';
import type { KnownOutcome, OutcomeState } from './outcome-state.ts';

/** Bounds of the time when an outcome was resolved, and its deadline. */
export interface OutcomeEnd {
  /** Receive time of the first message that showed it, unix ms. */
  readonly closedAt: number;
  readonly decidedAfter: number;
  readonly endTime: number | null;
}

/**
 * Processes the complete list. Only open outcomes are listed, so a missing one is closed. An empty list is refused
 * while outcomes are open, since they do not all close between two lists. A list that lacks many outcomes is accepted:
 * it may be right, and otherwise the next one opens them again. Throws `FieldError`.
 */
export function processOutcomeMeta(state: OutcomeState, meta: OutcomeMeta, writer: MarketWriter): void {
  if (meta.outcomes.length === 0) {
    const open = [...state.outcomes.values()].filter(({ closedAt }) => closedAt === null).length;
    if (open > 0) throw new FieldError('answer.outcomes', `outcomes (open until now: ${open})`, meta.outcomes);
  }
  const ids = meta.outcomes.map(({ outcome }) => outcome);
  addListedIds(state.listedIds, ids, writer.receivedAt);
  const listed = new Set(ids);
  for (const id of state.settled) if (!listed.has(id)) state.settled.delete(id);
  state.questions.clear();
  for (const question of meta.questions) state.questions.set(question.question, question);
  const parents = parentsOf(state);
  for (const outcome of meta.outcomes) {
    if (!state.settled.has(outcome.outcome)) emitLive(state, outcome, parents.get(outcome.outcome), writer);
  }
  for (const [id, known] of state.outcomes) if (!listed.has(id)) closeMarket(known, writer);
}

/** Processes one change. @param isTimely false if it may have happened before the connection was established. */
export function processOutcomeUpdate(
  state: OutcomeState,
  update: OutcomeUpdate,
  writer: MarketWriter,
  isTimely: boolean,
): void {
  switch (update.kind) {
    case 'created':
      emitLive(state, update.outcome, parentsOf(state).get(update.outcome.outcome), writer);
      break;
    case 'settled':
      closeOutcome(state, update.outcome, writer, isTimely);
      break;
    case 'questionUpdated':
      state.questions.set(update.question.question, update.question);
      for (const id of outcomesOf(update.question)) {
        const known = state.outcomes.get(id);
        if (known && known.closedAt === null) emitMarket(state, known.outcome, update.question, writer);
      }
      break;
    case 'questionSettled': {
      const question = state.questions.get(update.question);
      if (question) for (const id of outcomesOf(question)) closeOutcome(state, id, writer, isTimely);
      state.questions.delete(update.question);
      break;
    }
  }
}

/** Forgets outcomes that closed before a time and returns their coins. What was emitted for them remains valid. */
export function forgetClosed(state: OutcomeState, closedBefore: number): readonly string[] {
  const coins: string[] = [];
  for (const [id, { closedAt }] of state.outcomes) {
    if (closedAt === null || closedAt >= closedBefore) continue;
    state.outcomes.delete(id);
    coins.push(outcomeCoin(id, 0), outcomeCoin(id, 1));
  }
  return coins;
}

/** Closes an outcome; returns null for an unknown one. @param isTimely as for `processOutcomeUpdate`. */
export function closeOutcome(
  state: OutcomeState,
  id: number,
  writer: MarketWriter,
  isTimely: boolean,
): OutcomeEnd | null {
  state.settled.add(id);
  const known = state.outcomes.get(id);
  if (!known) return null;
  const { receivedAt } = writer;
  if (isTimely && known.closedAt === null) known.decidedAfter = receivedAt;
  closeMarket(known, writer);
  const { decidedAfter, market } = known;
  // It was reported as not resolved after it closed, so it is resolved now.
  const closedAt = known.closedAt === null || known.closedAt < decidedAfter ? receivedAt : known.closedAt;
  return { closedAt, decidedAfter, endTime: market.endTime };
}

/** Notes that an outcome, listed or not, is not resolved yet. */
export function markUnresolved({ outcomes }: OutcomeState, id: number, receivedAt: number): void {
  const known = outcomes.get(id);
  if (known) known.decidedAfter = receivedAt;
}

function outcomesOf({ named, fallback }: Question): readonly number[] {
  return fallback === null ? named : [...named, fallback];
}

/** Returns the question of each outcome that has one. */
function parentsOf(state: OutcomeState): ReadonlyMap<number, Question> {
  const parents = new Map<number, Question>();
  for (const question of state.questions.values()) for (const id of outcomesOf(question)) parents.set(id, question);
  return parents;
}

/** Emits an open outcome if its market is new or changed. */
function emitLive(state: OutcomeState, outcome: Outcome, question: Question | undefined, writer: MarketWriter): void {
  emitMarket(state, outcome, question, writer);
  state.outcomes.get(outcome.outcome)!.decidedAfter = writer.receivedAt;
}

function emitMarket(state: OutcomeState, outcome: Outcome, question: Question | undefined, writer: MarketWriter): void {
  const known = state.outcomes.get(outcome.outcome);
  const { receivedAt } = writer;
  const market = toMarket(outcome, question, writer);
  if (known && isSameMarket(known.market, market)) return;
  const decidedAfter = known?.decidedAfter ?? receivedAt;
  state.outcomes.set(outcome.outcome, { outcome, market, closedAt: null, decidedAfter });
  writer.emit(marketTopics.venue_a, market.marketId, market);
}

function closeMarket(known: KnownOutcome, { receivedAt, emit }: MarketWriter): void {
  if (known.closedAt !== null) return;
  known.closedAt = receivedAt;
  known.market = { ...known.market, receivedAt, ...RESOLVED_FLAGS };
  emit(marketTopics.venue_a, known.market.marketId, known.market);
}
