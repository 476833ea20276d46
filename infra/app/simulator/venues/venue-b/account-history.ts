/**
 * What an account of venue_b did with the tokens of each market, and what it owns of them: fills, splits, merges and
 * redemptions as they are on the chain. It follows from the matches of the world up to a block.
 *
 * An hour after its result, the tokens of a market are redeemed for whoever still owns some, and what the account won or
 * lost with it is settled. So an account never depends on more than the newest markets.
 */
import { LRUCache } from 'lru-cache';
import type { Match } from '../../world/matches.ts';
import { HOURS_TO_SETTLE, type Question } from '../../world/questions.ts';
import { HOUR_MS } from '../../world/time.ts';
import type { World } from '../../world/world.ts';
import { createAccountMatches } from './account-matches.ts';
import { blockHolding, blockTime } from './blocks.ts';
import { type Chain, FINALITY_BLOCKS } from './chain.ts';
import type { MarketBoard } from './market-board.ts';
import { type MatchOrder, matchOrders } from './match-orders.ts';
import { MERGE_AFTER_BLOCKS, mergesOf, type PositionMove, splitsOf } from './position-moves.ts';
import { type Redemption, redemptionOf } from './redemptions.ts';

/** After its result, a market is redeemed for everyone. */
export const REDEEMED_AFTER_MS = HOUR_MS;
/** Sums of markets of accounts that are retained. */
const SUMS_RETAINED = 50_000;
/** Versions of a market between two yields. */
const VERSIONS_OF_TURN = 1_024;

/** What happened to the tokens of an account. Amounts are millionths; negative for what left the account. */
export type AccountEntry = {
  readonly question: Question;
  readonly block: number;
  readonly yes: number;
  readonly no: number;
  readonly cash: number;
} & (
  | { readonly kind: 'fill'; readonly match: Match; readonly nth: number; readonly order: MatchOrder }
  | { readonly kind: 'split' | 'merge'; readonly match: Match; readonly move: PositionMove }
  | { readonly kind: 'redeem'; readonly step: number }
);

/** Sums of the entries of an account in one market, millionths. Of pairs the first is that of YES. */
export interface MarketHolding {
  readonly question: Question;
  readonly tokens: readonly [number, number];
  readonly cash: number;
  /** Tokens that were bought, or came from splits, and what they cost. */
  readonly bought: readonly [number, number];
  readonly spent: readonly [number, number];
}

export interface AccountHistory {
  /** Holdings in all markets that are not redeemed for everyone at a block, in the order of slots. */
  holdings(account: string, head: number): Generator<void, MarketHolding[]>;
  /** The entries in these markets, in the order of the chain. */
  entries(account: string, head: number): Generator<void, AccountEntry[]>;
  /** The entries in blocks `from` to `head` in all markets, in the order of the chain: some seconds of work for each day. */
  entriesSince(account: string, from: number, head: number): Generator<void, AccountEntry[]>;
}

interface Sums {
  /** The first version that is not included. */
  next: number;
  cash: number;
  readonly tokens: [number, number];
  readonly bought: [number, number];
  readonly spent: [number, number];
}

export function createAccountHistory(
  world: World,
  board: MarketBoard,
  chain: Pick<Chain, 'isDropped'>,
): AccountHistory {
  const { schedule, venueB } = world;
  const retained = new LRUCache<string, Sums>({ max: SUMS_RETAINED });
  const matches = createAccountMatches(world);
  const redemptions = new WeakMap<Question, readonly Redemption[]>();

  const marketsAt = (head: number): Question[] => {
    const atMs = blockTime(head);
    return venueB.slots.flatMap(({ index }) => {
      const questions = [venueB.liveIn(index, atMs)];
      for (let back = 1; ; back += 1) {
        const question = venueB.earlier(index, atMs, back);
        if (question.expiresAtMs + HOURS_TO_SETTLE * HOUR_MS + REDEEMED_AFTER_MS <= atMs) return questions;
        if (question.settledAtMs + REDEEMED_AFTER_MS > atMs) questions.push(question);
      }
    });
  };
  const blockOf = (series: number, version: number) => blockHolding(schedule.timeOf(schedule.eventOf(series, version)));

  /** Entries of an account from a match of a market, up to a block. */
  const entriesOf = (account: string, question: Question, version: number, head: number): AccountEntry[] => {
    const slot = question.slot.index;
    const event = schedule.eventOf(world.seriesOf('question', slot), version);
    const found = { event, slot, version };
    if (chain.isDropped(found, head)) return [];
    const match = world.matchOf(found);
    const orders = matchOrders(world, match);
    if (!orders.some((order) => order.account === account)) return [];
    const block = blockHolding(match.timeMs);
    const moves = [
      ...splitsOf(world, match, orders).map((move) => ({ move, at: block })),
      ...mergesOf(world, question, match, orders).map((move) => ({ move, at: block + MERGE_AFTER_BLOCKS })),
    ].filter(({ move, at }) => move.account === account && at <= head);
    return [
      ...moves.map(({ move, at }): AccountEntry => {
        const units = move.kind === 'split' ? move.units : -move.units;
        return { kind: move.kind, question, block: at, match, move, yes: units, no: units, cash: -units };
      }),
      ...orders.flatMap((order, nth): AccountEntry[] =>
        order.account === account ? [fillEntry(question, block, match, nth, order)] : [],
      ),
    ];
  };
  const redemptionEntries = (account: string, question: Question, head: number): AccountEntry[] => {
    const steps = (question.settlementPlan?.steps ?? []).filter(({ kind }) => kind === 'redeem');
    if (steps.length === 0 || blockHolding(steps[0]!.atMs) > head) return [];
    const known = redemptions.get(question) ?? steps.map((_, nth) => redemptionOf(world, board, question, nth));
    redemptions.set(question, known);
    return steps.flatMap(({ atMs }, step): AccountEntry[] => {
      const { account: redeemer, payout } = known[step]!;
      const block = blockHolding(atMs);
      if (redeemer !== account || block > head || payout === 0) return [];
      const [yes, no] = board.isYes(question) ? [-payout, 0] : [0, -payout];
      return [{ kind: 'redeem', question, block, step, yes, no, cash: payout }];
    });
  };

  /** Adds the versions of a market in blocks up to `to` to sums, with what they caused up to `head`. */
  function* addVersions(sums: Sums, account: string, question: Question, to: number, head: number): Generator<void> {
    const series = world.seriesOf('question', question.slot.index);
    const end = schedule.versionAt(series, Math.min(blockTime(to), question.expiresAtMs)) + 1;
    while (sums.next < end) {
      // Without a yield in between, so that several calculations can continue the same sums.
      const until = Math.min(end, sums.next + VERSIONS_OF_TURN);
      for (const version of matches.versionsOf(account, question.slot.index, sums.next, until))
        for (const entry of entriesOf(account, question, version, head)) add(sums, entry);
      sums.next = until;
      yield;
    }
  }
  const firstVersion = ({ slot, listedAtMs }: Question) =>
    schedule.versionAt(world.seriesOf('question', slot.index), listedAtMs) + 1;

  function* holdingOf(account: string, question: Question, head: number): Generator<void, MarketHolding> {
    // What is older than this does not change any more.
    const settled = head - FINALITY_BLOCKS - MERGE_AFTER_BLOCKS;
    const key = `${account} ${world.idsOf(question).marketId}`;
    const series = world.seriesOf('question', question.slot.index);
    const isAhead = ({ next }: Sums) => next > firstVersion(question) && blockOf(series, next - 1) > settled;
    let sums = retained.get(key) ?? emptySums(firstVersion(question));
    // A block before those that were asked for earlier, or meanwhile, needs sums of its own.
    if (isAhead(sums)) sums = emptySums(firstVersion(question));
    else retained.set(key, sums);
    yield* addVersions(sums, account, question, settled, head);
    if (isAhead(sums)) {
      sums = emptySums(firstVersion(question));
      yield* addVersions(sums, account, question, settled, head);
    }
    const newest: Sums = { ...sums, tokens: [...sums.tokens], bought: [...sums.bought], spent: [...sums.spent] };
    yield* addVersions(newest, account, question, head, head);
    for (const entry of redemptionEntries(account, question, head)) add(newest, entry);
    return { question, ...newest };
  }

  /** The entries of an account in a market, of matches from a time on. */
  function* entriesIn(
    account: string,
    question: Question,
    head: number,
    sinceMs = question.listedAtMs,
  ): Generator<void, AccountEntry[]> {
    const entries: AccountEntry[] = [];
    const series = world.seriesOf('question', question.slot.index);
    const start = Math.max(firstVersion(question), schedule.versionAt(series, sinceMs) + 1);
    const end = schedule.versionAt(series, Math.min(blockTime(head), question.expiresAtMs)) + 1;
    for (let from = start; from < end; from += VERSIONS_OF_TURN) {
      const until = Math.min(end, from + VERSIONS_OF_TURN);
      for (const version of matches.versionsOf(account, question.slot.index, from, until))
        entries.push(...entriesOf(account, question, version, head));
      yield;
    }
    entries.push(...redemptionEntries(account, question, head));
    return entries;
  }

  return {
    *holdings(account, head) {
      const holdings: MarketHolding[] = [];
      for (const question of marketsAt(head)) holdings.push(yield* holdingOf(account, question, head));
      return holdings;
    },
    *entries(account, head) {
      const entries: AccountEntry[] = [];
      for (const question of marketsAt(head)) entries.push(...(yield* entriesIn(account, question, head)));
      return entries.sort(byPlace);
    },
    *entriesSince(account, from, head) {
      const entries: AccountEntry[] = [];
      // Merges follow from earlier matches.
      const matchedSinceMs = blockTime(from - MERGE_AFTER_BLOCKS - 1);
      for (const { index } of venueB.slots) {
        let question = venueB.liveIn(index, blockTime(head));
        for (let back = 1; question.expiresAtMs + HOURS_TO_SETTLE * HOUR_MS > blockTime(from); back += 1) {
          const own = yield* entriesIn(account, question, head, matchedSinceMs);
          entries.push(...own.filter(({ block }) => block >= from));
          question = venueB.earlier(index, blockTime(head), back);
        }
      }
      return entries.sort(byPlace);
    },
  };
}

/** Merges come after the matches of their block. */
function byPlace(a: AccountEntry, b: AccountEntry): number {
  const place = ({ kind }: AccountEntry) => (kind === 'merge' ? 1 : 0);
  return a.block - b.block || place(a) - place(b);
}

function emptySums(next: number): Sums {
  return { next, cash: 0, tokens: [0, 0], bought: [0, 0], spent: [0, 0] };
}

function add(sums: Sums, entry: AccountEntry): void {
  sums.cash += entry.cash;
  sums.tokens[0] += entry.yes;
  sums.tokens[1] += entry.no;
  if (entry.kind === 'split')
    for (const side of [0, 1] as const) {
      sums.bought[side] += entry.move.units;
      sums.spent[side] += entry.move.units / 2;
    }
  if (entry.kind === 'fill' && entry.order.isBuy) {
    sums.bought[entry.order.token] += entry.order.quantity;
    sums.spent[entry.order.token] += entry.order.usd;
  }
}

/** A buyer pays the fee on top, a seller gets the amount without it. */
function fillEntry(question: Question, block: number, match: Match, nth: number, order: MatchOrder): AccountEntry {
  const units = order.isBuy ? order.quantity : -order.quantity;
  const cash = (order.isBuy ? -order.usd : order.usd) - Number(order.fee);
  const [yes, no] = order.token === 0 ? [units, 0] : [0, units];
  return { kind: 'fill', question, block, match, nth, order, yes, no, cash };
}
