/** The outcome markets: which there are, what belongs together, and what is told of each. */
import { marketTopics } from '#schemas/topics/normalised';
import { outcomeCoin } from './coins.ts';
import { takeListedIds } from './listed-ids.ts';
import { FieldError } from './malformed-error.ts';
import { isSameMarket, MARKET_OVER, type MarketWriter, toMarket } from './outcome-market.ts';
import type { Outcome, OutcomeMeta, OutcomeUpdate, Question } from './outcome-messages.ts';
import type { KnownOutcome, OutcomeState } from './outcome-state.ts';

/** When an outcome came to its end, as far as it is known, and its deadline. */
export interface OutcomeEnd {
  /** When it was told first. */
  readonly closedAt: number;
  readonly decidedAfter: number;
  readonly endTime: number | null;
}

/**
 * Takes the whole list in: only live outcomes are on it, so one that is no longer there is over. They do not all end
 * between two lists: one without any is refused while some live. One that merely lost many may be right, and if it is
 * not, the next one brings them back.
 * Throws `FieldError`.
 */
export function takeOutcomeMeta(state: OutcomeState, meta: OutcomeMeta, writer: MarketWriter): void {
  if (meta.outcomes.length === 0) {
    const live = [...state.outcomes.values()].filter(({ closedAt }) => closedAt === null).length;
    if (live > 0) throw new FieldError('answer.outcomes', `outcomes, of which ${live} live`, meta.outcomes);
  }
  const ids = meta.outcomes.map(({ outcome }) => outcome);
  takeListedIds(state.listedIds, ids, writer.receivedAt);
  const listed = new Set(ids);
  for (const id of state.settled) if (!listed.has(id)) state.settled.delete(id);
  state.questions.clear();
  for (const question of meta.questions) state.questions.set(question.question, question);
  const parents = parentsOf(state);
  for (const outcome of meta.outcomes) {
    if (!state.settled.has(outcome.outcome)) tellLive(state, outcome, parents.get(outcome.outcome), writer);
  }
  for (const [id, known] of state.outcomes) if (!listed.has(id)) closeMarket(known, writer);
}

/**
 * Takes one change in. @param isTimely whether it is told as it happens; else it may have happened while nobody listened.
 */
export function takeOutcomeUpdate(
  state: OutcomeState,
  update: OutcomeUpdate,
  writer: MarketWriter,
  isTimely: boolean,
): void {
  switch (update.kind) {
    case 'created':
      tellLive(state, update.outcome, parentsOf(state).get(update.outcome.outcome), writer);
      break;
    case 'settled':
      endOutcome(state, update.outcome, writer, isTimely);
      break;
    case 'questionUpdated':
      state.questions.set(update.question.question, update.question);
      for (const id of outcomesOf(update.question)) {
        const known = state.outcomes.get(id);
        if (known && known.closedAt === null) tellMarket(state, known.outcome, update.question, writer);
      }
      break;
    case 'questionSettled': {
      const question = state.questions.get(update.question);
      if (question) for (const id of outcomesOf(question)) endOutcome(state, id, writer, isTimely);
      state.questions.delete(update.question);
      break;
    }
  }
}

/** Forgets the outcomes that were over by then and returns their coins. What was told of them stays told. */
export function forgetClosed(state: OutcomeState, closedBefore: number): readonly string[] {
  const coins: string[] = [];
  for (const [id, { closedAt }] of state.outcomes) {
    if (closedAt === null || closedAt >= closedBefore) continue;
    state.outcomes.delete(id);
    coins.push(outcomeCoin(id, 0), outcomeCoin(id, 1));
  }
  return coins;
}

/** Takes that an outcome is over; null for one that is not known. @param isTimely as for `takeOutcomeUpdate`. */
export function endOutcome(
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
  // Told to be over and after that to be undecided: then it is decided now.
  const closedAt = known.closedAt === null || known.closedAt < decidedAfter ? receivedAt : known.closedAt;
  return { closedAt, decidedAfter, endTime: market.endTime };
}

/** Takes that an outcome, listed or not, is not decided yet. */
export function takeUndecided({ outcomes }: OutcomeState, id: number, receivedAt: number): void {
  const known = outcomes.get(id);
  if (known) known.decidedAfter = receivedAt;
}

function outcomesOf({ named, fallback }: Question): readonly number[] {
  return fallback === null ? named : [...named, fallback];
}

/** The question of each outcome that has one. */
function parentsOf(state: OutcomeState): ReadonlyMap<number, Question> {
  const parents = new Map<number, Question>();
  for (const question of state.questions.values()) for (const id of outcomesOf(question)) parents.set(id, question);
  return parents;
}

/** Tells of an outcome that lives, where there is something new to tell. */
function tellLive(state: OutcomeState, outcome: Outcome, question: Question | undefined, writer: MarketWriter): void {
  tellMarket(state, outcome, question, writer);
  state.outcomes.get(outcome.outcome)!.decidedAfter = writer.receivedAt;
}

function tellMarket(state: OutcomeState, outcome: Outcome, question: Question | undefined, writer: MarketWriter): void {
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
  known.market = { ...known.market, receivedAt, ...MARKET_OVER };
  emit(marketTopics.venue_a, known.market.marketId, known.market);
}
