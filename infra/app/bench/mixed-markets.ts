/**
 * Generates a catalog as the normalisers emit it: questions of every kind that the venues list, some of them on both.
 */
import { createHash } from 'node:crypto';
import type { Market } from '#schemas/topics/normalised';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** End of the first questions: noon in New York, which is four hours behind UTC until November. */
const BEGINS_MS = Date.UTC(2026, 3, 1, 16);
const DAYS = 200;
/** Strikes per asset and day. */
const STRIKES = 40;

const ASSETS = [
  ['Bitcoin', 'BTC', 60_000, 250],
  ['Ethereum', 'ETH', 2_000, 25],
  ['Solana', 'SOL', 80, 2],
  ['XRP', 'XRP', 1, 0.05],
  ['Dogecoin', 'DOGE', 0.1, 0.005],
  ['BNB', 'BNB', 500, 10],
] as const;
const TEAMS = ['Lakers', 'Celtics', 'Yankees', 'Dodgers', 'Rangers', 'Bruins', 'Chiefs', 'Eagles', 'Arsenal', 'Madrid'];
const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const PLACES = ['Ohio', 'Texas', 'France', 'Chile', 'Kenya', 'Japan', 'Norway', 'Brazil'];

type Question = Partial<Market> & Pick<Market, 'title' | 'description'>;
/**
 * @param nth counts the questions of its kind.
 * @param at end of the question, unix ms.
 */
type Sort = (nth: number, at: number) => Question;

/** Every kind, with its number among twenty markets. */
const SORTS: readonly (readonly [Sort, number])[] = [
  [dailyPrice, 6],
  [outcomePrice, 4],
  [touch, 2],
  [range, 2],
  [upOrDown, 2],
  [match, 2],
  [election, 1],
  [rate, 1],
];
const ROUND = SORTS.flatMap(([sort, share]) => Array.from({ length: share }, (_, within) => ({ sort, share, within })));

/**
 * Generates `count` markets, the same each time.
 *
 * @param receivedAt of all of them, unix ms.
 */
export function* mixedMarkets(count: number, receivedAt: number): Generator<Market> {
  for (let nth = 0; nth < count; nth += 1) yield mixedMarket(nth, receivedAt);
}

/** Generates the market with this number. */
function mixedMarket(nth: number, receivedAt: number): Market {
  const { sort, share, within } = ROUND[nth % ROUND.length]!;
  const ofSort = Math.floor(nth / ROUND.length) * share + within;
  const question = sort(ofSort, momentOf(ofSort));
  const isOutcome = question.provider === 'venue_a_outcome';
  const digest = createHash('sha256').update(`market ${nth}`).digest('hex');
  const marketId = isOutcome ? `#${(nth + 1) * 10}` : `0x${digest}`;
  return {
    provider: 'venue_b',
    marketId,
    receivedAt,
    groupTitle: null,
    groupItemTitle: null,
    slug: isOutcome ? null : `market-${nth}`,
    resolutionSource: null,
    startTime: null,
    endTime: null,
    instruments: isOutcome ? [marketId, `#${(nth + 1) * 10 + 1}`] : [tokenOf(digest, 'yes'), tokenOf(digest, 'no')],
    outcomes: ['Yes', 'No'],
    active: true,
    closed: false,
    takerFeeRate: isOutcome ? '0.0007' : '0.07',
    fields: isOutcome
      ? '{}'
      : JSON.stringify({ gammaId: String(500_000 + nth), questionID: `0x${digest}`, negRisk: false }),
    resolved: false,
    name: null,
    ...question,
  };
}

/**
 * Generates a new outcome market with the question of a daily-price market among the first `count` markets, a different
 * one for each `nth`. No outcome market among them has that question.
 */
export function partnerMarket(nth: number, count: number, receivedAt: number): Market {
  const outcomes = Math.floor(count / ROUND.length) * 4;
  const ofSort = outcomes + nth;
  const question = outcomePrice(ofSort, momentOf(ofSort));
  const coin = (count + nth + 1) * 10;
  return {
    ...mixedMarket(6, receivedAt),
    ...question,
    marketId: `#${coin}`,
    instruments: [`#${coin}`, `#${coin + 1}`],
  };
}

function dailyPrice(nth: number, at: number): Question {
  const { name, symbol, strike } = strikeOf(nth);
  const day = dayText(at);
  return {
    title: `Will the price of ${name} be above $${strike} on ${day}?`,
    description:
      `This market will resolve to "Yes" if the one-minute candle for ${symbol}/USDT at 12:00 in the ET timezone (noon) ` +
      `on ${day}, 2026 has a final "Close" price higher than the price specified in the title, and to "No" otherwise.\n\n` +
      `The resolution source is Example Exchange, specifically the ${symbol}/USDT candles at https://exchange.example. ` +
      'Prices of other exchanges, pairs or minutes do not count.',
    groupTitle: `${name} above ___ on ${day}?`,
    groupItemTitle: strike,
    endTime: at,
  };
}

/** Same strikes and times as the daily prices, as recurring outcomes. */
function outcomePrice(nth: number, at: number): Question {
  const { symbol, plain } = strikeOf(nth);
  const iso = new Date(at).toISOString();
  const expiry = `${iso.slice(0, 10).replaceAll('-', '')}-${iso.slice(11, 16).replace(':', '')}`;
  const pairs = { class: 'priceBinary', underlying: symbol, expiry, targetPrice: plain, period: '1d' };
  const description = Object.entries(pairs)
    .map(([name, value]) => `${name}:${value}`)
    .join('|');
  return { provider: 'venue_a_outcome', title: 'Recurring', description, endTime: at, fields: JSON.stringify(pairs) };
}

function touch(nth: number, at: number): Question {
  const { name, symbol, strike } = strikeOf(nth);
  const day = dayText(at);
  return {
    title: `Will ${name} reach $${strike} by ${day}, 2026?`,
    description: `This market will immediately resolve to "Yes" if any one-minute candle for ${symbol}/USDT between its creation and ${day}, 2026, 11:59 PM ET has a final "High" price of $${strike} or higher. Otherwise it resolves to "No".`,
    endTime: at + 12 * HOUR_MS,
  };
}

function range(nth: number, at: number): Question {
  const { name, symbol, strike } = strikeOf(nth);
  const { strike: upper } = strikeOf(nth + ASSETS.length);
  const day = dayText(at);
  return {
    title: `Will the price of ${name} be between $${strike} and $${upper} on ${day}?`,
    description: `This market will resolve to "Yes" if the final "Close" of the one-minute ${symbol}/USDT candle at 12:00 PM ET on ${day} lies between the prices in the title.`,
    endTime: at,
  };
}

function upOrDown(nth: number, at: number): Question {
  const { name } = strikeOf(nth);
  const from = at + (nth % 24) * HOUR_MS;
  return {
    title: `${name} Up or Down - ${dayText(at)}, ${(nth % 12) + 1}PM ET`,
    description: `This market resolves to "Up" if the close of ${name} is greater than or equal to its open for the hour candle named in the title, and to "Down" otherwise.`,
    outcomes: ['Up', 'Down'],
    startTime: from,
    endTime: from + HOUR_MS,
  };
}

function match(nth: number, at: number): Question {
  const [home, away] = [TEAMS[nth % TEAMS.length]!, TEAMS[(nth * 3 + 1) % TEAMS.length]!];
  return {
    title: `${home} vs. ${away}`,
    description: `In the upcoming game, scheduled for ${dayText(at)}: if the ${home} win, the market resolves to "${home}". If the game is postponed, it remains open until the game has been completed.`,
    outcomes: [home, `${away} `],
    endTime: at,
  };
}

function election(nth: number, at: number): Question {
  const place = PLACES[nth % PLACES.length]!;
  return {
    title: `Will candidate ${nth} win the ${place} election?`,
    description: `This market will resolve to "Yes" if the named candidate wins the next election in ${place}, according to a consensus of credible reporting.`,
    endTime: at,
  };
}

function rate(nth: number, at: number): Question {
  return {
    title: `Fed decreases interest rates by ${(nth % 4) * 25} bps after the ${dayText(at)} meeting?`,
    description:
      'This market resolves to the amount of basis points by which the upper bound of the target rate changes.',
    endTime: at,
  };
}

/** All strikes of all assets come before the next day, so that hardly any question occurs twice on one venue. */
function momentOf(ofSort: number): number {
  return BEGINS_MS + (Math.floor(ofSort / (ASSETS.length * STRIKES)) % DAYS) * DAY_MS;
}

function strikeOf(nth: number): { name: string; symbol: string; strike: string; plain: string } {
  const [name, symbol, from, step] = ASSETS[nth % ASSETS.length]!;
  const amount = from + step * (Math.floor(nth / ASSETS.length) % STRIKES);
  const plain = String(Number(amount.toFixed(3)));
  const [whole = '', fraction] = plain.split('.');
  const strike = whole.replace(/\B(?=(\d{3})+$)/g, ',') + (fraction === undefined ? '' : `.${fraction}`);
  return { name, symbol, strike, plain };
}

function dayText(at: number): string {
  const day = new Date(at);
  return `${MONTHS[day.getUTCMonth()]} ${day.getUTCDate()}`;
}

function tokenOf(digest: string, side: string): string {
  return BigInt(`0x${createHash('sha256').update(`${digest} ${side}`).digest('hex')}`).toString();
}
