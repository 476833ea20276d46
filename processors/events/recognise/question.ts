/** The result of recognising the question of a market. */
import type { TimeOfDay } from './times.ts';

/** Kinds of questions (contract, Markets). The kind is null only if nothing was recognised. */
export type EventKind = 'price_binary' | 'price_range' | 'up_down' | 'election' | 'sports' | 'rate' | 'other';

/** The price counts at one moment (`at_time`), or at any up to the deadline (`touch`): different questions. */
export type Semantics = 'at_time' | 'touch';

/** A single price threshold. */
export interface Strike {
  readonly underlying: string;
  /** Canonical decimal text. */
  readonly threshold: string;
  readonly op: 'gte' | 'lte';
  /** True if equality does not count; null if not stated. On a price that moves freely it hardly ever matters. */
  readonly strict: boolean | null;
  readonly semantics: Semantics;
  /** Distinguishes questions with the same strike, for example by the month in which a touch must happen. */
  readonly scope: string;
}

/** Two thresholds between which a price must be; null for an open side. */
export interface PriceRange {
  /** Canonical decimal text; counts as inside. */
  readonly lower: string | null;
  /** Canonical decimal text; counts as outside. */
  readonly upper: string | null;
  readonly scope: string;
}

/** The time at which a question is decided. */
export interface Deadline {
  /** Calendar day in the zone of the market's own deadline, `YYYY-MM-DD`. */
  readonly day: string;
  /** Unix ms; null if the minute is unknown. */
  readonly atMs: number | null;
}

/** The recognised parts of a question, with the words or fields that they were read from. */
export interface Recognition {
  /** The venue that asks. */
  readonly venue: string;
  readonly kind: EventKind | null;
  readonly underlying: string | null;
  /** Only for `price_binary`. */
  readonly strike: Strike | null;
  readonly deadline: Deadline | null;
  /**
   * Identifies a question among all of its kind, for kinds without a strike: `BTC|86000|88000`, `boston
   * bruins|nhl|2025`. Null for a question that cannot be compared, because a part of it was not recognised.
   */
  readonly question: string | null;
  /** The fields that only its kind has, for example `lower` and `upper` of a range. */
  readonly details: Readonly<Record<string, string | null>>;
  /** The source of the price at the deadline, in lower case; null if not stated. */
  readonly settlementSource: string | null;
  /** Confidence of the reading, 0..1. */
  readonly confidence: number;
  /** `structured`: from machine-readable fields; `ner`: from sentences; `catalog`: nothing was read, never linked. */
  readonly source: 'structured' | 'ner' | 'catalog';
  /** False if a part is doubtful: the market is then never linked. */
  readonly linkable: boolean;
  /** The words or field that each part was read from. */
  readonly evidence: Readonly<Record<string, string>>;
}

/** The texts of a market of any venue. */
export interface MarketTexts {
  /** How its venue writes questions. */
  readonly conventions: QuestionConventions;
  readonly marketId: string | null;
  readonly title: string;
  readonly description: string;
  readonly groupTitle: string | null;
  readonly groupItemTitle: string | null;
  readonly resolutionSource: string | null;
  /** The market's own deadline as its catalog gives it, unix ms. */
  readonly endTimeMs: number | null;
  /** A day near the market's listing or end, which gives the year of a date without one. */
  readonly contextDay: string;
  /** The venue's structured fields. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A recogniser returns null for a market that is not its subject. */
export type Recogniser = (texts: MarketTexts) => Recognition | null;

/** How one venue writes its questions, in addition to the sentences that all venues have in common. */
export interface QuestionConventions {
  /** Reads fields that a program of the venue wrote. Sentences are read only if it returns null. */
  readonly readFields?: Recogniser;
  /** Returns the year in the id of a market; null without one. */
  readonly yearOfId?: (marketId: string) => string | null;
  /** Returns when the price of a day is read if no text states the minute; null if there is no custom. */
  readonly usualTime?: (underlying: string, day: string) => TimeOfDay | null;
}

/** Returns the year in the id of a market, for a title without one. */
export function yearOfId({ marketId, conventions }: MarketTexts): string | null {
  return marketId === null ? null : (conventions.yearOfId?.(marketId) ?? null);
}

/** The recognition of a market of which nothing is known. */
export const UNRECOGNISED: Recognition = {
  venue: '',
  kind: null,
  underlying: null,
  strike: null,
  deadline: null,
  question: null,
  details: {},
  settlementSource: null,
  confidence: 1,
  source: 'catalog',
  linkable: false,
  evidence: {},
};

/** Creates the recognition of a market of which only the kind is known. */
export function kindOnly(
  kind: EventKind,
  underlying: string | null,
  evidence: Readonly<Record<string, string>>,
  details: Recognition['details'] = {},
): Recognition {
  return { ...UNRECOGNISED, kind, underlying, details, confidence: 0.9, source: 'ner', evidence };
}
