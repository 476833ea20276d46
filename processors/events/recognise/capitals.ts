/** Words that are something else when they are written in capitals, or with a capital. */

/** Abbreviations whose letters are no word of the language, so that they are the same in whatever letters. */
const NO_WORDS = new Set(
  'ai btc cia doge ecb epa eth eu fbi fda fema fifa fomc iaea imf ipo irs isis nasa nato nba oecd opec uae uaw uefa ufc ufo uk un unga usa usda usdc usdt usps wto'.split(
    ' ',
  ),
);

/** Words that are names when they are written with a capital: `Turkey` and `Apple` are no `turkey` and `apple`. */
const NAMES = new Set(
  (
    'alphabet amazon apple bill block bush cares chad chase china circle coach cook cosmos discord dream ford fox gap ' +
    'georgia grant intel jordan jupiter march mark mars may mercury meta oracle palm polish polo rich robin rush shell ' +
    'signal slack snap square start strategy sun swift target threads trump turkey visa will wish'
  ).split(' '),
);

/**
 * True if capitals make another word of a word than its letters are in lower case: `IT`, `US` and `WHO` are no `it`,
 * `us` and `who`, and the `A` of a series is no article. Any short word in capitals may be an abbreviation, but for
 * those that are known to be nothing else.
 */
export function isOtherWord(word: string): boolean {
  const [letters = ''] = /^[A-Za-z]+/.exec(word) ?? [];
  const lower = letters.toLowerCase();
  if (letters === lower) return false;
  const isShort = letters === 'A' || (/^[A-Z]{2,4}$/.test(letters) && /[AEIOUY]/.test(letters));
  return NAMES.has(lower) || (isShort && !NO_WORDS.has(lower));
}
