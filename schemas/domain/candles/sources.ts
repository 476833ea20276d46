/**
 * The sources of bars as data (contract, "Candles"). A source is a name here, a writer of bars and of ranges, and
 * nothing else: routes and queries know no source by name.
 */
import { PRICE_PROVIDERS } from '../providers.ts';

export const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Lengths of bars that REST serves, ms. */
export const INTERVALS = {
  '1m': MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '1h': HOUR_MS,
  '4h': 4 * HOUR_MS,
  '1d': 24 * HOUR_MS,
} as const;
export type Interval = keyof typeof INTERVALS;
export const INTERVAL_NAMES = Object.keys(INTERVALS) as [Interval, ...Interval[]];

/** Bars from the recorded trades of a price. */
const OURS = 'venue_node';
/** Bars from the recorded trades of an outcome. */
const TRADES = 'trades';
/** Bars that the venue calculated. */
export const VENUE_SOURCE = 'official_api';
/** Bars of an external exchange. */
export const EXCHANGE_SOURCE = 'external_exchange';

/** One way to get a bar: from bars of one length, each from the first of the sources that is complete in it. */
export interface CandleRule {
  /** In order of precedence. Several sources report the same trades, so their bars may be combined. */
  readonly sources: readonly string[];
  /** Length of the stored bars that are used, ms; `same` is the length of the bar that is wanted. */
  readonly base: number | 'same';
  /** True if the sources report the trades of another market. */
  readonly isOtherMarket?: boolean;
}

export interface SourceRules {
  /** The source of bars from recorded trades: the bar of a bucket that is complete nowhere. */
  readonly recorded: string;
  /** True if recorded bars are complete wherever no gap is known; otherwise only in ranges that are. */
  readonly isCompleteBetweenGaps: boolean;
  /** In order of precedence: the first rule whose sources are complete in a bucket decides. */
  readonly rules: readonly CandleRule[];
}

/** Rules for instruments with a price in money. */
const PRICE_RULES: SourceRules = {
  recorded: OURS,
  isCompleteBetweenGaps: false,
  rules: [
    { sources: [OURS, VENUE_SOURCE], base: MINUTE_MS },
    { sources: [VENUE_SOURCE], base: 'same' },
    { sources: [EXCHANGE_SOURCE], base: MINUTE_MS, isOtherMarket: true },
    { sources: [EXCHANGE_SOURCE], base: 'same', isOtherMarket: true },
    // It has no bars of four hours and of a day.
    { sources: [EXCHANGE_SOURCE], base: HOUR_MS, isOtherMarket: true },
  ],
};

/** Rules for outcomes of questions. */
export const QUESTION_RULES: SourceRules = {
  recorded: TRADES,
  isCompleteBetweenGaps: true,
  rules: [
    { sources: [TRADES, VENUE_SOURCE], base: MINUTE_MS },
    { sources: [VENUE_SOURCE], base: 'same' },
  ],
};

export function sourceRulesOf(provider: string): SourceRules {
  return PRICE_PROVIDERS.has(provider) ? PRICE_RULES : QUESTION_RULES;
}

/** The rules without the sources that report other trades than those of the market itself. */
export function ownRulesOf(provider: string): SourceRules {
  const rules = sourceRulesOf(provider);
  return { ...rules, rules: rules.rules.filter(({ isOtherMarket }) => !isOtherMarket) };
}

/** Lengths of stored bars from which bars of a length are made, ms. */
export function baseLengths({ rules }: SourceRules, stepMs: number): number[] {
  const lengths = rules.map(({ base }) => (base === 'same' ? stepMs : base));
  return [...new Set(lengths)].filter((length) => length <= stepMs);
}
