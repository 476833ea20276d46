/**
 * Kinds that are told but not linked: their questions have no single threshold, or need more than a sentence to compare.
 * A kind that gets a reading of its own moves to a file beside `price-text.ts` and into the list of `recognise.ts`.
 */
import { AMOUNT } from './amounts.ts';
import { assetOf } from './assets.ts';
import { kindOnly, type MarketTexts, type Recognition } from './question.ts';

const UP_OR_DOWN = /^(?:will )?(.+?)(?: opens?)? up or down\b/i;
const BETWEEN = new RegExp(
  `^(?:will )?(?:the )?(?:price of )?(.+?) (?:(?:opening|closing) price .*)?(?:be )?between ${AMOUNT} and ${AMOUNT}`,
  'i',
);
const ELECTION = /\b(?:election|presidential|nominee|nomination|primary|runoff|electoral|senate seat|governor)\b/i;
const RATE =
  /\b(?:fed(?:eral reserve)?|ecb|fomc|bank of (?:england|japan|canada))\b.*\b(?:rates?|bps|basis points|hike|cut)\b/i;
const SPORTS_FIELDS = ['gameId', 'sportsMarketType', 'gameStartTime'];

/** The price goes up or down over a stretch of time: no strike is known before it begins. */
export function readUpDown({ title, fields }: MarketTexts): Recognition | null {
  const subject = UP_OR_DOWN.exec(title)?.[1];
  if (subject === undefined) return null;
  const config = fields.cryptoMarketConfig as { asset?: unknown } | undefined;
  const underlying = assetOf(subject) ?? (typeof config?.asset === 'string' ? config.asset.toUpperCase() : null);
  return kindOnly('up_down', underlying, { kind: 'up or down', underlying: subject });
}

/** The price ends between two thresholds. */
export function readPriceRange({ title }: MarketTexts): Recognition | null {
  const subject = BETWEEN.exec(title)?.[1];
  const underlying = subject === undefined ? null : assetOf(subject);
  return underlying === null ? null : kindOnly('price_range', underlying, { kind: 'between', underlying: subject! });
}

/** Games, elections and policy rates, by the fields and words that name them. */
export function readByWords({ title, groupTitle, fields }: MarketTexts): Recognition | null {
  const field = SPORTS_FIELDS.find((name) => name in fields);
  if (field) return kindOnly('sports', null, { kind: `field ${field}` });
  for (const [kind, pattern] of [
    ['rate', RATE],
    ['election', ELECTION],
  ] as const) {
    const words = pattern.exec(title)?.[0] ?? pattern.exec(groupTitle ?? '')?.[0];
    if (words !== undefined) return kindOnly(kind, null, { kind: words });
  }
  return null;
}
