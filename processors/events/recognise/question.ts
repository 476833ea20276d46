/** What a recogniser makes of a market. */

/** Kinds of questions (contract, Markets): null is said only when nothing was recognised. */
export type EventKind = 'price_binary' | 'price_range' | 'up_down' | 'election' | 'sports' | 'rate' | 'other';

/** True if the price counts at one moment, or at any moment up to the deadline: two different questions. */
export type Semantics = 'at_time' | 'touch';

/** A single price threshold. */
export interface Strike {
  readonly underlying: string;
  /** Canonical decimal text. */
  readonly threshold: string;
  readonly op: 'gte' | 'lte';
  /** True if equality is left out; null where it is not told. On a price that moves freely it hardly ever matters. */
  readonly strict: boolean | null;
  readonly semantics: Semantics;
  /** What else tells the question from others with the same strike, as the month in which a touch must happen. */
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

/** When a question is decided. */
export interface Deadline {
  /** Calendar day in the zone of the market's own deadline, `YYYY-MM-DD`. */
  readonly day: string;
  /** Unix ms; null while the minute is not known. */
  readonly atMs: number | null;
}

/** What is known of a question, and from which words or fields. */
export interface Recognition {
  /** The venue that asks. */
  readonly venue: string;
  readonly kind: EventKind | null;
  readonly underlying: string | null;
  /** Only for `price_binary`. */
  readonly strike: Strike | null;
  readonly deadline: Deadline | null;
  /**
   * What tells a question of a kind without a strike from all others of its kind, where everything of it was read:
   * `BTC|86000|88000`, `boston bruins|nhl|2025`. Null for a question that cannot be compared.
   */
  readonly question: string | null;
  /** The fields that its kind has of its own, as `lower` and `upper` of a range. */
  readonly details: Readonly<Record<string, string | null>>;
  /** Who or what tells the price at the deadline, in lower case; null where it is not told. */
  readonly settlementSource: string | null;
  /** How sure the reading is, 0..1. */
  readonly confidence: number;
  /**
   * `structured`: from fields made for machines; `ner`: from sentences; `catalog`: nothing was read, it stands alone.
   */
  readonly source: 'structured' | 'ner' | 'catalog';
  /** False when a part is doubtful: the market then stays alone. */
  readonly linkable: boolean;
  /** Part to words or field. */
  readonly evidence: Readonly<Record<string, string>>;
}

/** The texts of a market, of whatever venue. */
export interface MarketTexts {
  readonly venue: string;
  readonly marketId: string | null;
  readonly title: string;
  readonly description: string;
  readonly groupTitle: string | null;
  readonly groupItemTitle: string | null;
  readonly resolutionSource: string | null;
  /** The market's own deadline as its catalog gives it, unix ms. */
  readonly endTimeMs: number | null;
  /** A day near the market's listing or end, by which a date without a year is read. */
  readonly contextDay: string;
  /** The venue's structured fields. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A recogniser gives null for what is not its subject. */
export type Recogniser = (texts: MarketTexts) => Recognition | null;

/** The reading of a market of which nothing is known. */
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

/** The reading of a market whose kind is known and no more. */
export function kindOnly(
  kind: EventKind,
  underlying: string | null,
  evidence: Readonly<Record<string, string>>,
  details: Recognition['details'] = {},
): Recognition {
  return { ...UNRECOGNISED, kind, underlying, details, confidence: 0.9, source: 'ner', evidence };
}
