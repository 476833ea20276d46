import { createPopulation, type Population } from './accounts.ts';
import type { Asset } from './coins.ts';
import { type Injection, type Injections, placeInjections, spikeShares } from './injections.ts';
import { createLadderBoard, type LadderBoard } from './ladder-board.ts';
import { fillLadderBook, type LevelBook, ladderTrade, type VenueATrade } from './ladder-book.ts';
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
import { DAY_MS, ORIGIN_MS } from './time.ts';

/** Settings of a world. Worlds with equal settings are identical at every time. */
export interface WorldSettings {
  readonly seed: number;
  /** Events per second: book updates and trades of both venues. */
  readonly rate: number;
  /** Least number of live questions that both venues ask. */
  readonly events: number;
  /** Number of coins of venue_a's main dex. */
  readonly coins: number;
  /** Traders on venue_a's leaderboard; 5,000 by default. */
  readonly traders?: number;
  /** Accounts that trade on both venues; 400 by default. */
  readonly accounts?: number;
  /** Injected anomalies; none by default. */
  readonly inject?: readonly Injection[];
}

const DEFAULT_TRADERS = 5_000;

/** Shares of all events: seven book updates to three trades. */
const SHARES = { ladderBooks: 0.42, ladderTrades: 0.18, outcomeBooks: 0.16, outcomeTrades: 0.06, questions: 0.18 };

/** Kind of a series of the schedule. A `question` event is a book update or a match, depending on its version. */
export type SeriesKind = 'ladder_book' | 'ladder_trade' | 'outcome_book' | 'outcome_trade' | 'question';

export interface SeriesInfo {
  readonly kind: SeriesKind;
  /** Index of the ladders of a series, of an outcome coin (slot * 2 + side), or of a slot of venue_b. */
  readonly index: number;
}

/** A book update of a venue_b market, or a match. */
export interface QuestionUpdate {
  readonly question: Question;
  readonly version: number;
  readonly book: QuestionBook;
  /** Null for a book update. */
  readonly match: Match | null;
}

/** An event that is a match. */
export interface MatchEvent {
  readonly event: number;
  readonly slot: number;
  readonly version: number;
}

export interface World {
  readonly settings: WorldSettings;
  /** Traders on venue_a's leaderboard. */
  readonly traders: number;
  readonly coins: readonly Asset[];
  readonly ladders: LadderBoard;
  readonly venueA: QuestionBoard;
  readonly venueB: QuestionBoard;
  readonly schedule: Schedule;
  readonly population: Population;
  /** Injected anomalies; null if there are none. */
  readonly injections: Injections | null;
  series(series: number): SeriesInfo;
  /** Number of a series. */
  seriesOf(kind: SeriesKind, index: number): number;
  /** Ids of a venue_b question. */
  idsOf(question: Question): QuestionIds;
  /** Writes the book of the ladder of an index that is listed at a time into `book`. Returns the venue time of that book. */
  ladderBookAt(index: number, atMs: number, depth: number, book: LevelBook): number;
  /** The trade of an event of the index's trade series, of the ladder that was listed then. */
  ladderTradeOf(index: number, event: number): VenueATrade;
  outcomeBookAt(outcome: number, atMs: number, book: LevelBook): number;
  outcomeTradeOf(outcome: number, event: number): VenueATrade;
  /** True if this version of a venue_b market is a match. */
  isMatch(slot: number, version: number): boolean;
  /** State of a venue_b market after this version. */
  questionUpdate(slot: number, version: number): QuestionUpdate;
  /** State before this version: that of the previous one, or of the listing if the question is newer. */
  questionBefore(slot: number, version: number): QuestionUpdate;
  /** Book of the live market of a slot at a time. */
  questionBookAt(slot: number, atMs: number): QuestionUpdate;
  /** Matches of all markets in [fromMs, toMs), in order. */
  matchesBetween(fromMs: number, toMs: number): readonly Match[];
  /** Events that are matches, without their legs: a thousand times faster than `matchesBetween`. */
  matchEventsBetween(fromMs: number, toMs: number): readonly MatchEvent[];
  /** The match of an event. */
  matchOf(event: MatchEvent): Match;
}

/** Thrown for a time before the world's origin. */
export class WorldTimeError extends Error {
  override name = 'WorldTimeError';
  readonly code = 'simulator_time';
  readonly canRetry = false;
}

/** Start of the simulated time. */
export const WORLD_START_MS = ORIGIN_MS + 30 * DAY_MS;

/** Throws a `WorldTimeError` for a time before the simulated time. */
export function assertWorldTime(atMs: number): void {
  if (!(atMs >= WORLD_START_MS)) {
    throw new WorldTimeError(`the simulated time starts in July 2020, not at ${new Date(atMs).toISOString()}`);
  }
}

function createSeries({ weights }: LadderBoard, outcomes: number, questions: number) {
  const allSeries: (SeriesInfo & { weight: number })[] = [];
  const starts = {} as Record<SeriesKind, number>;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const addSeries = (kind: SeriesKind, share: number, weights: readonly number[], sum: number) => {
    starts[kind] = allSeries.length;
    for (const [index, weight] of weights.entries()) allSeries.push({ kind, index, weight: (share * weight) / sum });
  };
  const equal = (count: number) => new Array<number>(count).fill(1);
  addSeries('ladder_book', SHARES.ladderBooks, weights, total);
  addSeries('ladder_trade', SHARES.ladderTrades, weights, total);
  addSeries('outcome_book', SHARES.outcomeBooks, equal(outcomes), outcomes);
  addSeries('outcome_trade', SHARES.outcomeTrades, equal(outcomes), outcomes);
  addSeries('question', SHARES.questions, equal(questions), questions);
  return { allSeries, starts };
}

/** Creates the simulated world: pure functions of seed and time, with caches that do not affect results. */
export function createWorld(settings: WorldSettings): World {
  const { seed } = settings;
  const ladders = createLadderBoard(seed, settings.coins);
  const coins = ladders.permanent.slice(0, settings.coins).map((ladder) => ladder.asset);
  const slots = makeQuestionSlots(settings.events, coins);
  const { allSeries, starts } = createSeries(ladders, slots.venueA.length * 2, slots.venueB.length);
  const schedule = createSchedule(seed, settings.rate, allSeries);
  const seriesOf = (kind: SeriesKind, index: number) => starts[kind] + index;
  const injections = settings.inject?.length
    ? placeInjections(seed, settings.inject, {
        schedule,
        slots: { venue_a: slots.venueA, venue_b: slots.venueB },
        seriesOf,
      })
    : null;
  const venueA = createQuestionBoard(seed, coins, slots.venueA);
  const venueB = createQuestionBoard(seed, coins, slots.venueB, injections?.delayOf);
  const ids = new WeakMap<Question, QuestionIds>();
  const seriesTime = (series: number, version: number) => schedule.timeOf(schedule.eventOf(series, version));
  /** The injected anomaly of a version of a venue_b market. */
  const injectedIn = (slot: number, version: number) =>
    injections?.ofEvent(schedule.eventOf(seriesOf('question', slot), version)) ?? null;
  const isMatch = (slot: number, version: number) =>
    isMatchVersion(seed, slot, version) || injectedIn(slot, version) !== null;
  /** Events of a series per minute. */
  const perMinute = (series: number) => (schedule.perCycle(series) / schedule.length) * settings.rate * 60;
  const isWide = (venue: 'venue_a' | 'venue_b', slot: number, atMs: number) =>
    injections?.isWide(venue, slot, atMs) ?? false;

  /** The newest version of a series before `beforeMs`, with its time, or `sinceMs` if that is later. */
  const newest = (series: number, beforeMs: number, sinceMs: number) => {
    const version = schedule.versionAt(series, beforeMs);
    return { version, atMs: Math.max(sinceMs, seriesTime(series, version)) };
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
      // Makers replace filled orders immediately, so that only the match itself is an anomaly.
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

  /** The book before a match. An injected widening ends with its minute. */
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
      const series = schedule.seriesByEntry[event % schedule.length]!;
      if (series < first) continue;
      const slot = series - first;
      const version = schedule.versionOf(event);
      if (isMatch(slot, version)) found.push({ event, slot, version });
    }
    return found;
  };
  // A match version always has a match, since its book is never empty.
  const matchOf = ({ slot, version }: MatchEvent): Match => questionUpdate(slot, version).match!;

  return {
    settings,
    traders: settings.traders ?? DEFAULT_TRADERS,
    coins,
    ladders,
    venueA,
    venueB,
    schedule,
    population: createPopulation(seed, settings.accounts),
    injections,
    series: (series) => allSeries[series]!,
    seriesOf,
    idsOf(question) {
      let known = ids.get(question);
      if (!known) {
        known = questionIds(seed, question, venueB.slots.length);
        ids.set(question, known);
      }
      return known;
    },
    ladderBookAt(index, atMs, depth, book) {
      const ladder = ladders.at(index, atMs);
      const found = newest(seriesOf('ladder_book', index), atMs + 1, ladder.listedAtMs);
      fillLadderBook(seed, ladder, found.version, found.atMs, depth, book);
      return found.atMs;
    },
    ladderTradeOf(index, event) {
      const timeMs = schedule.timeOf(event);
      const ladder = ladders.at(index, timeMs);
      const { version, atMs } = newest(seriesOf('ladder_book', index), timeMs + 1, ladder.listedAtMs);
      return ladderTrade(seed, ladder, event, timeMs, version, atMs);
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
      // The volume of a question includes both sides.
      const usual = 2 * perMinute(seriesOf('outcome_trade', outcome));
      return { ...trade, sz: 10 * spikeShares(usual, OUTCOME_SHARES.mean, OUTCOME_SHARES.deviation) };
    },
    isMatch,
    questionUpdate,
    questionBefore: (slot, version) =>
      stateBefore(slot, version, venueB.liveIn(slot, seriesTime(seriesOf('question', slot), version))),
    questionBookAt(slot, atMs) {
      const series = seriesOf('question', slot);
      const question = venueB.liveIn(slot, atMs);
      const version = schedule.versionAt(series, atMs + 1);
      if (seriesTime(series, version) >= question.listedAtMs) return questionUpdate(slot, version);
      return listing(question, version);
    },
    matchesBetween: (fromMs, toMs) => matchEventsBetween(fromMs, toMs).map(matchOf),
    matchEventsBetween,
    matchOf,
  };
}
