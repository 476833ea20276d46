import { hashOf, STREAM } from '../../world/hash.ts';
import { probabilityText } from '../../world/number-text.ts';
import { tickAt, yesProbability } from '../../world/question-book.ts';
import { INITIALIZER } from '../../world/question-ids.ts';
import { questionTexts } from '../../world/question-texts.ts';
import type { Question } from '../../world/questions.ts';
import { LIVENESS_MS, type SettlementStep } from '../../world/settlement-plan.ts';
import { DAY_MS, HOUR_MS, ORIGIN_MS, SECOND_MS } from '../../world/time.ts';
import type { World } from '../../world/world.ts';
import type { ListedMarket, MarketBoard } from './market-board.ts';
import { bestOf } from './market-text.ts';
import { BOND_USD, REWARD_USD } from './settlement-logs.ts';

export type Json = { readonly [key: string]: unknown };

/** Tags of all simulated markets. */
export const TAGS: readonly Json[] = [
  { id: '21', label: 'Crypto', slug: 'crypto', forceShow: false, requiresTranslation: false },
  { id: '1312', label: 'Crypto Prices', slug: 'crypto-prices', forceShow: false, requiresTranslation: false },
  { id: '102467', label: 'Daily', slug: 'daily', forceShow: false, requiresTranslation: false },
];
const FIRST_EVENT_ID = 20_000;

/** Builds venue_b's catalog objects (venue page, section 2). */
export interface Catalog {
  market(market: ListedMarket, atMs: number): Json;
  /** The event of a market, with all its markets. */
  event(eventId: number, atMs: number): Json | null;
  eventIdOf(question: Question): number;
  /** Ids of all events, ascending. */
  eventIds(atMs: number): readonly number[];
  marketsOf(eventId: number, atMs: number): readonly ListedMarket[];
  newMarketFrame(market: ListedMarket, atMs: number): string;
  resolvedFrame(market: ListedMarket, atMs: number): string;
}

/** `YYYY-MM-DD HH:MM:SS+00`, which one field of the catalog uses. */
function spacedTime(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')}+00`;
}

const iso = (atMs: number) => new Date(atMs).toISOString().replace('.000Z', 'Z');

export function createCatalog(world: World, board: MarketBoard): Catalog {
  const { seed } = world.settings;
  const eventIdOf = ({ expiresAtMs, slot }: Question) => {
    const hour = (expiresAtMs - ORIGIN_MS) / HOUR_MS;
    return FIRST_EVENT_ID + (hour * world.coins.length + slot.coin) * 2 + (slot.inverse ? 1 : 0);
  };
  let groups: { all: readonly ListedMarket[]; byEvent: ReadonlyMap<number, ListedMarket[]> } | null = null;
  const grouped = (atMs: number) => {
    const all = board.all(atMs);
    if (groups?.all !== all) {
      const byEvent = new Map<number, ListedMarket[]>();
      for (const market of all) {
        const id = eventIdOf(market.question);
        byEvent.set(id, [...(byEvent.get(id) ?? []), market]);
      }
      groups = { all, byEvent: new Map([...byEvent].sort(([a], [b]) => a - b)) };
    }
    return groups.byEvent;
  };

  const eventFields = (markets: readonly ListedMarket[], atMs: number): Json => {
    const { question } = markets[0]!;
    const texts = questionTexts(question);
    const isClosed = markets.every((market) => market.question.settledAtMs <= atMs);
    const volume = markets.reduce((sum, market) => sum + volumeOf(seed, market.question, atMs), 0);
    return {
      id: String(eventIdOf(question)),
      ticker: texts.eventSlug,
      slug: texts.eventSlug,
      title: texts.eventTitle,
      description: texts.eventDescription,
      resolutionSource: texts.resolutionSource,
      startDate: iso(Math.min(...markets.map((market) => market.question.listedAtMs))),
      endDate: iso(question.expiresAtMs),
      active: true,
      closed: isClosed,
      archived: false,
      new: false,
      featured: false,
      restricted: true,
      liquidity: 12_000 * markets.length,
      volume,
      openInterest: 0,
      volume24hr: Math.round(volume / 2),
      enableOrderBook: true,
      negRisk: false,
      enableNegRisk: false,
      showAllOutcomes: true,
      tags: TAGS,
      series: [],
    };
  };

  const market = ({ question, ids }: ListedMarket, atMs: number): Json => {
    const texts = questionTexts(question);
    const isSettled = question.settledAtMs <= atMs;
    const trades = question.listedAtMs <= atMs && atMs < question.expiresAtMs;
    const update = board.bookOf({ question, ids }, atMs);
    const best = update && bestOf(update.book, 0);
    const last = update && board.lastPrice(update);
    const yes = isSettled
      ? Number(board.isYes(question))
      : Math.round(yesProbability(seed, question, Math.min(atMs, question.expiresAtMs - 1)) * 1000) / 1000;
    const volume = volumeOf(seed, question, atMs);
    return {
      id: ids.marketId,
      question: texts.question,
      conditionId: ids.conditionId,
      slug: ids.slug,
      resolutionSource: texts.resolutionSource,
      startDate: iso(question.listedAtMs),
      endDate: iso(question.expiresAtMs),
      description: texts.description,
      outcomes: '["Yes", "No"]',
      outcomePrices: JSON.stringify([String(yes), String(Number((1 - yes).toFixed(3)))]),
      volume: String(volume),
      volumeNum: volume,
      volume24hr: volume,
      volume1wk: volume,
      volume1mo: volume,
      liquidity: '12000',
      liquidityNum: 12_000,
      active: true,
      closed: isSettled,
      archived: false,
      acceptingOrders: trades,
      enableOrderBook: true,
      ...(isSettled ? { closedTime: spacedTime(question.settledAtMs), umaEndDate: iso(question.settledAtMs) } : {}),
      createdAt: iso(question.listedAtMs),
      updatedAt: iso(isSettled ? question.settledAtMs : Math.floor(atMs / 60_000) * 60_000),
      new: false,
      featured: false,
      restricted: true,
      groupItemTitle: texts.groupItemTitle,
      groupItemThreshold: String(question.slot.ordinal),
      questionID: ids.questionId,
      orderPriceMinTickSize: tickAt(seed, question, Math.min(atMs, question.expiresAtMs - 1)) / 1000,
      orderMinSize: 5,
      endDateIso: new Date(question.expiresAtMs).toISOString().slice(0, 10),
      startDateIso: new Date(question.listedAtMs).toISOString().slice(0, 10),
      clobTokenIds: JSON.stringify(ids.tokenIds),
      makerBaseFee: 1000,
      takerBaseFee: 1000,
      negRisk: false,
      resolvedBy: ids.oracle,
      ...oracleFields(question, atMs),
      ...(best?.bid ? { bestBid: Number(best.bid) } : {}),
      ...(best?.ask ? { bestAsk: Number(best.ask) } : {}),
      ...(best?.bid && best.ask ? { spread: Number((Number(best.ask) - Number(best.bid)).toFixed(3)) } : {}),
      ...(last === null ? {} : { lastTradePrice: Number(probabilityText(last)) }),
      feesEnabled: true,
      feeType: 'crypto_fees',
      feeSchedule: { exponent: 1, rate: 0.07, takerOnly: true, rebateRate: 0.2 },
    };
  };

  return {
    eventIdOf,
    eventIds: (atMs) => [...grouped(atMs).keys()],
    marketsOf: (eventId, atMs) => grouped(atMs).get(eventId) ?? [],
    event(eventId, atMs) {
      const markets = grouped(atMs).get(eventId);
      if (!markets) return null;
      return { ...eventFields(markets, atMs), markets: markets.map((entry) => market(entry, atMs)) };
    },
    market(entry, atMs) {
      const siblings = grouped(atMs).get(eventIdOf(entry.question)) ?? [entry];
      return { ...market(entry, atMs), events: [eventFields(siblings, atMs)], tags: TAGS };
    },
    newMarketFrame(entry, atMs) {
      const { ids, question } = entry;
      const texts = questionTexts(question);
      return JSON.stringify({
        event_type: 'new_market',
        id: ids.marketId,
        question: texts.question,
        market: ids.conditionId,
        slug: ids.slug,
        description: texts.description,
        assets_ids: ids.tokenIds,
        outcomes: ['Yes', 'No'],
        event_message: {
          id: String(eventIdOf(question)),
          ticker: texts.eventSlug,
          slug: texts.eventSlug,
          title: texts.eventTitle,
          description: texts.eventDescription,
        },
        timestamp: String(atMs),
        tags: ['crypto'],
        condition_id: ids.conditionId,
        active: true,
        clob_token_ids: ids.tokenIds,
        sports_market_type: '',
        line: '',
        game_start_time: '',
        order_price_min_tick_size: '0.01',
        group_item_title: texts.groupItemTitle,
      });
    },
    resolvedFrame({ ids, question }, atMs) {
      const winner = board.isYes(question) ? 0 : 1;
      return JSON.stringify({
        event_type: 'market_resolved',
        id: ids.marketId,
        market: ids.conditionId,
        assets_ids: ids.tokenIds,
        winning_asset_id: ids.tokenIds[winner],
        winning_outcome: winner === 0 ? 'Yes' : 'No',
        timestamp: String(atMs),
        tags: ['crypto'],
      });
    },
  };
}

/** Catalog fields about the optimistic oracle, which are empty for markets that are resolved automatically. */
function oracleFields({ settlementPlan }: Question, atMs: number): Json {
  if (!settlementPlan || settlementPlan.kind === 'automatic') return { umaResolutionStatuses: '[]' };
  const statuses = settlementPlan.steps
    .filter((step) => step.atMs <= atMs)
    .flatMap(({ kind }) => STATUS_OF[kind] ?? []);
  const status = settlementPlan.resolvedAtMs <= atMs ? 'resolved' : statuses.at(-1);
  return {
    submitted_by: INITIALIZER,
    umaBond: String(BOND_USD),
    umaReward: String(REWARD_USD),
    customLiveness: LIVENESS_MS / SECOND_MS,
    // The list holds the statuses before the result; the result is only in the single status.
    umaResolutionStatuses: JSON.stringify(statuses),
    ...(status ? { umaResolutionStatus: status } : {}),
  };
}
const STATUS_OF: Partial<Record<SettlementStep['kind'], string>> = {
  propose: 'proposed',
  dispute: 'disputed',
  dispute_and_reset: 'disputed',
};

/** USD volume of a market in the catalog, which grows over the market's life. */
function volumeOf(seed: number, question: Question, atMs: number): number {
  const lived = Math.min(atMs, question.expiresAtMs) - question.listedAtMs;
  const daily = 2_000 + (hashOf(seed, STREAM.catalog, question.slot.index, question.generation) % 60_000);
  return Math.round((Math.max(0, lived) / DAY_MS) * daily);
}
