/** Builds candles: one-minute bars of every instrument of every venue, from its trades. */
import { type Emit, on, type Stage, type StageRecord } from '#infra/stages/stage';
import { INTERVALS, MINUTE_MS, sourceRulesOf } from '#schemas/domain/candles/sources';
import { formatDecimal, parseDecimal } from '#schemas/domain/decimal';
import { marketKey, VENUES } from '#schemas/domain/providers';
import { type Candle, type CandleRange, candleRangeTopic, candleTopic } from '#schemas/topics/candles';
import { type Trade, tradeTopics } from '#schemas/topics/normalised';
import {
  addTrade,
  type CoinBars,
  createCoinBars,
  dropInactive,
  finalizeTrade,
  type MinuteBar,
  removeTrade,
} from './bars.ts';
import { createRemovableTrades, hold, isRemovable, type RemovableTrades } from './removable-trades.ts';
import type { Summary } from './summary.ts';

const HOUR_MS = 3_600_000;
/** An instrument without trades for this long is removed. */
const COIN_EXPIRY_MS = 30 * 86_400_000;

export interface CandlesState {
  /** By provider and instrument (`marketKey`): those that were traded in the last 30 days, with their newest bars. */
  readonly coins: Map<string, CoinBars>;
  readonly removable: RemovableTrades;
  /** The greatest arrival of a trade of a removed instrument, by topic: those up to it may be repeats. */
  readonly expiredArrivals: Map<string, number>;
  /** Earliest venue time of a recorded trade that was the first of its token, of each chain by topic. */
  readonly chainStarts: Map<string, number>;
  /** The hour of the last search for inactive instruments. */
  sweptHour: number;
}

export function createCandlesStage(): Stage<CandlesState> {
  return {
    name: 'candles',
    stateVersion: 7,
    slicedMaps: ['coins', 'removable.held'],
    inputs: VENUES.map((venue) => on(tradeTopics[venue], onTrade)),
    outputs: [candleTopic, candleRangeTopic],
    initialState: () => ({
      coins: new Map(),
      removable: createRemovableTrades(),
      expiredArrivals: new Map(),
      chainStarts: new Map(),
      sweptHour: 0,
    }),
  };
}

/**
 * Adds a new trade to its bar, or removes a reverted one, and emits the bar. A trade is new if it arrived after all others
 * of its instrument; a repeated one can only be confirmed by now.
 */
function onTrade(state: CandlesState, record: StageRecord<Trade>, emit: Emit): void {
  const { value: trade, receivedAt, topic } = record;
  sweep(state, receivedAt);
  if (trade.status === 'reverted') {
    revertTrade(state, trade, receivedAt, emit);
    return;
  }
  const { provider, instrument, arrival } = trade;
  const key = marketKey(provider, instrument);
  const known = state.coins.get(key);
  if (arrival <= (known?.lastArrival ?? state.expiredArrivals.get(topic) ?? -1)) {
    const held = trade.status === 'confirmed' ? state.removable.held.get(trade.id) : undefined;
    if (held) held.confirmed = true;
    return;
  }
  const priced = {
    ts: trade.ts,
    arrival,
    text: trade.price,
    price: parseDecimal(trade.price),
    qty: parseDecimal(trade.qty),
  };
  const coin = known ?? createCoinBars(topic, priced);
  const removable = isRemovable(trade);
  const bar = addTrade(coin, priced, receivedAt, removable ? trade.id : null);
  coin.lastArrival = arrival;
  if (!known) state.coins.set(key, coin);
  if (!bar) {
    emit.deadLetter('late_trade', `${trade.id} is older than the retained bars of ${instrument}`);
    emitMissed(trade, receivedAt, emit);
    return;
  }
  if (removable) {
    const held = {
      coin: key,
      topic,
      openTime: bar.openTime,
      block: trade.blockNumber,
      confirmed: trade.status === 'confirmed',
    };
    hold(state.removable, trade.id, held, (id, { coin: name, openTime }) => {
      const owner = state.coins.get(name);
      if (owner) finalizeTrade(owner, openTime, id);
    });
  }
  if (!known || trade.ts < coin.firstTs) {
    coin.firstTs = trade.ts;
    const start = startOf(state, trade, topic);
    if (start) {
      const { recorded } = sourceRulesOf(provider);
      const range = { provider, coin: instrument, source: recorded, intervalMs: MINUTE_MS, receivedAt };
      emit(candleRangeTopic, instrument, { ...range, id: `first ${coin.firstArrival}`, ...start });
    }
  }
  emit(candleTopic, instrument, toCandle(trade, bar, receivedAt));
}

function revertTrade(state: CandlesState, trade: Trade, receivedAt: number, emit: Emit): void {
  const { id, provider, instrument } = trade;
  const held = state.removable.held.get(id);
  const coin = held && state.coins.get(held.coin);
  const bar = coin && removeTrade(coin, held.openTime, id);
  if (!bar) {
    emit.deadLetter('late_reversal', `${id} of ${provider} ${instrument} was reverted, but is not held any more`);
    emitMissed(trade, receivedAt, emit);
    return;
  }
  state.removable.held.delete(id);
  emit(candleTopic, instrument, toCandle(trade, bar, receivedAt));
}

/** States that the bar of a trade lacks it, or contains it although it was reverted: as a gap in its minute. */
function emitMissed({ provider, instrument, ts }: Trade, receivedAt: number, emit: Emit): void {
  const range = { provider, coin: instrument, source: sourceRulesOf(provider).recorded, intervalMs: MINUTE_MS };
  emit(candleRangeTopic, instrument, {
    ...range,
    id: `missed ${Math.floor(ts / MINUTE_MS)}`,
    kind: 'gap',
    from: ts,
    until: ts,
    receivedAt,
  });
}

/** Drops inactive bars and instruments with the first trade of each hour of event time. */
function sweep(state: CandlesState, now: number): void {
  const hour = Math.floor(now / HOUR_MS);
  if (hour <= state.sweptHour) return;
  state.sweptHour = hour;
  for (const [name, coin] of state.coins) {
    if (now - coin.receivedAt < COIN_EXPIRY_MS) dropInactive(coin, now);
    else {
      state.coins.delete(name);
      state.expiredArrivals.set(coin.topic, Math.max(coin.lastArrival, state.expiredArrivals.get(coin.topic) ?? -1));
    }
  }
}

/**
 * Returns the range that states since when the bars of an instrument are complete: a bucket that begins after the first
 * trade has no earlier trade to miss. Where bars are complete unless a gap is known, it is the gap before that trade, from
 * the start of the longest bucket; null for an instrument without a bar in that bucket. A chain is followed as a whole, so
 * after the first trade of any of its instruments none is missed. Of other questions the normaliser states the gap before
 * the recording, since it knows when an instrument was subscribed: null.
 */
function startOf(
  { chainStarts }: CandlesState,
  { provider, ts, blockNumber }: Trade,
  topic: string,
): Pick<CandleRange, 'kind' | 'from' | 'until'> | null {
  if (!sourceRulesOf(provider).isCompleteBetweenGaps) return { kind: 'complete', from: ts + 1, until: null };
  if (blockNumber === null) return null;
  const start = Math.min(ts, chainStarts.get(topic) ?? ts);
  chainStarts.set(topic, start);
  const from = Math.floor(start / INTERVALS['1d']) * INTERVALS['1d'];
  return ts < from + INTERVALS['1d'] ? { kind: 'gap', from, until: start } : null;
}

function toCandle({ provider, instrument }: Trade, { openTime, summary }: MinuteBar, receivedAt: number): Candle {
  const { recorded, isCompleteBetweenGaps } = sourceRulesOf(provider);
  return {
    provider,
    coin: instrument,
    openTime,
    receivedAt,
    ...pricesOf(summary),
    ...(isCompleteBetweenGaps ? placesOf(summary) : NO_PLACES),
    source: recorded,
    intervalMs: MINUTE_MS,
  };
}

const NO_PRICES = { open: '0', high: '0', low: '0', close: '0', volume: '0', trades: 0 };

function pricesOf(summary: Summary | null) {
  if (!summary) return NO_PRICES;
  const { open, high, low, close, volume, trades } = summary;
  return { open, high: formatDecimal(high), low: formatDecimal(low), close, volume: formatDecimal(volume), trades };
}

const NO_PLACES = { openTs: null, openArrival: null, closeTs: null, closeArrival: null };

/** The places of the first and the last trade: the bars of the two outcomes of a market are joined by them. */
function placesOf(summary: Summary | null) {
  if (!summary) return NO_PLACES;
  const { openAt, closeAt } = summary;
  return { openTs: openAt.ts, openArrival: openAt.arrival, closeTs: closeAt.ts, closeArrival: closeAt.arrival };
}
