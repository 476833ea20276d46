import { STREAM, uniformOf } from '../world/hash.ts';
import { type Ladder, ladderMid } from '../world/ladders.ts';
import { smoothNoise } from '../world/noise.ts';
import { amountText, pointText } from '../world/number-text.ts';
import { priceAt } from '../world/prices.ts';
import { DAY_MS, HOUR_MS } from '../world/time.ts';
import type { World } from '../world/world.ts';
import type { Markets } from './market.ts';
import { midText } from './market-text.ts';

/** Mark and oracle move about every 3 s (venue page, section 3.1). */
export const CONTEXT_PERIOD_MS = 3_000;

function noise(world: World, ladder: Ladder, salt: number, atMs: number, periodMs: number): number {
  return smoothNoise(world.settings.seed, STREAM.context, ladder.index * 8 + salt, atMs / periodMs);
}

/** A price as the venue prints it, at no more decimals than the market allows. */
function priceText(ladder: Ladder, px: number): string {
  const decimals = Math.max(0, Math.min(ladder.maxDecimals, 4 - Math.floor(Math.log10(px))));
  return pointText(Math.round(px * 10 ** decimals), decimals);
}

function volumes(world: World, ladder: Ladder, atMs: number): { base: string; notional: string } {
  const usd = 40_000_000 * ladder.asset.weight * (1.4 + noise(world, ladder, 0, atMs, 6 * HOUR_MS));
  return {
    base: amountText(usd / ladderMid(world.settings.seed, ladder, atMs), ladder.szDecimals),
    notional: amountText(usd, 6),
  };
}

/** Context of a perpetual as JSON text (venue page, section 3.1): the mark and oracle of the running 3-second term. */
export function perpContextText(world: World, markets: Markets, ladder: Ladder, atMs: number): string {
  const { seed } = world.settings;
  const at = Math.floor(atMs / CONTEXT_PERIOD_MS) * CONTEXT_PERIOD_MS;
  const oracle = priceAt(seed, ladder.asset, at);
  const mark = ladderMid(seed, ladder, at);
  const { book } = markets.bookAt(markets.ladders[ladder.index]!, atMs, 1);
  const mid = midText(book);
  const bid = pointText(book.bidPx[0]!, book.priceDecimals);
  const ask = pointText(book.askPx[0]!, book.priceDecimals);
  const funding = (0.0000125 * (1 + noise(world, ladder, 1, at, HOUR_MS))).toFixed(10);
  const interest = (18_000_000 * ladder.asset.weight * (1.5 + noise(world, ladder, 2, at, DAY_MS))) / mark;
  const { base, notional } = volumes(world, ladder, at);
  const dayAgo = priceText(ladder, priceAt(seed, ladder.asset, at - DAY_MS));
  return `{"funding":"${funding}","openInterest":"${amountText(interest, ladder.szDecimals)}","prevDayPx":"${dayAgo}","dayNtlVlm":"${notional}","premium":"${(mark / oracle - 1).toFixed(10)}","oraclePx":"${priceText(ladder, oracle)}","markPx":"${priceText(ladder, mark)}","midPx":"${mid}","impactPxs":["${bid}","${ask}"],"dayBaseVlm":"${base}"}`;
}

/** Context of a delisted coin: its book is empty, so mid, premium and impact prices are null together. */
export const DELISTED_CONTEXT_TEXT =
  '{"funding":"0.0","openInterest":"0.0","prevDayPx":"0.41","dayNtlVlm":"0.0","premium":null,"oraclePx":"0.41","markPx":"0.41","midPx":null,"impactPxs":null,"dayBaseVlm":"0.0"}';

/** Context of a spot pair as JSON text. */
export function spotContextText(world: World, markets: Markets, ladder: Ladder, atMs: number): string {
  const { seed } = world.settings;
  const at = Math.floor(atMs / CONTEXT_PERIOD_MS) * CONTEXT_PERIOD_MS;
  const { book } = markets.bookAt(markets.ladders[ladder.index]!, atMs, 1);
  const { base, notional } = volumes(world, ladder, at);
  const mark = priceText(ladder, ladderMid(seed, ladder, at));
  const dayAgo = priceText(ladder, priceAt(seed, ladder.asset, at - DAY_MS));
  const supply = amountText(1_000_000 * (1 + uniformOf(seed, STREAM.context, ladder.index, 7)), 8);
  return `{"coin":"${ladder.coin}","markPx":"${mark}","midPx":"${midText(book)}","prevDayPx":"${dayAgo}","dayNtlVlm":"${notional}","dayBaseVlm":"${base}","circulatingSupply":"${supply}","totalSupply":"${supply}"}`;
}
