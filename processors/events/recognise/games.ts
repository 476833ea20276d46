/** The two sides of a game, as `Lions vs. Tigers` names them. */
import { isKnownSymbol } from './asset-names.ts';
import { assetOf } from './assets.ts';
import { MONTH_WORD } from './dates.ts';

/** Two sides, with what stands before a colon (`UFC 320:`) and behind the second one. */
const GAME =
  /^(?:(?<before>[^:?]+): )?(?:who will win )?(?<a>.+?) (?<sign>vs?\.?|versus|@) (?<b>.+?)(?<behind>(?:: | - ).+|,? (?:on )?\d{4}-\d\d-\d\d|, scheduled for .+)?$/i;
const DRAW = /^will (.+) end in a (?:draw|tie)(?: on .+)?$/i;
const VERSUS = /(?:^| )(?:vs?\.?|versus|@)(?= |$)/gi;
/** A side's handicap, or the number of games: `(-1.5)`, `(BO3)`. */
const NUMBERS = /\s*\((?:[+-]?\d+(?:\.\d+)?|bo\d)\)$/i;
/** What asks is about the two and no game of theirs. */
const ASKS = /\b(?:will|would|does|do|did|is|are|can|could|should|who|what|when|how|why)\b/i;
/** Cases are written `Roe v. Wade` and games are too: that sign tells a game only together with something else. */
const CASE = /^v\.?$/i;
/** A day or year is none of a side: something is to happen by then. */
const DATED = new RegExp(String.raw`\b(?:20\d\d|${MONTH_WORD}\.? \d+)\b`, 'i');
/** Words that names have in small letters. */
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

/** The names of two sides alone. */
export interface Sides {
  readonly a: string;
  readonly b: string;
}

/**
 * The sides of the game that a clean title names, or null: two of them, of whom nothing is said. `isSport` says that
 * something else than the title speaks of sports.
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

/** True if a side is something with a price that is known. */
function isAsset(side: string): boolean {
  const symbol = assetOf(side);
  return symbol !== null && isKnownSymbol(symbol);
}

/** Names have capitals or numbers; a single word may do without, as players of the net call themselves. */
function isName(side: string): boolean {
  if (DATED.test(side)) return false;
  const words = side.split(/[\s/]+/);
  return words.length === 1 || words.every((word) => PARTICLES.has(word) || !/^[^\p{L}\p{N}]*\p{Ll}/u.test(word));
}
