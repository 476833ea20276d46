/** The outcome markets: which there are, what belongs together, and what is told of each. */
import type { Emit } from '#infra/stages/stage';
import { type Market, marketTopics } from '#schemas/topics/normalised';
import { outcomeCoin, parseOutcomeCoin } from './coins.ts';
import { parseExpiry, parsePairs } from './outcome-description.ts';
import type { Outcome, OutcomeMeta, OutcomeUpdate, Question } from './outcome-messages.ts';

/** An outcome with what was told of it last. */
interface KnownOutcome {
  outcome: Outcome;
  market: Market;
  /** When it was told to be over. */
  closedAt: number | null;
}

export interface OutcomeState {
  /** By outcome id. */
  readonly outcomes: Map<number, KnownOutcome>;
  /** By question id. */
  readonly questions: Map<number, Question>;
  /** Outcomes told to be settled; an answer that was under way then may still list them. */
  readonly settled: Set<number>;
}

export function createOutcomeState(): OutcomeState {
  return { outcomes: new Map(), questions: new Map(), settled: new Set() };
}

/** Where a change of the markets goes, and what is told of all of them. */
export interface MarketWriter {
  /** Taker fee rate of the venue's outcome markets. */
  readonly takerFeeRate: string;
  readonly receivedAt: number;
  readonly emit: Emit;
}

/** The name of the side that a coin stands for; null for other coins and outcomes not known. */
export function outcomeNameOf(state: OutcomeState, coin: string): string | null {
  const parsed = coin.startsWith('#') ? parseOutcomeCoin(coin) : null;
  return (parsed && state.outcomes.get(parsed.outcome)?.outcome.sides[parsed.side]) ?? null;
}

/** Takes the whole list in: only live outcomes are on it, so one that is no longer there is over. */
export function takeOutcomeMeta(state: OutcomeState, meta: OutcomeMeta, writer: MarketWriter): void {
  const listed = new Set(meta.outcomes.map(({ outcome }) => outcome));
  for (const id of state.settled) if (!listed.has(id)) state.settled.delete(id);
  state.questions.clear();
  for (const question of meta.questions) state.questions.set(question.question, question);
  const parents = parentsOf(state);
  for (const outcome of meta.outcomes) {
    if (!state.settled.has(outcome.outcome)) tellMarket(state, outcome, parents.get(outcome.outcome), writer);
  }
  for (const [id, known] of state.outcomes) if (!listed.has(id)) closeMarket(known, writer);
}

/** Takes one change in. */
export function takeOutcomeUpdate(state: OutcomeState, update: OutcomeUpdate, writer: MarketWriter): void {
  switch (update.kind) {
    case 'created':
      tellMarket(state, update.outcome, parentsOf(state).get(update.outcome.outcome), writer);
      break;
    case 'settled':
      settle(state, update.outcome, writer);
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
      if (question) for (const id of outcomesOf(question)) settle(state, id, writer);
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

function settle(state: OutcomeState, id: number, writer: MarketWriter): void {
  state.settled.add(id);
  const known = state.outcomes.get(id);
  if (known) closeMarket(known, writer);
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

function tellMarket(state: OutcomeState, outcome: Outcome, question: Question | undefined, writer: MarketWriter): void {
  const known = state.outcomes.get(outcome.outcome);
  const market = toMarket(outcome, question, writer);
  if (known && isSame(known.market, market)) return;
  state.outcomes.set(outcome.outcome, { outcome, market, closedAt: null });
  writer.emit(marketTopics.venue_a, market.marketId, market);
}

function closeMarket(known: KnownOutcome, { receivedAt, emit }: MarketWriter): void {
  if (known.closedAt !== null) return;
  known.closedAt = receivedAt;
  known.market = { ...known.market, receivedAt, active: false, closed: true };
  emit(marketTopics.venue_a, known.market.marketId, known.market);
}

function toMarket(outcome: Outcome, question: Question | undefined, writer: MarketWriter): Market {
  const { outcome: id, name, description, sides } = outcome;
  const pairs = { ...parsePairs(question?.description ?? ''), ...parsePairs(description) };
  const yes = outcomeCoin(id, 0);
  return {
    provider: 'venue_a_outcome',
    marketId: yes,
    receivedAt: writer.receivedAt,
    title: name,
    description,
    groupTitle: question?.name ?? null,
    groupItemTitle: null,
    slug: null,
    resolutionSource: null,
    startTime: null,
    endTime: parseExpiry(pairs.expiry),
    instruments: [yes, outcomeCoin(id, 1)],
    outcomes: [...sides],
    active: true,
    closed: false,
    takerFeeRate: writer.takerFeeRate,
    fields: JSON.stringify({ ...pairs, ...placeIn(question, id), outcome: outcome.raw }),
  };
}

/** Where an outcome stands in its question: what its bucket is, say, follows from that alone. */
function placeIn(question: Question | undefined, id: number) {
  if (!question) return {};
  const index = question.named.indexOf(id);
  return { question, namedIndex: index < 0 ? null : index };
}

function isSame(a: Market, b: Market): boolean {
  return JSON.stringify({ ...a, receivedAt: 0 }) === JSON.stringify({ ...b, receivedAt: 0 });
}
