import type { Question } from './questions.ts';
import { newYorkTime } from './time.ts';

/** Texts of a question on venue_b. */
export interface QuestionTexts {
  readonly question: string;
  readonly description: string;
  readonly resolutionSource: string;
  /** Title of the event that groups the thresholds of a coin and expiry. */
  readonly eventTitle: string;
  readonly eventSlug: string;
  /** Like `description`, but for the thresholds of all markets of the event. */
  readonly eventDescription: string;
  /** Only the threshold, such as `62,000`. */
  readonly groupItemTitle: string;
}

/** Separates thousands by commas: `62000.5` becomes `62,000.5`. */
function groupedText(decimal: string): string {
  const [whole = '', fraction] = decimal.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Texts of a question on venue_b. Daily ones contain the day, hourly ones also the hour in New York. */
export function questionTexts(question: Question): QuestionTexts {
  const { asset, slot, thresholdText, expiresAtMs } = question;
  const when = newYorkTime(expiresAtMs);
  const day = `${when.month} ${when.day}`;
  const moment = slot.cadence === 'hourly' ? `${day}, ${when.hour} ET` : day;
  const price = `$${groupedText(thresholdText)}`;
  const isBelow = slot.inverse;
  const pair = `${asset.symbol}/USDT`;
  const source = `https://exchange.example/en/trade/${asset.symbol}_USDT`;
  const utc = new Date(expiresAtMs).toISOString().slice(11, 16);
  const describe = (threshold: string) =>
    `This market is about the price of ${asset.name} (${asset.symbol}) at ${when.clock} ET (${utc} UTC) on ${day}, ${when.year}.\n\n` +
    `It resolves to "Yes" if the final "Close" of the one-minute ${pair} candle of that minute is ${isBelow ? 'lower' : 'higher'} than ${threshold}, and to "No" if it is not.\n\n` +
    `The resolution source is the ${pair} chart at ${source}, with "1m" candles. Prices of other exchanges, pairs or minutes do not count.`;
  return {
    question: `Will the price of ${asset.name} be ${isBelow ? 'less than' : 'above'} ${price} on ${moment}?`,
    description: describe(price),
    eventDescription: describe('the price named in the title'),
    resolutionSource: source,
    eventTitle: `${asset.name} ${isBelow ? 'below' : 'above'} ___ on ${moment}?`,
    eventSlug: `${asset.name}-${isBelow ? 'below' : 'above'}-on-${moment}`.toLowerCase().replace(/[^a-z0-9]+/g, '-'),
    groupItemTitle: groupedText(thresholdText),
  };
}
