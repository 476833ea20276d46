/** Reads a book of venue_a: the data of the `l2Book` channel and answers of `l2Book` (venue page, sections 3.1 and 7). */

import type { LevelText } from '../../domain/book.ts';
import {
  FieldError,
  readAmount,
  readInteger,
  readList,
  readObject,
  readText,
  withPath,
} from '../../domain/json-fields.ts';

/** A complete and validated book. */
export interface BookMessage {
  readonly coin: string;
  /** Venue time, unix ms. */
  readonly time: number;
  readonly bids: LevelText[];
  readonly asks: LevelText[];
}

/** Reads a book. A book without levels is `[[],[]]`. Throws `FieldError`. */
export function readBook(data: unknown): BookMessage {
  const book = readObject(data, 'data');
  const levels = readList(book.levels, 'data.levels');
  if (levels.length !== 2) throw new FieldError('data.levels', 'bids and asks', levels);
  return {
    coin: readText(book.coin, 'data.coin'),
    time: readInteger(book.time, 'data.time'),
    bids: readSide(levels[0], 0),
    asks: readSide(levels[1], 1),
  };
}

function readSide(value: unknown, side: 0 | 1): LevelText[] {
  const levels = readList(value, `data.levels[${side}]`);
  let at = 0;
  try {
    const read: LevelText[] = [];
    for (; at < levels.length; at += 1) {
      const level = readObject(levels[at], 'level');
      read.push({ price: readAmount(level.px, 'px'), size: readAmount(level.sz, 'sz') });
    }
    return read;
  } catch (error) {
    throw withPath(error, `data.levels[${side}][${at}]`);
  }
}
