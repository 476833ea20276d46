/**
 * Readers of the market socket's events that change a book (venue page, section 5). An invalid event throws `FieldError`
 * before any of it is applied.
 */

import { type Level, parseLevels } from '#schemas/domain/book';
import { parseDecimal, ZERO } from '#schemas/domain/decimal';
import {
  asText,
  FieldError,
  type JsonObject,
  readAmount,
  readInteger,
  readList,
  readObject,
  readText,
} from '#schemas/domain/json-fields';
import type { BookLevel } from '#schemas/topics/normalised';

/** Reason of the dead letter of an invalid event. */
export const MALFORMED_FRAME = 'malformed_frame';

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
  return readText(object.asset_id, 'asset_id');
}

/** Returns the venue's time, unix ms. */
export function timeOf(event: JsonObject): number {
  const at = readInteger(event.timestamp, 'timestamp');
  if (at === 0) throw new FieldError('timestamp', 'a time', at);
  return at;
}

/** Returns the condition id that an event names; null where it names none. */
export function marketOf(event: JsonObject): string | null {
  return asText(event.market)?.toLowerCase() ?? null;
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
    for (const entry of event.price_changes) {
      const change = readObject(entry, 'price_changes');
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
  const changes = event.changes === undefined ? [event] : readList(event.changes, 'changes');
  for (const change of changes) addChange(delta, readObject(change, 'changes'));
  return [delta];
}

/** A tick size, scaled like every decimal. */
export function readTickSize(event: JsonObject): bigint {
  const tick = parseDecimal(readAmount(event.new_tick_size, 'new_tick_size'));
  if (tick <= ZERO) throw new FieldError('new_tick_size', 'a decimal above 0', event.new_tick_size);
  return tick;
}

function emptyDelta(token: string): BookDelta {
  return { token, bids: [], asks: [], bestBid: undefined, bestAsk: undefined };
}

function addChange(delta: BookDelta, change: JsonObject): void {
  const level = readLevel(change);
  if (change.side === 'BUY') delta.bids.push(level);
  else if (change.side === 'SELL') delta.asks.push(level);
  else throw new FieldError('side', 'BUY or SELL', change.side);
  // With several changes of one token, the last one states the best prices after all of them.
  delta.bestBid = readBest(change.best_bid, '0');
  delta.bestAsk = readBest(change.best_ask, '1');
}

/** @param none the price that marks an empty side: one at which nobody can trade. */
function readBest(value: unknown, none: string): bigint | null | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (value === none || value === '0') return null;
  return parseDecimal(readAmount(value, 'best_bid or best_ask'));
}

function readSide(event: JsonObject, side: 'bids' | 'asks'): Levels {
  const list = readList(event[side], side);
  const texts: BookLevel[] = [];
  for (let at = list.length - 1; at >= 0; at -= 1) {
    texts.push(readLevel(readObject(list[at], side)));
  }
  return { texts, levels: parseLevels(texts) };
}

function readLevel(entry: JsonObject): BookLevel {
  return { price: readAmount(entry.price, 'price'), size: readAmount(entry.size, 'size') };
}
