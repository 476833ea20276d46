/** Reads questions about sports: who wins which competition of which year, and games. */
import { cleanTitle } from './clean-title.ts';
import { sidesOf } from './games.ts';
import { isStatement } from './other.ts';
import { plainName } from './plain-words.ts';
import { kindOnly, type MarketTexts, type Recognition, yearOfId } from './question.ts';

/** Fields of venue_b's sports markets. The start time of a game is not among them, since other markets have it too. */
const FIELDS = ['gameId', 'sportsMarketType'];
const WINS =
  /^will (?:the )?(.+?) (?:win|be) (?:the )?(?:(20\d\d)(?:[-/](?:20)?(\d\d))? )?(.+?)(?: (?:in )?(20\d\d)(?:[-/](?:20)?(\d\d))?)?$/i;
const WORDS =
  /\b(?:win|be) (?:the )?.*\b(?:championship|champions?|cup|finals|super bowl|world series|grand prix|tournament|premier league|la liga|bundesliga|serie a|ligue 1|playoffs|pennant|heisman|mvp|ballon d'or|gold medal|olympics|nba|nfl|nhl|mlb|ufc|f1)\b/i;
/** Matches a team that wins on a day, which means its game. */
const WINS_ON = /^will .+ win on \d{4}-\d\d-\d\d$/i;
const SUPER_BOWL = /^super bowl ([ivxlc]+|\d{1,2})$/i;
const ROMAN: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10, L: 50, C: 100 };
const CATEGORY = /\bcategory:sports\b/i;

/** Yearly competitions with the names that venues use. */
const COMPETITIONS: Readonly<Record<string, readonly string[]>> = {
  'stanley cup': ['stanley cup', 'stanley cup finals', 'stanley cup final', 'nhl stanley cup'],
  'nba finals': ['nba finals', 'nba championship', 'nba title', 'pro basketball championship'],
  'world series': ['world series', 'mlb world series', 'pro baseball championship'],
  'american league': [
    'american league championship',
    'pro baseball american league championship',
    'american league pennant',
  ],
  'national league': [
    'national league championship',
    'pro baseball national league championship',
    'national league pennant',
  ],
  'super bowl': ['super bowl'],
  'pga championship': ['pga championship'],
  masters: ['masters', 'masters tournament'],
  'f1 drivers': [
    'drivers champion',
    'drivers championship',
    'formula 1 drivers championship',
    'f1 drivers championship',
    'f1 drivers champion',
    'formula 1 drivers champion',
  ],
  'champions league': ['champions league', 'uefa champions league'],
  'fifa world cup': ['fifa world cup', 'mens fifa world cup'],
};
const BY_NAME = new Map(
  Object.entries(COMPETITIONS).flatMap(([id, names]) => names.map((name) => [name, id] as const)),
);

/** Reads a question about sports, or returns null. Linkable only if winner, competition and year are stated. */
export function readSports(texts: MarketTexts): Recognition | null {
  const title = cleanTitle(texts.title);
  const won = readWinner(title, texts);
  if (won) return won;
  const stated = CATEGORY.exec(texts.description)?.[0] ?? WINS_ON.exec(title)?.[0] ?? WORDS.exec(title)?.[0];
  const field = FIELDS.find((name) => texts.fields[name] !== undefined && texts.fields[name] !== null);
  const hasStatement = isStatement(texts);
  const sides = hasStatement ? null : sidesOf(title, stated !== undefined || field !== undefined);
  const words = stated ?? (sides ? title : field === undefined || hasStatement ? undefined : `field ${field}`);
  return words === undefined ? null : kindOnly('sports', null, { kind: words }, { ...sides });
}

function readWinner(title: string, texts: MarketTexts): Recognition | null {
  const [, name, y1, end1, competition = '', y2, end2] = WINS.exec(title) ?? [];
  const bowl = SUPER_BOWL.exec(competition)?.[1];
  const id = bowl === undefined ? BY_NAME.get(competition.toLowerCase().replace(/'/g, '')) : 'super bowl';
  if (name === undefined || id === undefined) return null;
  // A season over two years is identified by the year in which it ends.
  const end = end1 ?? end2;
  const dated = end === undefined ? (y1 ?? y2 ?? null) : `20${end}`;
  const played = bowl === undefined ? null : yearOfBowl(bowl);
  const year = played ?? dated ?? yearOfId(texts);
  const winner = plainName(name)
    .replace(/^la (?=\w+$)/, 'los angeles ')
    .replace(/^ny (?=\w+$)/, 'new york ');
  const details = { winner, competition: id, year };
  const evidence = { kind: competition, winner: name, ...(year ? { year } : {}) };
  const found = kindOnly('sports', null, evidence, details);
  const isClear = winner !== '' && (bowl === undefined || (played !== null && (dated ?? played) === played));
  // "A or B" means that either one wins.
  if (year === null || !isClear || /\b(?:or|and|not|team|any)\b/.test(winner)) return found;
  return { ...found, question: `${winner}|${id}|${year}`, linkable: true };
}

/** Returns the year of a Super Bowl by its number, the first in 1967; null for an invalid number. */
function yearOfBowl(number: string): string | null {
  const digits = Array.from(number.toUpperCase(), (letter) => ROMAN[letter] ?? 0);
  const roman = digits.reduce((sum, digit, nth) => sum + (digit < (digits[nth + 1] ?? 0) ? -digit : digit), 0);
  const count = /^\d/.test(number) ? Number(number) : roman;
  return count < 1 || count > 99 ? null : String(1966 + count);
}
