/**
 * Reads markets with a machine-readable description (venue_a page, section 3.5): `key:value` pairs joined by `|`. YES
 * means that the mark price at expiry is at or above the target.
 */
import { canonicalDecimal, DecimalError } from '#schemas/domain/decimal';
import { assetOfField } from '../../events/recognise/assets.ts';
import { makeDay, UTC, zonedTime } from '../../events/recognise/calendar.ts';
import { statedComparison } from '../../events/recognise/price-verbs.ts';
import { kindOnly, type MarketTexts, type Recognition, UNRECOGNISED } from '../../events/recognise/question.ts';

/** Settlement source of these markets. */
const MARK_PRICE = 'venue_a mark price';

/** Reads the description; null for one of another form. */
export function readOutcomeDescription(texts: MarketTexts): Recognition | null {
  const pairs = readPairs(texts.description) ?? pairsOf(texts.fields);
  if (!pairs) return null;
  const category = pairs.get('class');
  const underlying = pairs.has('underlying') ? assetOfField(pairs.get('underlying')!) : null;
  if (category === 'priceBucket')
    return readBucket(pairs, underlying, /^index:(\d+)$/.exec(texts.description.trim())?.[1]);
  if (category !== 'priceBinary') return null;
  const threshold = readTarget(pairs.get('targetPrice'));
  const deadline = readExpiry(pairs.get('expiry'));
  if (underlying === null || threshold === null || deadline === null) {
    return kindOnly('price_binary', underlying, {
      kind: 'class:priceBinary',
      doubt: 'a field is missing or malformed',
    });
  }
  return {
    ...UNRECOGNISED,
    kind: 'price_binary',
    underlying,
    strike: { underlying, threshold, op: 'gte', strict: false, semantics: 'at_time', scope: '' },
    deadline,
    settlementSource: MARK_PRICE,
    confidence: 1,
    source: 'structured',
    linkable: true,
    evidence: {
      kind: 'class:priceBinary',
      underlying: `underlying:${pairs.get('underlying')}`,
      threshold: `targetPrice:${pairs.get('targetPrice')}`,
      op: statedComparison(true, true),
      time: `expiry:${pairs.get('expiry')}`,
      settlementSource: MARK_PRICE,
    },
  };
}

/** Reads one of the buckets that the thresholds form: below the first, between two, at or above the last. */
function readBucket(pairs: Map<string, string>, underlying: string | null, index: string | undefined): Recognition {
  const evidence = { kind: 'class:priceBucket', range: `priceThresholds:${pairs.get('priceThresholds')}` };
  const deadline = readExpiry(pairs.get('expiry'));
  const thresholds = (pairs.get('priceThresholds') ?? '').split(',').map((text) => readTarget(text.trim()));
  const at = index === undefined ? null : Number(index);
  if (underlying === null || deadline === null || at === null || thresholds.includes(null) || at > thresholds.length) {
    return { ...kindOnly('price_range', underlying, evidence), deadline };
  }
  const details = { lower: thresholds[at - 1] ?? null, upper: thresholds[at] ?? null };
  const op = details.lower !== null && details.upper !== null ? 'between' : statedComparison(at > 0, at > 0);
  return {
    ...kindOnly('price_range', underlying, { ...evidence, bucket: `index:${index}`, op }, details),
    deadline,
    question: `${underlying}|${details.lower}|${details.upper}|`,
    settlementSource: MARK_PRICE,
    confidence: 1,
    source: 'structured',
    linkable: true,
  };
}

function readPairs(text: string): Map<string, string> | null {
  if (!text.includes('class:')) return null;
  const pairs = new Map<string, string>();
  for (const part of text.split('|')) {
    const colon = part.indexOf(':');
    if (colon > 0) pairs.set(part.slice(0, colon).trim(), part.slice(colon + 1).trim());
  }
  return pairs;
}

/** Returns the pairs of an outcome within a question, whose fields include the question's own pairs. */
function pairsOf(fields: Readonly<Record<string, unknown>>): Map<string, string> | null {
  if (typeof fields.class !== 'string') return null;
  return new Map(Object.entries(fields).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

function readTarget(text: string | undefined): string | null {
  if (text === undefined) return null;
  try {
    return canonicalDecimal(text);
  } catch (error) {
    if (error instanceof DecimalError) return null;
    throw error;
  }
}

/** Parses `YYYYMMDD-HHMM`, UTC. */
function readExpiry(text: string | undefined): { day: string; atMs: number } | null {
  const [, year, month, date, hour, minute] = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)$/.exec(text ?? '') ?? [];
  if (year === undefined) return null;
  const day = makeDay(Number(year), Number(month), Number(date));
  if (day === null || Number(hour) > 23 || Number(minute) > 59) return null;
  return { day, atMs: zonedTime(day, Number(hour) * 60 + Number(minute), UTC) };
}
