/** Builds candles: one-minute bars of every coin of the venues with prices, from their trades. */
import { type Emit, on, type Stage, type StageRecord } from '#infra/stages/stage';
import { formatDecimal } from '#schemas/domain/decimal';
import { marketKey, PRICE_VENUES } from '#schemas/domain/providers';
import { type Candle, candleTopic } from '#schemas/topics/derived';
import { type Trade, tradeTopics } from '#schemas/topics/normalised';
import { addTrade, type CoinBars, createCoinBars, dropInactive, type MinuteBar } from './bars.ts';

/** Source of bars that are built from recorded trades (specification, candles). */
const SOURCE = 'venue_node';
const HOUR_MS = 3_600_000;
/** A coin without trades for this long is removed. */
const COIN_EXPIRY_MS = 30 * 86_400_000;

export interface CandlesState {
  /** By provider and coin (`marketKey`). */
  readonly coins: Map<string, CoinBars>;
  /** The hour of the last search for inactive coins. */
  sweptHour: number;
}

export function createCandlesStage(): Stage<CandlesState> {
  return {
    name: 'candles',
    stateVersion: 3,
    inputs: PRICE_VENUES.map((venue) => on(tradeTopics[venue], onTrade)),
    outputs: [candleTopic],
    initialState: () => ({ coins: new Map(), sweptHour: 0 }),
  };
}

/** Adds a trade to its bar and emits the bar: every trade changes it. */
function onTrade(state: CandlesState, { value: trade, receivedAt }: StageRecord<Trade>, emit: Emit): void {
  sweep(state, receivedAt);
  const { provider, instrument } = trade;
  const key = marketKey(provider, instrument);
  const coin = state.coins.get(key) ?? createCoinBars();
  const bar = addTrade(coin, trade, receivedAt);
  if (!bar) {
    emit.deadLetter('late_trade', `${trade.id} is older than the retained bars of ${instrument}`);
    return;
  }
  state.coins.set(key, coin);
  emit(candleTopic, instrument, toCandle(trade, bar, receivedAt));
}

/** Drops inactive bars and coins with the first trade of each hour of event time. */
function sweep(state: CandlesState, now: number): void {
  const hour = Math.floor(now / HOUR_MS);
  if (hour <= state.sweptHour) return;
  state.sweptHour = hour;
  for (const [name, coin] of state.coins) {
    if (now - coin.receivedAt >= COIN_EXPIRY_MS) state.coins.delete(name);
    else dropInactive(coin, now);
  }
}

function toCandle({ provider, instrument }: Trade, bar: MinuteBar, receivedAt: number): Candle {
  return {
    provider,
    coin: instrument,
    openTime: bar.openTime,
    receivedAt,
    open: bar.open,
    high: formatDecimal(bar.high),
    low: formatDecimal(bar.low),
    close: bar.close,
    volume: formatDecimal(bar.volume),
    trades: bar.trades,
    source: SOURCE,
  };
}
