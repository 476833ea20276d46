/**
 * Readers of the market socket's events that change a book (venue page, section 5). An invalid event throws
 * `MalformedError` with code `malformed_frame` before any of it is applied.
 */
import { type Level, parseLevels } from '#schemas/domain/book';
import { canonicalDecimal, DecimalError, parseDecimal, ZERO } from '#schemas/domain/decimal';
import type { BookLevel } from '#schemas/topics/normalised';
import { isJsonObject, type JsonObject } from './fields.ts';
import { MalformedError, quote } from './malformed-error.ts';

const CODE = 'malformed_frame';

/** Levels as text for topics and as numbers for the book, in the same order. */
export interface Levels {
  readonly texts: BookLevel[];
  readonly levels: Level[];
}

/** A complete book of one token, best levels first. */
export interface BookEvent {
  readonly token: string;
  readonly bids: Levels;
  readonly asks: Levels;
}

/** The changes of the book of one token in one frame. */
export interface BookDelta {
  readonly token: string;
  readonly bids: BookLevel[];
  readonly asks: BookLevel[];
  /** The venue's best prices after the changes; undefined where it does not state them, null for an empty side. */
  bestBid: bigint | null | undefined;
  bestAsk: bigint | null | undefined;
}

/** Returns the token of an event or of a change. */
export function tokenOf(object: JsonObject): string {
  const token = object.asset_id;
  if (typeof token !== 'string' || token === '') throw new MalformedError(CODE, `asset_id: ${quote(token)}`);
  return token;
}

/** Returns the venue's time, unix ms. */
export function timeOf(event: JsonObject): number {
  const at = typeof event.timestamp === 'string' ? Number(event.timestamp) : Number.NaN;
  if (!Number.isSafeInteger(at) || at <= 0) throw new MalformedError(CODE, `timestamp: ${quote(event.timestamp)}`);
  return at;
}

/** Returns the condition id that an event names; null where it names none. */
export function marketOf(event: JsonObject): string | null {
  return typeof event.market === 'string' && event.market !== '' ? event.market.toLowerCase() : null;
}

/** Reads a `book` event or a book answer. The venue lists the best level last; here it is first. */
export function readBook(event: JsonObject): BookEvent {
  return { token: tokenOf(event), bids: readSide(event, 'bids'), asks: readSide(event, 'asks') };
}

/**
 * Reads a `price_change` of any era, one delta per token in the order in which the tokens are named:
 * `price_changes[]` with a token each; before 2025-09-15 one token on top and `changes[]`; in 2024 one change on top.
 */
export function readPriceChange(event: JsonObject): BookDelta[] {
  if (Array.isArray(event.price_changes)) {
    const deltas: BookDelta[] = [];
    for (const change of event.price_changes) {
      if (!isJsonObject(change)) throw new MalformedError(CODE, `price_changes: ${quote(change)}`);
      const token = tokenOf(change);
      let delta = deltas.find((known) => known.token === token);
      if (!delta) {
        delta = emptyDelta(token);
        deltas.push(delta);
      }
      addChange(delta, change);
    }
    return deltas;
  }
  const delta = emptyDelta(tokenOf(event));
  const changes = event.changes === undefined ? [event] : event.changes;
  if (!Array.isArray(changes)) throw new MalformedError(CODE, `changes: ${quote(changes)}`);
  for (const change of changes) {
    if (!isJsonObject(change)) throw new MalformedError(CODE, `changes: ${quote(change)}`);
    addChange(delta, change);
  }
  return [delta];
}

/** A tick size, scaled like every decimal. */
export function readTickSize(event: JsonObject): bigint {
  const tick = parseDecimal(canonical(event.new_tick_size, 'new_tick_size'));
  if (tick <= ZERO) throw new MalformedError(CODE, `new_tick_size: ${quote(event.new_tick_size)}`);
  return tick;
}

function emptyDelta(token: string): BookDelta {
  return { token, bids: [], asks: [], bestBid: undefined, bestAsk: undefined };
}

function addChange(delta: BookDelta, change: JsonObject): void {
  const level = readLevel(change);
  if (change.side === 'BUY') delta.bids.push(level);
  else if (change.side === 'SELL') delta.asks.push(level);
  else throw new MalformedError(CODE, `side: ${quote(change.side)}`);
  // With several changes of one token, the last one states the best prices after all of them.
  delta.bestBid = readBest(change.best_bid, '0');
  delta.bestAsk = readBest(change.best_ask, '1');
}

/** @param none the price that marks an empty side: one at which nobody can trade. */
function readBest(value: unknown, none: string): bigint | null | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (value === none || value === '0') return null;
  return parseDecimal(canonical(value, 'best_bid or best_ask'));
}

function readSide(event: JsonObject, side: 'bids' | 'asks'): Levels {
  const list = event[side];
  if (!Array.isArray(list)) throw new MalformedError(CODE, `${side}: ${quote(list)}`);
  const texts: BookLevel[] = [];
  for (let at = list.length - 1; at >= 0; at -= 1) {
    const entry: unknown = list[at];
    if (!isJsonObject(entry)) throw new MalformedError(CODE, `${side}: ${quote(entry)}`);
    texts.push(readLevel(entry));
  }
  return { texts, levels: parseLevels(texts) };
}

function readLevel(entry: JsonObject): BookLevel {
  return { price: canonical(entry.price, 'price'), size: canonical(entry.size, 'size') };
}

/** Matches most numbers that the venue writes: non-negative, at most 18 digits on either side, no trailing zero. */
const CANONICAL = /^(?:0|[1-9]\d{0,17})(?:\.\d{0,17}[1-9])?$/;

function canonical(value: unknown, field: string): string {
  if (typeof value === 'string') {
    if (CANONICAL.test(value)) return value;
    try {
      const text = canonicalDecimal(value);
      if (!text.startsWith('-')) return text;
    } catch (error) {
      if (!(error instanceof DecimalError)) throw error;
    }
  }
  throw new MalformedError(CODE, `${field}: ${quote(value)}`);
}
