/** Detects words with another meaning when they are written in capitals, or with an initial capital. */

/** Abbreviations that are no ordinary words, so that they mean the same in capitals and in lower case. */
const NO_WORDS = new Set(
  'ai btc cia doge ecb epa eth eu fbi fda fema fifa fomc iaea imf ipo irs isis nasa nato nba oecd opec uae uaw uefa ufc ufo uk un unga usa usda usdc usdt usps wto'.split(
    ' ',
  ),
);

/** Words that are names with an initial capital: `Turkey` and `Apple` are not `turkey` and `apple`. */
const NAMES = new Set(
  (
    'alphabet amazon apple bill block bush cares chad chase china circle coach cook cosmos discord dream ford fox gap ' +
    'georgia grant intel jordan jupiter march mark mars may mercury meta oracle palm polish polo rich robin rush shell ' +
    'signal slack snap square start strategy sun swift target threads trump turkey visa will wish'
  ).split(' '),
);

/**
 * True if a word has another meaning in capitals than in lower case: `IT`, `US` and `WHO` are not `it`, `us` and `who`,
 * and the `A` of a series is no article. Any short word in capitals may be an abbreviation, except known abbreviations
 * that are no ordinary words.
 */
export function isOtherWord(word: string): boolean {
  const [letters = ''] = /^[A-Za-z]+/.exec(word) ?? [];
  const lower = letters.toLowerCase();
  if (letters === lower) return false;
  const isShort = letters === 'A' || (/^[A-Z]{2,4}$/.test(letters) && /[AEIOUY]/.test(letters));
  return NAMES.has(lower) || (isShort && !NO_WORDS.has(lower));
}
