/**
 * Reads the text of a book as the venue writes it: `{"coin":…,"time":…,"levels":[[{"px":…,"sz":…,"n":…},…],[…]]}`. Most
 * frames of venue_a are books, and the texts of their levels make `JSON.parse` slow: the engine looks up each short
 * text in its table of all texts.
 */
import { FieldError, readAmount } from '#schemas/domain/json-fields';
import type { BookLevel } from '#schemas/topics/normalised';
import type { BookMessage } from '#schemas/venues/venue-a/book';
import type { TextPiece } from '../../../shared/emit-raw.ts';

const COIN = '{"coin":"';
const TIME = '","time":';
const LEVELS = ',"levels":[';
const PRICE = '{"px":"';
const SIZE = '","sz":"';
const COUNT = '","n":';
/** Numbers of up to this many digits are exact. */
const DIGITS_MAX = 15;
const ZERO_UNIT = 0x30;
const NINE_UNIT = 0x39;

/** Returns null for text of another form; `readBook` then parses it, or throws for what is wrong with it. */
export function scanBook(text: string, piece: TextPiece): BookMessage | null {
  const scan = new BookScan(text, piece);
  try {
    return scan.book();
  } catch (error) {
    if (error instanceof FieldError) return null;
    throw error;
  }
}

class BookScan {
  private readonly text: string;
  private readonly end: number;
  private at: number;

  constructor(text: string, { start, length }: TextPiece) {
    this.text = text;
    this.at = start;
    this.end = start + length;
  }

  book(): BookMessage | null {
    if (!this.skip(COIN)) return null;
    const coin = this.untilQuote();
    if (!coin || /[\\\p{Cc}]/u.test(coin) || !this.skip(TIME)) return null;
    const time = this.digits();
    if (time === null || !this.skip(LEVELS)) return null;
    const bids = this.side();
    if (!bids || !this.skip(',')) return null;
    const asks = this.side();
    if (!asks || !this.skip(']}') || this.at !== this.end) return null;
    return { coin, time, bids, asks };
  }

  private side(): BookLevel[] | null {
    if (!this.skip('[')) return null;
    const levels: BookLevel[] = [];
    if (this.skip(']')) return levels;
    do {
      if (!this.skip(PRICE)) return null;
      const price = this.amount('px');
      if (!this.skip(SIZE)) return null;
      const size = this.amount('sz');
      if (!this.skip(COUNT) || this.digits() === null || !this.skip('}')) return null;
      levels.push({ price, size });
    } while (this.skip(','));
    return this.skip(']') ? levels : null;
  }

  /** Throws `FieldError` for text that is no amount. */
  private amount(field: string): string {
    return readAmount(this.untilQuote(), field);
  }

  /** Returns the text up to the next quote and advances to it; null where there is none. */
  private untilQuote(): string | null {
    const end = this.text.indexOf('"', this.at);
    if (end === -1) return null;
    const value = this.text.slice(this.at, end);
    this.at = end;
    return value;
  }

  /** Reads an integer in JSON form; null for anything else. */
  private digits(): number | null {
    const from = this.at;
    let value = 0;
    for (let unit = this.unit(); unit >= ZERO_UNIT && unit <= NINE_UNIT; unit = this.unit()) {
      value = value * 10 + (unit - ZERO_UNIT);
      this.at += 1;
    }
    const count = this.at - from;
    const hasNeedlessZero = count > 1 && this.text.charCodeAt(from) === ZERO_UNIT;
    return count === 0 || count > DIGITS_MAX || hasNeedlessZero ? null : value;
  }

  private unit(): number {
    return this.text.charCodeAt(this.at);
  }

  /** Skips the expected text; returns false if it does not come next. */
  private skip(expected: string): boolean {
    if (!this.text.startsWith(expected, this.at)) return false;
    this.at += expected.length;
    return true;
  }
}
