/** Figures of the trades of a bar, which trades can be added to in any order. */
import type { Decimal } from '#schemas/domain/decimal';

/** Position of a trade in time order; at equal venue times the one that arrived first is before. */
export interface TradePlace {
  readonly ts: number;
  readonly arrival: number;
}

/** The fields of a trade that a bar needs; the price also as canonical text, times in unix ms. */
export interface PricedTrade extends TradePlace {
  readonly text: string;
  readonly price: Decimal;
  readonly qty: Decimal;
}

export interface Summary {
  open: string;
  openAt: TradePlace;
  close: string;
  closeAt: TradePlace;
  high: Decimal;
  low: Decimal;
  volume: Decimal;
  trades: number;
}

export function startSummary(trade: PricedTrade): Summary {
  const { text, price, qty } = trade;
  const at = placeOf(trade);
  return { open: text, openAt: at, close: text, closeAt: at, high: price, low: price, volume: qty, trades: 1 };
}

export function addToSummary(summary: Summary, trade: PricedTrade): void {
  if (isBefore(trade, summary.openAt)) {
    summary.open = trade.text;
    summary.openAt = placeOf(trade);
  } else if (isBefore(summary.closeAt, trade)) {
    summary.close = trade.text;
    summary.closeAt = placeOf(trade);
  }
  if (trade.price > summary.high) summary.high = trade.price;
  if (trade.price < summary.low) summary.low = trade.price;
  summary.volume = (summary.volume + trade.qty) as Decimal;
  summary.trades += 1;
}

function placeOf({ ts, arrival }: TradePlace): TradePlace {
  return { ts, arrival };
}

function isBefore(a: TradePlace, b: TradePlace): boolean {
  return a.ts < b.ts || (a.ts === b.ts && a.arrival < b.arrival);
}
