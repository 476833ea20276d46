/**
 * venue_a's frames and answers as JSON text (venue page, sections 3.1 and 7). They are concatenated by hand for speed,
 * since tens of thousands are generated per second.
 */
import { hashOf, hexOf, STREAM } from '../../world/hash.ts';
import { LADDER_DEPTH, type LevelBook, type VenueATrade } from '../../world/ladder-book.ts';
import { pointText } from '../../world/number-text.ts';
import type { World } from '../../world/world.ts';

const NO_HASH = `0x${'0'.repeat(64)}`;

interface LevelText {
  readonly sz: number;
  readonly count: number;
  readonly text: string;
}
/** Cached text of one side of a market: texts of levels by price, and the last complete text with its levels. */
interface SideTexts {
  readonly levels: Map<number, LevelText>;
  readonly px: Float64Array;
  readonly sz: Float64Array;
  depth: number;
  decimals: number;
  text: string;
}
/** Number of level texts at which a side's cache is cleared, to drop old prices. */
const MAX_TEXTS = 200;

function makeSideTexts(): SideTexts {
  const room = () => new Float64Array(LADDER_DEPTH);
  return { levels: new Map(), px: room(), sz: room(), depth: -1, decimals: -1, text: '' };
}

function isUnchanged(cached: SideTexts, px: Float64Array, sz: Float64Array, depth: number, decimals: number): boolean {
  if (cached.depth !== depth || cached.decimals !== decimals) return false;
  for (let level = 0; level < depth; level += 1) {
    if (cached.px[level] !== px[level] || cached.sz[level] !== sz[level]) return false;
  }
  return true;
}

function levelText(cached: SideTexts, px: number, sz: number, count: number, book: LevelBook): string {
  // The same number of ticks is a different price if the market's decimals have changed.
  const key = px * 16 + book.priceDecimals;
  const known = cached.levels.get(key);
  if (known !== undefined && known.sz === sz && known.count === count) return known.text;
  const text = `{"px":"${pointText(px, book.priceDecimals)}","sz":"${pointText(sz, book.sizeDecimals)}","n":${count}}`;
  cached.levels.set(key, { sz, count, text });
  return text;
}

function sideText(
  cached: SideTexts,
  px: Float64Array,
  sz: Float64Array,
  count: Int32Array,
  depth: number,
  book: LevelBook,
): string {
  if (isUnchanged(cached, px, sz, depth, book.priceDecimals)) return cached.text;
  if (cached.levels.size > MAX_TEXTS) cached.levels.clear();
  let text = '';
  for (let level = 0; level < depth; level += 1) {
    const one = levelText(cached, px[level]!, sz[level]!, count[level]!, book);
    text += level === 0 ? one : `,${one}`;
    cached.px[level] = px[level]!;
    cached.sz[level] = sz[level]!;
  }
  cached.depth = depth;
  cached.decimals = book.priceDecimals;
  cached.text = `[${text}]`;
  return cached.text;
}

/** A market, as far as its texts depend on it. Each object has a cache of its own. */
interface NamedMarket {
  readonly coin: string;
}

/** Writes the books of one venue. Caches texts of levels, since most levels do not change between books. */
export interface BookWriter {
  /** A book: `{coin, time, levels: [bids, asks]}`, with at most `depth` levels per side. */
  book(market: NamedMarket, timeMs: number, book: LevelBook, depth: number): string;
  /** Best bid and ask: `{coin, time, bbo: [bid, ask]}`, null for an empty side. */
  bbo(market: NamedMarket, timeMs: number, book: LevelBook): string;
}

export function createBookWriter(): BookWriter {
  const texts = new WeakMap<NamedMarket, readonly [bids: SideTexts, asks: SideTexts]>();
  const cacheOf = (market: NamedMarket) => {
    let cached = texts.get(market);
    if (!cached) {
      cached = [makeSideTexts(), makeSideTexts()];
      texts.set(market, cached);
    }
    return cached;
  };
  return {
    book(market, timeMs, book, depth) {
      const [bids, asks] = cacheOf(market);
      const bidsText = sideText(bids, book.bidPx, book.bidSz, book.bidCount, Math.min(depth, book.bidDepth), book);
      const asksText = sideText(asks, book.askPx, book.askSz, book.askCount, Math.min(depth, book.askDepth), book);
      return `{"coin":"${market.coin}","time":${timeMs},"levels":[${bidsText},${asksText}]}`;
    },
    bbo(market, timeMs, book) {
      const [bids, asks] = cacheOf(market);
      const bid = book.bidDepth > 0 ? levelText(bids, book.bidPx[0]!, book.bidSz[0]!, book.bidCount[0]!, book) : 'null';
      const ask = book.askDepth > 0 ? levelText(asks, book.askPx[0]!, book.askSz[0]!, book.askCount[0]!, book) : 'null';
      return `{"coin":"${market.coin}","time":${timeMs},"bbo":[${bid},${ask}]}`;
    },
  };
}

/** The mid price of a book, or null if a side is empty. */
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

/** One trade; `users` are buyer and seller. About a quarter have no transaction hash, as on the venue. */
export function tradeText(world: World, coin: string, trade: VenueATrade): string {
  const { seed } = world.settings;
  const chance = hashOf(seed, STREAM.hex, trade.event, 3);
  const hash = chance % 100 < 28 ? NO_HASH : hexOf(seed, STREAM.hex, trade.event, 4, 32);
  const [buyer, seller] = world.population.couple(chance);
  const px = pointText(trade.px, trade.priceDecimals);
  const sz = pointText(trade.sz, trade.sizeDecimals);
  return `{"coin":"${coin}","side":"${trade.side}","px":"${px}","sz":"${sz}","time":${trade.timeMs},"hash":"${hash}","tid":${tradeId(seed, trade.event)},"users":["${buyer}","${seller}"]}`;
}
