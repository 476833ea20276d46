import { createPopulation, type Population } from './accounts.ts';
import type { Asset } from './coins.ts';
import { type Injection, type Injections, placeInjections, spikeShares } from './injections.ts';
import { fillLadderBook, type LevelBook, ladderTrade, type VenueATrade } from './ladder-book.ts';
import { type Ladder, makeLadders } from './ladders.ts';
import {
  bookAfter,
  injectedMatch,
  isMatchVersion,
  MATCH_SHARE,
  MATCH_SHARES,
  type Match,
  makeMatch,
} from './matches.ts';
import { fillOutcomeBook, OUTCOME_SHARES, type OutcomeSide, outcomeTrade } from './outcome-book.ts';
import { type QuestionBook, quotedBook } from './question-book.ts';
import { type QuestionIds, questionIds } from './question-ids.ts';
import { makeQuestionSlots } from './question-slots.ts';
import { createQuestionBoard, type Question, type QuestionBoard } from './questions.ts';
import { createSchedule, type Schedule } from './schedule.ts';
import { ORIGIN_MS } from './time.ts';

/** What a world is made from: two worlds of equal settings are the same at every moment. */
export interface WorldSettings {
  readonly seed: number;
  /** Events a second: book updates and trades of both venues together. */
  readonly rate: number;
  /** Questions that both venues ask; at least so many are live at any time. */
  readonly events: number;
  /** Coins of venue_a's main dex. */
  readonly coins: number;
  /** What is to happen beside the ordinary; nothing when not given. */
  readonly inject?: readonly Injection[];
}

/** Shares of all events: seven book updates to three trades. */
const SHARES = { ladderBooks: 0.42, ladderTrades: 0.18, outcomeBooks: 0.16, outcomeTrades: 0.06, questions: 0.18 };

/** What an entry of the schedule is about. `question` is a book update or a match, as its version says. */
export type SeriesKind = 'ladder_book' | 'ladder_trade' | 'outcome_book' | 'outcome_trade' | 'question';

export interface SeriesInfo {
  readonly kind: SeriesKind;
  /** A ladder, an outcome coin (slot * 2 + side), or a slot of venue_b. */
  readonly index: number;
}

/** A book update of a venue_b market, or a match that took from it. */
export interface QuestionUpdate {
  readonly question: Question;
  readonly version: number;
  readonly book: QuestionBook;
  /** Null for a plain update. */
  readonly match: Match | null;
}

/** An event that makes a match. */
export interface MatchEvent {
  readonly event: number;
  readonly slot: number;
  readonly version: number;
}

export interface World {
  readonly settings: WorldSettings;
  readonly coins: readonly Asset[];
  readonly ladders: readonly Ladder[];
  readonly venueA: QuestionBoard;
  readonly venueB: QuestionBoard;
  readonly schedule: Schedule;
  readonly population: Population;
  /** What was put in on purpose; null when nothing was. */
  readonly injections: Injections | null;
  series(lane: number): SeriesInfo;
  /** Lane number of a thing. */
  seriesOf(kind: SeriesKind, index: number): number;
  /** Ids of a venue_b question. */
  idsOf(question: Question): QuestionIds;
  /** Fills `book` with a ladder's book as it stands at a moment; answers the venue time of that book. */
  ladderBookAt(ladder: number, atMs: number, depth: number, book: LevelBook): number;
  /** The trade that an event of the ladder's trade lane makes. */
  ladderTradeOf(ladder: number, event: number): VenueATrade;
  outcomeBookAt(outcome: number, atMs: number, book: LevelBook): number;
  outcomeTradeOf(outcome: number, event: number): VenueATrade;
  /** Whether this version of a venue_b market is a match. */
  isMatch(slot: number, version: number): boolean;
  /** State of a venue_b market after this version. */
  questionUpdate(slot: number, version: number): QuestionUpdate;
  /** State that this version finds: the one before it, or the listing's when the question is newer than that. */
  questionBefore(slot: number, version: number): QuestionUpdate;
  /** Book of the market live in a slot at a moment. */
  questionBookAt(slot: number, atMs: number): QuestionUpdate;
  /** Matches of all markets in [fromMs, toMs), in order. */
  matchesBetween(fromMs: number, toMs: number): readonly Match[];
  /** Which events these are, without what they match: a thousand times as fast. */
  matchEventsBetween(fromMs: number, toMs: number): readonly MatchEvent[];
  /** The match that an event makes. */
  matchOf(event: MatchEvent): Match;
}

/** Thrown for a time before the world's origin. */
export class WorldTimeError extends Error {
  override name = 'WorldTimeError';
  readonly code = 'simulator_time';
  readonly canRetry = false;
}

/** Refuses times at which there is no world. */
export function assertWorldTime(atMs: number): void {
  if (!(atMs >= ORIGIN_MS + 86_400_000 * 30)) {
    throw new WorldTimeError(`the simulated world begins in July 2020, not at ${new Date(atMs).toISOString()}`);
  }
}

function createSeries(ladders: readonly Ladder[], outcomes: number, questions: number) {
  const lanes: (SeriesInfo & { weight: number })[] = [];
  const starts = {} as Record<SeriesKind, number>;
  const total = ladders.reduce((sum, ladder) => sum + ladder.asset.weight, 0);
  const addSeries = (kind: SeriesKind, share: number, weights: readonly number[], sum: number) => {
    starts[kind] = lanes.length;
    for (const [index, weight] of weights.entries()) lanes.push({ kind, index, weight: (share * weight) / sum });
  };
  const weights = ladders.map((ladder) => ladder.asset.weight);
  const equal = (count: number) => new Array<number>(count).fill(1);
  addSeries('ladder_book', SHARES.ladderBooks, weights, total);
  addSeries('ladder_trade', SHARES.ladderTrades, weights, total);
  addSeries('outcome_book', SHARES.outcomeBooks, equal(outcomes), outcomes);
  addSeries('outcome_trade', SHARES.outcomeTrades, equal(outcomes), outcomes);
  addSeries('question', SHARES.questions, equal(questions), questions);
  return { lanes, starts };
}

/** The simulated world: pure arithmetic over seed and time, with caches that never change an answer. */
export function createWorld(settings: WorldSettings): World {
  const { seed } = settings;
  const ladders = makeLadders(seed, settings.coins);
  const coins = ladders.slice(0, settings.coins).map((ladder) => ladder.asset);
  const slots = makeQuestionSlots(settings.events, coins);
  const { lanes, starts } = createSeries(ladders, slots.venueA.length * 2, slots.venueB.length);
  const schedule = createSchedule(seed, settings.rate, lanes);
  const seriesOf = (kind: SeriesKind, index: number) => starts[kind] + index;
  const injections = settings.inject?.length
    ? placeInjections(seed, settings.inject, {
        schedule,
        slots: { venue_a: slots.venueA, venue_b: slots.venueB },
        seriesOf: seriesOf,
      })
    : null;
  const venueA = createQuestionBoard(seed, coins, slots.venueA);
  const venueB = createQuestionBoard(seed, coins, slots.venueB, injections?.delayOf);
  const ids = new WeakMap<Question, QuestionIds>();
  const seriesTime = (lane: number, version: number) => schedule.timeOf(schedule.eventOf(lane, version));
  /** The injection that a version of a venue_b market carries. */
  const injectedIn = (slot: number, version: number) =>
    injections?.ofEvent(schedule.eventOf(seriesOf('question', slot), version)) ?? null;
  const isMatch = (slot: number, version: number) =>
    isMatchVersion(seed, slot, version) || injectedIn(slot, version) !== null;
  /** Events of a lane in a minute. */
  const perMinute = (lane: number) => (schedule.perCycle(lane) / schedule.length) * settings.rate * 60;
  const isWide = (venue: 'venue_a' | 'venue_b', slot: number, atMs: number) =>
    injections?.isWide(venue, slot, atMs) ?? false;

  /** The newest book version of a thing before `beforeMs`, and when it appeared; never older than `sinceMs`. */
  const newest = (lane: number, beforeMs: number, sinceMs: number) => {
    const version = schedule.versionAt(lane, beforeMs);
    return { version, atMs: Math.max(sinceMs, seriesTime(lane, version)) };
  };

  const listing = (question: Question, version: number): QuestionUpdate => {
    const { listedAtMs, slot } = question;
    const book = quotedBook(seed, question, version, listedAtMs, isWide('venue_b', slot.index, listedAtMs));
    return { question, version, book, match: null };
  };
  const questionUpdate = (slot: number, version: number): QuestionUpdate => {
    const event = schedule.eventOf(seriesOf('question', slot), version);
    const atMs = schedule.timeOf(event);
    const question = venueB.liveIn(slot, atMs);
    if (!isMatch(slot, version)) {
      const book = quotedBook(seed, question, version, atMs, isWide('venue_b', slot, atMs));
      return { question, version, book, match: null };
    }
    const before = bookForMatch(slot, version, question, atMs);
    const injected = injectedIn(slot, version);
    if (injected) {
      const usual = perMinute(seriesOf('question', slot)) * MATCH_SHARE;
      const shares = spikeShares(usual, MATCH_SHARES.mean, MATCH_SHARES.deviation);
      // Its makers put back at once what is taken, so that nothing but the match itself is out of the ordinary.
      return {
        question,
        version,
        book: before,
        match: injectedMatch(seed, slot, event, atMs, before, injected, shares),
      };
    }
    const match = makeMatch(seed, slot, event, atMs, before);
    return { question, version, book: bookAfter(before, match), match };
  };
  const stateBefore = (slot: number, version: number, question: Question): QuestionUpdate => {
    const previousMs = seriesTime(seriesOf('question', slot), version - 1);
    return previousMs < question.listedAtMs ? listing(question, version - 1) : questionUpdate(slot, version - 1);
  };

  /** The book that a match finds: a widening on purpose ends with its minute, whatever stood before. */
  const bookForMatch = (slot: number, version: number, question: Question, atMs: number): QuestionBook => {
    const found = stateBefore(slot, version, question);
    if (!injections) return found.book;
    const foundMs = Math.max(seriesTime(seriesOf('question', slot), version - 1), question.listedAtMs);
    const hasEnded = isWide('venue_b', slot, foundMs) && !isWide('venue_b', slot, atMs);
    return hasEnded ? quotedBook(seed, question, version - 1, foundMs) : found.book;
  };

  const matchEventsBetween = (fromMs: number, toMs: number): readonly MatchEvent[] => {
    const found: MatchEvent[] = [];
    const first = starts.question;
    const last = schedule.firstEventAt(toMs);
    for (let event = schedule.firstEventAt(fromMs); event < last; event += 1) {
      const lane = schedule.seriesByEntry[event % schedule.length]!;
      if (lane < first) continue;
      const slot = lane - first;
      const version = schedule.versionOf(event);
      if (isMatch(slot, version)) found.push({ event, slot, version });
    }
    return found;
  };
  // A version that is a match has one: its book is never empty.
  const matchOf = ({ slot, version }: MatchEvent): Match => questionUpdate(slot, version).match!;

  return {
    settings,
    coins,
    ladders,
    venueA,
    venueB,
    schedule,
    population: createPopulation(seed),
    injections,
    series: (lane) => lanes[lane]!,
    seriesOf: seriesOf,
    idsOf(question) {
      let known = ids.get(question);
      if (!known) {
        known = questionIds(seed, question, venueB.slots.length);
        ids.set(question, known);
      }
      return known;
    },
    ladderBookAt(ladder, atMs, depth, book) {
      const found = newest(seriesOf('ladder_book', ladder), atMs + 1, 0);
      fillLadderBook(seed, ladders[ladder]!, found.version, found.atMs, depth, book);
      return found.atMs;
    },
    ladderTradeOf(ladder, event) {
      const timeMs = schedule.timeOf(event);
      const { version, atMs } = newest(seriesOf('ladder_book', ladder), timeMs + 1, 0);
      return ladderTrade(seed, ladders[ladder]!, event, timeMs, version, atMs);
    },
    outcomeBookAt(outcome, atMs, book) {
      const question = venueA.liveIn(outcome >> 1, atMs);
      const found = newest(seriesOf('outcome_book', outcome), atMs + 1, question.listedAtMs);
      const wide = isWide('venue_a', outcome >> 1, found.atMs);
      fillOutcomeBook(seed, question, (outcome & 1) as OutcomeSide, found.version, found.atMs, book, wide);
      return found.atMs;
    },
    outcomeTradeOf(outcome, event) {
      const timeMs = schedule.timeOf(event);
      const question = venueA.liveIn(outcome >> 1, timeMs);
      const { version, atMs } = newest(seriesOf('outcome_book', outcome), timeMs + 1, question.listedAtMs);
      const trade = outcomeTrade(seed, question, (outcome & 1) as OutcomeSide, event, timeMs, version, atMs);
      if (!injections?.ofEvent(event)) return trade;
      // Both sides of the question count as its volume.
      const usual = 2 * perMinute(seriesOf('outcome_trade', outcome));
      return { ...trade, sz: 10 * spikeShares(usual, OUTCOME_SHARES.mean, OUTCOME_SHARES.deviation) };
    },
    isMatch,
    questionUpdate,
    questionBefore: (slot, version) =>
      stateBefore(slot, version, venueB.liveIn(slot, seriesTime(seriesOf('question', slot), version))),
    questionBookAt(slot, atMs) {
      const lane = seriesOf('question', slot);
      const question = venueB.liveIn(slot, atMs);
      const version = schedule.versionAt(lane, atMs + 1);
      if (seriesTime(lane, version) >= question.listedAtMs) return questionUpdate(slot, version);
      return listing(question, version);
    },
    matchesBetween: (fromMs, toMs) => matchEventsBetween(fromMs, toMs).map(matchOf),
    matchEventsBetween,
    matchOf,
  };
}
