/** The words with which titles compare a price with an amount. */

/** Comparisons of a price at one moment. Longer forms come before those that they start with. */
const COMPARISON = [
  'strictly above',
  'strictly below',
  'greater than or equal to',
  'more than or equal to',
  'higher than or equal to',
  'equal to or greater than',
  'equal to or above',
  'equal to or higher than',
  'above or equal to',
  'at or above',
  'at or over',
  'at least',
  'no less than',
  'no lower than',
  'greater than',
  'more than',
  'higher than',
  'above',
  'over',
  'exceeding',
  'exceeds?',
  'less than or equal to',
  'lower than or equal to',
  'equal to or less than',
  'equal to or below',
  'equal to or lower than',
  'below or equal to',
  'at or below',
  'at or under',
  'at most',
  'no more than',
  'no higher than',
  'less than',
  'lower than',
  'below',
  'under',
].join('|');
const STATE = 'be trading|be priced|be worth|be|is|close|end|finish|settle|trade|open';

/** Verbs of a movement that must happen at some moment. */
const RISE = 'rise|climb|rally|surge|jump|soar|go|get|pump|spike|rocket|moon|move|break|cross|push|run';
const FALL = 'dip|fall|drop|crash|sink|slide|decline|tumble|plunge|dump|slip|plummet|collapse|retrace|go|move|get';
const ABOVE = `(?:back )?(?:up to|to|above|over|past|through|to or above|to or over)`;
const BELOW = `(?:back )?(?:down to|to or below|to or under|to as low as|as low as|to|below|under|beneath)`;
const REACH =
  '(?:reach|hit)(?:e?s)? or exceeds?|(?:reach|hit)(?:e?s)? a (?:price|high) of|(?:reach|hit|touch|surpass|cross|breach|break|top|pass|tag)(?:e?s)?';

/**
 * Matches a comparison: the verb and the words before the amount. Groups: state, comparison, movement up, movement
 * down.
 */
export const COMPARE = `(?:(?:(${STATE})s?(?: at)? )?(${COMPARISON})|((?:${RISE})(?:e?s)? ${ABOVE}|${REACH})|((?:${FALL})(?:e?s)? ${BELOW}|(?:reach|hit)(?:e?s)? a low of))`;

/** Matches an optional suffix of the amount: `or above`, `or lower`, `+`. */
export const SUFFIX = String.raw`(?: (or (?:above|higher|more|greater|over|below|lower|less|under))|(\+))?`;

/** Matches verbs that need only an amount with a suffix: `be at $90k or above`. */
export const STATE_AT = `(?:(${STATE}) (?:at )?)`;

const RISING =
  /^(?:strictly above|greater|more|higher|over|above|at least|at or above|at or over|equal to or (?:greater|above|higher)|no l|exceed|or (?:above|higher|more|greater|over)|\+)/i;
const INCLUSIVE = /^(?:at |no |or |\+)|equal/i;

/** True if the words of a comparison mean upwards. */
export function isRising(words: string): boolean {
  return RISING.test(words);
}

/** True if equality counts according to the words of a comparison. */
export function isInclusive(words: string): boolean {
  return INCLUSIVE.test(words);
}

/** Verbs for going past the amount; `to or above` and a bare `reach` or `hit` count the amount itself. */
const PASSES =
  /(?<!\bor )\b(?:above|over|past|through|below|under|beneath)$|^(?:surpass|cross|breach|break|top|pass)(?:e?s)?$/i;

/** True if the words of a movement count the amount itself. */
export function reachesAmount(words: string): boolean {
  return !PASSES.test(words);
}

/** Returns the comparison of a market in uniform spelling for the evidence of its link. */
export function statedComparison(isUp: boolean, isInclusive: boolean): string {
  return `${isInclusive ? 'at or ' : ''}${isUp ? 'above' : 'below'}`;
}

/** Returns the movement of a market in uniform spelling for the evidence of its link. */
export function statedMovement(isUp: boolean, isInclusive: boolean): string {
  if (isUp) return isInclusive ? 'reach' : 'rise above';
  return isInclusive ? 'fall to' : 'fall below';
}
