import type { QuestionIds } from '../../world/question-ids.ts';
import { HOURS_TO_SETTLE, type Question, resolvesAbove } from '../../world/questions.ts';
import { DAY_MS, HOUR_MS } from '../../world/time.ts';
import type { QuestionUpdate, World } from '../../world/world.ts';

/** Least number of past questions of each slot in the catalog; more if they may still be unsettled. */
const MIN_PAST = 2;

/** A venue_b market in the catalog. */
export interface ListedMarket {
  readonly question: Question;
  readonly ids: QuestionIds;
}

/** Finds venue_b's live and newest past markets by every kind of id. */
export interface MarketBoard {
  /** All markets in order of slots: the live one of each slot, then its past ones. */
  all(atMs: number): readonly ListedMarket[];
  byCondition(conditionId: string, atMs: number): ListedMarket | null;
  /** A market and the index of the token. */
  byToken(tokenId: string, atMs: number): { readonly market: ListedMarket; readonly token: 0 | 1 } | null;
  byMarketId(marketId: string, atMs: number): ListedMarket | null;
  bySlug(slug: string, atMs: number): ListedMarket | null;
  listed(question: Question): ListedMarket;
  /** Book of a market at a time; null before its listing and after its expiry. */
  bookOf(market: ListedMarket, atMs: number): QuestionUpdate | null;
  /** Price of the newest match up to a version, in thousandths on YES; null if there was no recent one. */
  lastPrice(update: QuestionUpdate): number | null;
  /** True if the market resolves to YES. */
  isYes(question: Question): boolean;
}

interface Index {
  readonly hour: number;
  readonly all: readonly ListedMarket[];
  readonly byId: ReadonlyMap<string, ListedMarket>;
}

/** Number of versions that `lastPrice` searches. */
const LAST_PRICE_REACH = 24;

export function createMarketBoard(world: World): MarketBoard {
  const { venueB, schedule } = world;
  const listings = new WeakMap<Question, ListedMarket>();
  let index: Index | null = null;

  const listed = (question: Question): ListedMarket => {
    let market = listings.get(question);
    if (!market) {
      market = { question, ids: world.idsOf(question) };
      listings.set(question, market);
    }
    return market;
  };
  /** Index of the markets, which is valid for one hour since all expiries are on the hour. */
  const indexAt = (atMs: number): Index => {
    const hour = Math.floor(atMs / HOUR_MS);
    if (index?.hour === hour) return index;
    const all = venueB.slots.flatMap((slot) => {
      const live = venueB.liveIn(slot.index, atMs);
      const lifetimeMs = slot.lifetime * (slot.cadence === 'hourly' ? HOUR_MS : DAY_MS);
      const count = Math.max(MIN_PAST, Math.ceil((HOURS_TO_SETTLE * HOUR_MS) / lifetimeMs));
      const past = Array.from({ length: count }, (_, back) => venueB.earlier(slot.index, atMs, back + 1));
      return [live, ...past].map(listed);
    });
    const byId = new Map<string, ListedMarket>();
    for (const market of all) {
      const { conditionId, tokenIds, marketId, slug } = market.ids;
      for (const id of [conditionId, ...tokenIds, marketId, slug]) byId.set(id, market);
    }
    index = { hour, all, byId };
    return index;
  };
  const find = (id: string, atMs: number) => indexAt(atMs).byId.get(id) ?? null;

  return {
    listed,
    all: (atMs) => indexAt(atMs).all,
    byCondition: (conditionId, atMs) => find(conditionId.toLowerCase(), atMs),
    byMarketId: find,
    bySlug: find,
    byToken(tokenId, atMs) {
      const market = find(tokenId, atMs);
      const token = market?.ids.tokenIds.indexOf(tokenId);
      return market && (token === 0 || token === 1) ? { market, token } : null;
    },
    bookOf({ question }, atMs) {
      const trades = question.listedAtMs <= atMs && atMs < question.expiresAtMs;
      return trades ? world.questionBookAt(question.slot.index, atMs) : null;
    },
    lastPrice({ question, version, match }) {
      const last = match?.legs.at(-1);
      if (match && last) return match.token === 0 ? last.price : 1_000 - last.price;
      const slot = question.slot.index;
      const series = world.seriesOf('question', slot);
      for (let back = version - 1; back > version - LAST_PRICE_REACH && back >= 0; back -= 1) {
        if (schedule.timeOf(schedule.eventOf(series, back)) < question.listedAtMs) return null;
        const earlier = world.questionUpdate(slot, back).match;
        const leg = earlier?.legs.at(-1);
        if (earlier && leg) return earlier.token === 0 ? leg.price : 1_000 - leg.price;
      }
      return null;
    },
    isYes: (question) => resolvesAbove(world.settings.seed, question) !== question.slot.inverse,
  };
}
