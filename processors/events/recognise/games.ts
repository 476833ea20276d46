/** Finds the two sides of a game, for example in `Lions vs. Tigers`. */
import { isKnownSymbol } from './asset-names.ts';
import { assetOf } from './assets.ts';
import { MONTH_WORD } from './dates.ts';

/** Matches two sides, with the text before a colon (`UFC 320:`) and after the second side. */
const GAME =
  /^(?:(?<before>[^:?]+): )?(?:who will win )?(?<a>.+?) (?<sign>vs?\.?|versus|@) (?<b>.+?)(?<behind>(?:: | - ).+|,? (?:on )?\d{4}-\d\d-\d\d|, scheduled for .+)?$/i;
const DRAW = /^will (.+) end in a (?:draw|tie)(?: on .+)?$/i;
const VERSUS = /(?:^| )(?:vs?\.?|versus|@)(?= |$)/gi;
/** Matches a side's handicap, or the number of games: `(-1.5)`, `(BO3)`. */
const NUMBERS = /\s*\((?:[+-]?\d+(?:\.\d+)?|bo\d)\)$/i;
/** Words of a question about the two sides that is not about their game. */
const ASKS = /\b(?:will|would|does|do|did|is|are|can|could|should|who|what|when|how|why)\b/i;
/** Court cases use this sign too (`Roe v. Wade`), so it means a game only together with something else. */
const CASE = /^v\.?$/i;
/** A day or year is not part of a side's name: something is to happen by then. */
const DATED = new RegExp(String.raw`\b(?:20\d\d|${MONTH_WORD}\.? \d+)\b`, 'i');
/** Words that are in lower case within names. */
const PARTICLES = new Set([
  'of',
  'the',
  'and',
  'de',
  'da',
  'do',
  'di',
  'del',
  'der',
  'den',
  'el',
  'la',
  'le',
  'van',
  'von',
  'y',
  'e',
]);

/** The names of two sides. */
export interface Sides {
  readonly a: string;
  readonly b: string;
}

/**
 * Returns the sides of the game that a clean title names, or null unless it names two sides and nothing else. `isSport`
 * is true if something other than the title indicates sports.
 */
export function sidesOf(title: string, isSport: boolean): Sides | null {
  const text = DRAW.exec(title)?.[1] ?? title;
  const { before = '', sign = '', behind = '', ...sides } = GAME.exec(text)?.groups ?? {};
  if (sign === '' || text.match(VERSUS)?.length !== 1 || (CASE.test(sign) && !isSport)) return null;
  if (ASKS.test(before) || ASKS.test(behind)) return null;
  const a = sides.a!.replace(NUMBERS, '');
  const b = sides.b!.replace(NUMBERS, '');
  if (!isName(a) || !isName(b) || (isAsset(a) && isAsset(b))) return null;
  return { a, b };
}

/** True if a side is a known asset. */
function isAsset(side: string): boolean {
  const symbol = assetOf(side);
  return symbol !== null && isKnownSymbol(symbol);
}

/**
 * True for a name: its words have capitals or numbers. A single word may be in lower case, like names of online
 * players.
 */
function isName(side: string): boolean {
  if (DATED.test(side)) return false;
  const words = side.split(/[\s/]+/);
  return words.length === 1 || words.every((word) => PARTICLES.has(word) || !/^[^\p{L}\p{N}]*\p{Ll}/u.test(word));
}
