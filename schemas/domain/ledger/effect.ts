import type { Decimal } from '../decimal.ts';
import type { Lot } from './lots.ts';

/** The kinds of events, and `unseen`: the venue states another position than the events before. */
export const EFFECT_KINDS = ['fill', 'split', 'merge', 'convert', 'settle', 'unseen'] as const;

/** What an event did to one book: all that is needed to report it and to undo it. */
export interface Effect {
  readonly kind: (typeof EFFECT_KINDS)[number];
  readonly instrument: string;
  /** The builder of the book. */
  readonly builder: string | null;
  /** By how much the position of the book changed; negative: quantity left it. */
  readonly qty: Decimal;
  /** Null if it is unknown, or if lots were removed at cost. */
  readonly price: Decimal | null;
  /** What was realized on closed lots of known cost; null if something was closed and none of it has a known cost. */
  readonly realized: Decimal | null;
  /** The parts of lots that were closed, in this order. */
  readonly closes: readonly Lot[];
  readonly opens: Lot | null;
  /** The rounding of the venue that was added to a lot, at the lot's price. */
  readonly grows: Pick<Lot, 'openedBy' | 'n' | 'qty'> | null;
  /** True if from here on the figures of the book leave something out. */
  readonly partial: boolean;
}
