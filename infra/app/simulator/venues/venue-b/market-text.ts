/** venue_b's market-socket frames and book answers as JSON text (venue page, sections 3 and 5). */
import { hexOf, STREAM } from '../../world/hash.ts';
import type { Match, MatchLeg } from '../../world/matches.ts';
import { plainText, probabilityText } from '../../world/number-text.ts';
import type { BookLevel, LevelChange, QuestionBook } from '../../world/question-book.ts';
import type { QuestionIds } from '../../world/question-ids.ts';
import type { QuestionUpdate, World } from '../../world/world.ts';
import { transactionHash } from './match-logs.ts';

const ONE = 1_000;
const SIZE_DECIMALS = 2;

/** Smallest price step as text. */
function tickText(book: QuestionBook): string {
  return probabilityText(book.tick);
}

function stamp(world: World, update: QuestionUpdate, salt: number): string {
  return hexOf(world.settings.seed, STREAM.hex, update.version, update.question.slot.index * 4096 + salt, 20).slice(2);
}

/** Best bid and ask of a token. An empty side is an empty text, as on the venue. */
export function bestOf(book: QuestionBook, token: number): { bid: string; ask: string } {
  const bid = book.bids[0];
  const ask = book.asks[0];
  const text = (level: BookLevel | undefined, mirrored: boolean) =>
    level ? probabilityText(mirrored ? ONE - level.price : level.price) : '';
  return token === 0
    ? { bid: text(bid, false), ask: text(ask, false) }
    : { bid: text(ask, true), ask: text(bid, true) };
}

/** Levels in the venue's order, with the best last. Levels of NO are the mirrored other side. */
function levelsText(levels: readonly BookLevel[], mirrored: boolean): string {
  let text = '';
  for (let at = levels.length - 1; at >= 0; at -= 1) {
    const { price, size } = levels[at]!;
    const shown = probabilityText(mirrored ? ONE - price : price);
    text += `${text && ','}{"price":"${shown}","size":"${plainText(size, SIZE_DECIMALS)}"}`;
  }
  return `[${text}]`;
}

function sides(book: QuestionBook, token: number): { bids: string; asks: string } {
  return token === 0
    ? { bids: levelsText(book.bids, false), asks: levelsText(book.asks, false) }
    : { bids: levelsText(book.asks, true), asks: levelsText(book.bids, true) };
}

/** A `book` frame: the complete book of a token. */
export function bookFrame(
  world: World,
  ids: QuestionIds,
  update: QuestionUpdate,
  token: number,
  timeMs: number,
  lastTrade: string,
): string {
  const { bids, asks } = sides(update.book, token);
  return `{"event_type":"book","market":"${ids.conditionId}","asset_id":"${ids.tokenIds[token]}","timestamp":"${timeMs}","hash":"${stamp(world, update, token)}","bids":${bids},"asks":${asks},"tick_size":"${tickText(update.book)}","last_trade_price":"${lastTrade}"}`;
}

/** Answer to `GET /book`. */
export function bookAnswer(
  world: World,
  ids: QuestionIds,
  update: QuestionUpdate,
  token: number,
  timeMs: number,
  lastTrade: string,
): string {
  const { bids, asks } = sides(update.book, token);
  return `{"market":"${ids.conditionId}","asset_id":"${ids.tokenIds[token]}","timestamp":"${timeMs}","hash":"${stamp(world, update, token)}","bids":${bids},"asks":${asks},"min_order_size":"5","tick_size":"${tickText(update.book)}","neg_risk":false,"last_trade_price":"${lastTrade}"}`;
}

/** A `price_change` frame: each changed level on both tokens, with the best prices after the whole frame. */
export function priceChangeFrame(
  world: World,
  ids: QuestionIds,
  update: QuestionUpdate,
  changes: readonly LevelChange[],
  timeMs: number,
): string {
  const best = [bestOf(update.book, 0), bestOf(update.book, 1)] as const;
  let text = '';
  for (const [nth, { price, size, isBid }] of changes.entries()) {
    const sizeText = plainText(size, SIZE_DECIMALS);
    for (const token of [0, 1] as const) {
      const shown = probabilityText(token === 0 ? price : ONE - price);
      const side = isBid === (token === 0) ? 'BUY' : 'SELL';
      const hash = stamp(world, update, 2 + nth * 2 + token);
      text += `${text && ','}{"asset_id":"${ids.tokenIds[token]}","price":"${shown}","size":"${sizeText}","side":"${side}","hash":"${hash}","best_bid":"${best[token].bid}","best_ask":"${best[token].ask}"}`;
    }
  }
  return `{"market":"${ids.conditionId}","price_changes":[${text}],"timestamp":"${timeMs}","event_type":"price_change"}`;
}

/** A `last_trade_price` frame: one maker order's part of a match, from the taker's view. */
export function lastTradeFrame(world: World, ids: QuestionIds, match: Match, leg: MatchLeg): string {
  const side = match.isTakerBuy ? 'BUY' : 'SELL';
  return `{"market":"${ids.conditionId}","asset_id":"${ids.tokenIds[match.token]}","price":"${probabilityText(leg.price)}","size":"${plainText(leg.size, SIZE_DECIMALS)}","fee_rate_bps":"0","side":"${side}","timestamp":"${match.timeMs}","event_type":"last_trade_price","transaction_hash":"${transactionHash(world, match)}"}`;
}

/** A `best_bid_ask` frame of a token. */
export function bestFrame(ids: QuestionIds, book: QuestionBook, token: number, timeMs: number): string {
  const { bid, ask } = bestOf(book, token);
  const spread = bid && ask ? plainText(book.asks[0]!.price - book.bids[0]!.price, 3) : '';
  return `{"event_type":"best_bid_ask","market":"${ids.conditionId}","asset_id":"${ids.tokenIds[token]}","best_bid":"${bid}","best_ask":"${ask}","spread":"${spread}","timestamp":"${timeMs}"}`;
}

/** A `tick_size_change` frame of a token. */
export function tickFrame(
  ids: QuestionIds,
  from: QuestionBook,
  to: QuestionBook,
  token: number,
  timeMs: number,
): string {
  return `{"event_type":"tick_size_change","market":"${ids.conditionId}","asset_id":"${ids.tokenIds[token]}","old_tick_size":"${tickText(from)}","new_tick_size":"${tickText(to)}","timestamp":"${timeMs}"}`;
}
