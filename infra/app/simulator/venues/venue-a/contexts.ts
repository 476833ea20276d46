import { STREAM, uniformOf } from '../../world/hash.ts';
import { ladderTradeUsd } from '../../world/ladder-book.ts';
import { type Ladder, ladderMid } from '../../world/ladders.ts';
import { smoothNoise } from '../../world/noise.ts';
import { amountText, pointText } from '../../world/number-text.ts';
import { priceAt } from '../../world/prices.ts';
import { DAY_MS, HOUR_MS } from '../../world/time.ts';
import type { World } from '../../world/world.ts';
import type { Markets } from './market.ts';
import { midText } from './market-text.ts';

/** Mark and oracle prices change about every 3 s (venue page, section 3.1). */
export const CONTEXT_PERIOD_MS = 3_000;

function noise(world: World, ladder: Ladder, salt: number, atMs: number, periodMs: number): number {
  return smoothNoise(world.settings.seed, STREAM.context, ladder.index * 8 + salt, atMs / periodMs);
}

/** A price as text, with no more decimals than the market allows. */
function priceText(ladder: Ladder, px: number): string {
  const decimals = Math.max(0, Math.min(ladder.maxDecimals, 4 - Math.floor(Math.log10(px))));
  return pointText(Math.round(px * 10 ** decimals), decimals);
}

/** The mark price of the current 3-second period. */
export function markText(seed: number, ladder: Ladder, atMs: number): string {
  return priceText(ladder, ladderMid(seed, ladder, Math.floor(atMs / CONTEXT_PERIOD_MS) * CONTEXT_PERIOD_MS));
}

/** Standard deviations by which a day's volume exceeds its mean, so that it is at least the sum of the trades. */
const VOLUME_DEVIATIONS = 6;
/** Number of prices from which the average price of a day is calculated. */
const PRICES_A_DAY = 48;

/**
 * Volume of the trailing 24 hours. A day has too many trades to add up for each context. So the volume is estimated
 * from their number, which is known exactly, and set a little above their largest sum. It is therefore at least the
 * volume of the candles of these 24 hours, and exceeds it by 2 to 12 per cent if there are many trades.
 */
function volumes(world: World, markets: Markets, ladder: Ladder, atMs: number): { base: string; notional: string } {
  const trades = markets.countTrades(markets.ofLadder(ladder), atMs + 1 - DAY_MS, atMs + 1);
  const { mean, deviation } = ladderTradeUsd(ladder);
  const most = trades * mean + VOLUME_DEVIATIONS * deviation * Math.sqrt(trades);
  const usd = most * (1.07 + 0.05 * noise(world, ladder, 0, atMs, 6 * HOUR_MS));
  const tradedMs = Math.min(DAY_MS, atMs - ladder.listedAtMs);
  let basePerUsd = 0;
  for (let nth = 0; nth < PRICES_A_DAY; nth += 1)
    basePerUsd += 1 / ladderMid(world.settings.seed, ladder, atMs - ((nth + 0.5) * tradedMs) / PRICES_A_DAY);
  return {
    base: amountText((usd * basePerUsd) / PRICES_A_DAY, ladder.szDecimals),
    notional: amountText(usd, 6),
  };
}

/** The price of 24 hours ago, or of the listing if that was later. */
function dayAgoPx(world: World, ladder: Ladder, atMs: number): number {
  return priceAt(world.settings.seed, ladder.asset, Math.max(atMs - DAY_MS, ladder.listedAtMs));
}

/**
 * Context of a perpetual as JSON text (venue page, section 3.1), with mark and oracle of the current 3-second period.
 */
export function perpContextText(world: World, markets: Markets, ladder: Ladder, atMs: number): string {
  const { seed } = world.settings;
  const at = Math.floor(atMs / CONTEXT_PERIOD_MS) * CONTEXT_PERIOD_MS;
  const oracle = priceAt(seed, ladder.asset, at);
  const mark = ladderMid(seed, ladder, at);
  const { book } = markets.bookAt(markets.ofLadder(ladder), atMs, 1);
  const mid = midText(book);
  const bid = pointText(book.bidPx[0]!, book.priceDecimals);
  const ask = pointText(book.askPx[0]!, book.priceDecimals);
  const funding = (0.0000125 * (1 + noise(world, ladder, 1, at, HOUR_MS))).toFixed(10);
  const interest = (18_000_000 * ladder.asset.weight * (1.5 + noise(world, ladder, 2, at, DAY_MS))) / mark;
  const { base, notional } = volumes(world, markets, ladder, atMs);
  const dayAgo = priceText(ladder, dayAgoPx(world, ladder, at));
  return `{"funding":"${funding}","openInterest":"${amountText(interest, ladder.szDecimals)}","prevDayPx":"${dayAgo}","dayNtlVlm":"${notional}","premium":"${(mark / oracle - 1).toFixed(10)}","oraclePx":"${priceText(ladder, oracle)}","markPx":"${priceText(ladder, mark)}","midPx":"${mid}","impactPxs":["${bid}","${ask}"],"dayBaseVlm":"${base}"}`;
}

/** Context of a delisted perpetual: its book is empty, so mid, premium and impact prices are null together. */
export function delistedContextText(world: World, ladder: Ladder): string {
  const last = priceText(ladder, priceAt(world.settings.seed, ladder.asset, ladder.delistedAtMs));
  return `{"funding":"0.0","openInterest":"0.0","prevDayPx":"${last}","dayNtlVlm":"0.0","premium":null,"oraclePx":"${last}","markPx":"${last}","midPx":null,"impactPxs":null,"dayBaseVlm":"0.0"}`;
}

/** Context of a spot pair as JSON text. */
export function spotContextText(world: World, markets: Markets, ladder: Ladder, atMs: number): string {
  const { seed } = world.settings;
  const at = Math.floor(atMs / CONTEXT_PERIOD_MS) * CONTEXT_PERIOD_MS;
  const { book } = markets.bookAt(markets.ofLadder(ladder), atMs, 1);
  const { base, notional } = volumes(world, markets, ladder, atMs);
  const mark = markText(seed, ladder, atMs);
  const dayAgo = priceText(ladder, dayAgoPx(world, ladder, at));
  const supply = amountText(1_000_000 * (1 + uniformOf(seed, STREAM.context, ladder.index, 7)), 8);
  return `{"coin":"${ladder.coin}","markPx":"${mark}","midPx":"${midText(book)}","prevDayPx":"${dayAgo}","dayNtlVlm":"${notional}","dayBaseVlm":"${base}","circulatingSupply":"${supply}","totalSupply":"${supply}"}`;
}
