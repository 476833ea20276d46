/**
 * venue_a's frames and answers as JSON text (venue page, sections 3.1 and 7). They are put together by hand, since tens
 * of thousands are made each second and each is sent to every subscriber as the same bytes.
 */
import { hashOf, hexOf, STREAM } from '../world/hash.ts';
import type { LevelBook, VenueATrade } from '../world/ladder-book.ts';
import { pointText } from '../world/number-text.ts';
import type { World } from '../world/world.ts';

const NO_HASH = `0x${'0'.repeat(64)}`;

function levelsText(
  px: Float64Array,
  sz: Float64Array,
  count: Int32Array,
  depth: number,
  { priceDecimals, sizeDecimals }: LevelBook,
): string {
  let text = '[';
  for (let level = 0; level < depth; level += 1) {
    if (level > 0) text += ',';
    text += `{"px":"${pointText(px[level]!, priceDecimals)}","sz":"${pointText(sz[level]!, sizeDecimals)}","n":${count[level]}}`;
  }
  return `${text}]`;
}

/** A book: `{coin, time, levels: [bids, asks]}`, at most `depth` levels a side. */
export function bookText(coin: string, timeMs: number, book: LevelBook, depth: number): string {
  const bids = levelsText(book.bidPx, book.bidSz, book.bidCount, Math.min(depth, book.bidDepth), book);
  const asks = levelsText(book.askPx, book.askSz, book.askCount, Math.min(depth, book.askDepth), book);
  return `{"coin":"${coin}","time":${timeMs},"levels":[${bids},${asks}]}`;
}

/** Best bid and ask: `{coin, time, bbo: [bid, ask]}`. */
export function bboText(coin: string, timeMs: number, book: LevelBook): string {
  const bid = levelsText(book.bidPx, book.bidSz, book.bidCount, Math.min(1, book.bidDepth), book).slice(1, -1);
  const ask = levelsText(book.askPx, book.askSz, book.askCount, Math.min(1, book.askDepth), book).slice(1, -1);
  return `{"coin":"${coin}","time":${timeMs},"bbo":[${bid || 'null'},${ask || 'null'}]}`;
}

/** The book's middle, or null when a side is empty. */
export function midText(book: LevelBook): string | null {
  if (book.bidDepth === 0 || book.askDepth === 0) return null;
  return pointText((book.bidPx[0]! + book.askPx[0]!) * 5, book.priceDecimals + 1);
}

/** A frame of a channel. */
export function frameText(channel: string, data: string): string {
  return `{"channel":"${channel}","data":${data}}`;
}

/** A trade id: 50 bits (venue page, section 2). */
function tradeId(seed: number, event: number): number {
  return (hashOf(seed, STREAM.hex, event, 1) % 2 ** 18) * 2 ** 32 + hashOf(seed, STREAM.hex, event, 2);
}

/** One trade; `users` are buyer and seller. About a quarter carries no transaction hash, as on the venue. */
export function tradeText(world: World, coin: string, trade: VenueATrade): string {
  const { seed } = world.settings;
  const chance = hashOf(seed, STREAM.hex, trade.event, 3);
  const hash = chance % 100 < 28 ? NO_HASH : hexOf(seed, STREAM.hex, trade.event, 4, 32);
  const [buyer, seller] = world.population.couple(chance);
  const px = pointText(trade.px, trade.priceDecimals);
  const sz = pointText(trade.sz, trade.sizeDecimals);
  return `{"coin":"${coin}","side":"${trade.side}","px":"${px}","sz":"${sz}","time":${trade.timeMs},"hash":"${hash}","tid":${tradeId(seed, trade.event)},"users":["${buyer}","${seller}"]}`;
}
