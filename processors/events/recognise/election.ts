/** Reads questions about elections: who wins which office, in which place and year. */
import { cleanTitle } from './clean-title.ts';
import { plainName } from './plain-words.ts';
import { kindOnly, type MarketTexts, type Recognition, yearOfId } from './question.ts';

const ABOUT_ELECTIONS =
  /\b(?:elections?(?! (?:day|night))|presidential|gubernatorial|nominee|nomination|primary|primaries|runoff|electoral|mayoral|mayor|senate (?:seat|race)|governor|parliamentary|referendum|popular vote|most seats)\b/i;
const WINS =
  /^will (?:the )?(.+?) win (?:the )?(?:(20\d\d) )?(.+?) (election|nomination|primary|runoff|race)(?: in (20\d\d))?$/i;
const WHO = /^who will win (?:the )?(?:(20\d\d) )?(.+?) (election|nomination|primary|runoff|race)(?: in (20\d\d))?$/i;

/** Places and offices by the adjectives that titles use for them. */
const PLACES: Readonly<Record<string, string>> = {
  american: 'us',
  argentine: 'argentina',
  argentinian: 'argentina',
  australian: 'australia',
  bolivian: 'bolivia',
  brazilian: 'brazil',
  british: 'uk',
  canadian: 'canada',
  chilean: 'chile',
  colombian: 'colombia',
  czech: 'czechia',
  dutch: 'netherlands',
  ecuadorian: 'ecuador',
  french: 'france',
  german: 'germany',
  honduran: 'honduras',
  hungarian: 'hungary',
  irish: 'ireland',
  israeli: 'israel',
  japanese: 'japan',
  mexican: 'mexico',
  norwegian: 'norway',
  peruvian: 'peru',
  philippine: 'philippines',
  polish: 'poland',
  portuguese: 'portugal',
  romanian: 'romania',
  russian: 'russia',
  turkish: 'turkey',
  ukrainian: 'ukraine',
  gubernatorial: 'governor',
  presidential: 'president',
  mayoral: 'mayor',
  senatorial: 'senate',
};

/** Reads a question about an election, or returns null. Linkable only if winner, office, place and year are stated. */
export function readElection(texts: MarketTexts): Recognition | null {
  const title = cleanTitle(texts.title);
  const words = ABOUT_ELECTIONS.exec(title)?.[0] ?? ABOUT_ELECTIONS.exec(texts.groupTitle ?? '')?.[0];
  if (words === undefined) return null;
  const evidence = { kind: words };
  const [, named, before, office, contest, after] = WINS.exec(title) ?? [];
  if (named !== undefined) return winner(named, office!, contest!, before ?? after, texts, evidence);
  const [, early, seat, form, late] = WHO.exec(title) ?? [];
  if (seat === undefined || texts.groupItemTitle === null) return kindOnly('election', null, evidence);
  return winner(texts.groupItemTitle, seat, form!, early ?? late, texts, evidence);
}

function winner(
  candidate: string,
  office: string,
  contest: string,
  titleYear: string | undefined,
  texts: MarketTexts,
  evidence: Readonly<Record<string, string>>,
): Recognition {
  const year = titleYear ?? /\b20\d\d\b/.exec(office)?.[0] ?? yearOfId(texts);
  const name = plainName(candidate);
  const words = plainName(office.replace(/\b20\d\d\b/g, ''))
    .split(' ')
    .map((word) => PLACES[word] ?? word);
  const seat = [...new Set(words)].sort().join(' ');
  const details = { winner: name, office: seat, contest: contest.toLowerCase(), year };
  const found = kindOnly(
    'election',
    null,
    { ...evidence, winner: candidate, office, ...(year ? { year } : {}) },
    details,
  );
  // "Next election" without a year, or a margin beside the winner, is not compared.
  if (year === null || name === '' || /\d|\bor\b|\bby\b|\band\b/.test(`${name} ${seat}`)) return found;
  return { ...found, question: `${name}|${seat}|${details.contest}|${year}`, linkable: true };
}
