/**
 * Normalises words for comparison: lower case, without accents, articles and punctuation. Signs that distinguish words
 * stay: signs that belong to a word (`OPEC+`, `C#`, `AA-`, `$TRUMP`), signs that represent a word (`=`), and capitals
 * that give it another meaning (`IT`, `US`).
 */
import { isOtherWord } from './capitals.ts';

const LETTER_ACCENTS = /(\p{L})[\u0300-\u036f]+/gu;
const DASHES = /[‐-―−]/g;
const APOSTROPHES = /[‘’ʼ]/g;
/** Matches the dots of `U.S.`, `u.s.` and `J. D.`. */
const DOTTED = /\b([A-Za-z])\.(?=[A-Za-z]\b)|\b([A-Z])\. (?=[A-Z]\.)/g;
/**
 * Matches a word with the signs that are part of it, or a separate sign together with a stroke that crosses it out. A
 * dash inside a word separates two words; after a word it is a sign.
 */
const WORD =
  /(?:(?<![\p{L}\p{N}])[+-](?=[$\d]))?[$#@]?[\p{L}\p{N}]+(?:\.\d+|(?:[&'][\p{L}\p{N}]+)+)?(?:[+#*%]+|-+(?![\p{L}\p{N}]))?|&|\p{S}\u0338?/gu;
const FILLERS = new Set(['the', 'a', 'an', 'will', 'of']);
const NAME_FILLERS = new Set(['the', 'of']);

/** Normalises a name: `Andrónico Rodríguez` is `andronico rodriguez`. Names have no other meaning in capitals. */
export function plainName(text: string): string {
  return wordsOf(text)
    .map((word) => word.toLowerCase())
    .filter((word) => !NAME_FILLERS.has(word))
    .join(' ');
}

/** Returns the normalised words of a statement, in order. */
export function plainWords(text: string): string[] {
  return wordsOf(text).flatMap((word, at) => {
    const lower = word.toLowerCase();
    if (FILLERS.has(lower) && (at === 0 || !isOtherWord(word))) return [];
    return [isOtherWord(word) ? word : lower];
  });
}

function wordsOf(text: string): string[] {
  const plain = text
    .replace(/!=/g, '≠')
    .normalize('NFKD')
    .replace(LETTER_ACCENTS, '$1')
    .replace(DASHES, '-')
    .replace(APOSTROPHES, "'")
    .replace(/♯/g, '#')
    .replace(DOTTED, (_, inner?: string, initial?: string) => (inner ?? initial)!.toUpperCase());
  return Array.from(plain.matchAll(WORD), ([word]) => (word === '&' ? 'and' : word));
}
