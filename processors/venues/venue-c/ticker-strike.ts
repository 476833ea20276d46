/**
 * Reads the strike of a venue_c market in its ticker, its fields (`strike_type`, `floor_strike`, `cap_strike`) or
 * rules.
 */
import { canonicalDecimal } from '#schemas/domain/decimal';
import type { MarketTexts } from '../../events/recognise/question.ts';
import { clockMinutes } from '../../events/recognise/times.ts';

/** A strike and its side. */
export interface TickerStrike {
  /** Plain decimal text in the venue's spelling. */
  readonly number: string;
  readonly isUp: boolean;
  readonly isInclusive: boolean;
  /** True if fields or rules state the side; otherwise it is the custom of the series. */
  readonly isStated: boolean;
  readonly words: string;
}

const RULE = /\b(at or above|above|at least|greater than|at or below|below|at most|less than) \$?(\d[\d,]*(?:\.\d+)?)/i;
const RULE_HOUR = /\bat (\d{1,2})(?::(\d\d))? ([AP])\.?M\.? E[DS]?T\b/i;
const SIDES: Readonly<Record<string, { isUp: boolean; isInclusive: boolean }>> = {
  greater: { isUp: true, isInclusive: false },
  greater_or_equal: { isUp: true, isInclusive: true },
  less: { isUp: false, isInclusive: false },
  less_or_equal: { isUp: false, isInclusive: true },
};

/** Returns the strike, or null. `number` is the ticker's; if it is null, fields and rules give the strike. */
export function readStrike({ description, fields }: MarketTexts, number: string | null): TickerStrike | null {
  const side = SIDES[String(fields.strike_type)];
  const field =
    number ?? plainNumber(side?.isUp === false ? (fields.cap_strike ?? fields.floor_strike) : fields.floor_strike);
  if (side && field !== null)
    return { ...side, number: field, isStated: true, words: `strike_type ${fields.strike_type} ${field}` };
  const [words, comparison, amount] = RULE.exec(description) ?? [];
  const stated = number ?? amount?.replaceAll(',', '') ?? null;
  if (stated === null) return null;
  const isUp = comparison === undefined || /above|least|greater/i.test(comparison);
  const isInclusive = comparison !== undefined && /^at/i.test(comparison);
  return { number: canonicalDecimal(stated), isUp, isInclusive, isStated: words !== undefined, words: words ?? stated };
}

/** Returns the hour in the rules, in minutes after midnight in New York; null without one. */
export function rulesHour(rules: string): number | null {
  const [, hour, minute = '0', half] = RULE_HOUR.exec(rules) ?? [];
  return hour === undefined ? null : clockMinutes(hour, minute, half!);
}

function plainNumber(value: unknown): string | null {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  return /^\d{1,18}(?:\.\d{1,18})?$/.test(text) ? canonicalDecimal(text) : null;
}
