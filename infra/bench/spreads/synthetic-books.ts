/**
 * Universal events of two markets each, one of venue_a and one of venue_b, and updates of their books, made by a formula:
 * the same number gives the same update. A fifth of the updates are whole books of venue_a, twenty levels a side, YES and
 * NO coins in turn (the venue tells each every 5 s, which for 10,000 markets is 4,000 a second); the others are changes of
 * one or two levels of YES and NO tokens of venue_b, of which about half are at the top.
 */
import type { UniversalEvent } from '#schemas/topics/derived';
import type { BookLevel, BookUpdate, MarketStatus } from '#schemas/topics/normalised';

/** Levels of a side of a whole book. */
const DEPTH = 20;
/** One update in so many is of venue_a. */
const WHOLE_EVERY = 5;
/** Prices are counted in thousandths of a dollar. */
const TICKS = 1_000;

export type BenchVenue = 'venue_a' | 'venue_b';

export interface WorldUpdate {
  readonly venue: BenchVenue;
  readonly update: BookUpdate;
}

/** Spreads numbers over 32 bits: neighbours differ in all of them. */
function chanceOf(number: number): number {
  let mixed = Math.imul(number ^ (number >>> 16), 0x45d9f3b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

const coinOf = (event: number, isNo: boolean) => `#${event * 10 + (isNo ? 1 : 0)}`;
/** As long as the venue's own: 77 digits. */
const tokenOf = (event: number, isNo: boolean) => `${'7'.repeat(70)}${1_000_000 + event * 2 + (isNo ? 1 : 0)}`;
const conditionOf = (event: number) => `0x${event.toString(16).padStart(64, '0')}`;

/** An event, linked on both venues. */
export function eventAt(event: number, receivedAt: number): UniversalEvent {
  const judgement = { confidence: 0.92, source: 'ner', polarity: 'same', used: true, evidence: '{}' } as const;
  const common = { ...judgement, marketState: 'open' } as const;
  return {
    universalId: `evt_${event.toString(16).padStart(24, '0')}`,
    receivedAt,
    canonicalName: `Question ${event}`,
    kind: 'price_binary',
    underlying: 'BTC',
    threshold: String(1_000 + event),
    op: 'gte',
    resolutionTime: null,
    status: 'open',
    firstSeenAt: receivedAt,
    lastSeenAt: receivedAt,
    links: [
      {
        ...common,
        provider: 'venue_a_outcome',
        providerMarketId: coinOf(event, false),
        yesInstrument: coinOf(event, false),
        noInstrument: coinOf(event, true),
        takerFeeRate: '0.0007',
      },
      {
        ...common,
        provider: 'venue_b',
        providerMarketId: conditionOf(event),
        yesInstrument: tokenOf(event, false),
        noInstrument: tokenOf(event, true),
        takerFeeRate: '0.05',
      },
    ],
    mergedInto: null,
    details: '{}',
    overAt: null,
  };
}

/** The four instruments of an event, alive. */
export function statusesAt(event: number, receivedAt: number): { venue: BenchVenue; status: MarketStatus }[] {
  return [false, true].flatMap((isNo) =>
    (['venue_a', 'venue_b'] as const).map((venue) => ({
      venue,
      status: { ...instrumentOf(event, venue, isNo), receivedAt, state: 'live' as const, since: receivedAt },
    })),
  );
}

/** The first, whole books of an event. */
export function firstBooksAt(event: number, receivedAt: number): WorldUpdate[] {
  return [false, true].flatMap((isNo) =>
    (['venue_a', 'venue_b'] as const).map((venue) => ({
      venue,
      update: wholeBook(event, venue, isNo, event, receivedAt),
    })),
  );
}

/** The update of a number, among so many events. */
export function updateAt(number: number, events: number, receivedAt: number): WorldUpdate {
  if (number % WHOLE_EVERY === 0) {
    const turn = number / WHOLE_EVERY;
    const isNo = turn % 2 === 1;
    const event = (turn >>> 1) % events;
    return { venue: 'venue_a', update: wholeBook(event, 'venue_a', isNo, number, receivedAt) };
  }
  const chance = chanceOf(number);
  const event = chance % events;
  const isNo = (chance & 0x8000) !== 0;
  return { venue: 'venue_b', update: change(event, isNo, number, receivedAt) };
}

function instrumentOf(event: number, venue: BenchVenue, isNo: boolean) {
  return venue === 'venue_a'
    ? { provider: 'venue_a_outcome', instrument: coinOf(event, isNo), marketId: coinOf(event, false), feed: 'books/0' }
    : { provider: 'venue_b', instrument: tokenOf(event, isNo), marketId: conditionOf(event), feed: 'market/0' };
}

/** Middle of the YES book in ticks; it wanders by a few ticks, and so edges come and go. */
function middleOf(event: number, number: number, isNo: boolean): number {
  const middle = 200 + (chanceOf(event) % 600) + (chanceOf(number + 1) % 21) - 10;
  return isNo ? TICKS - middle : middle;
}

function wholeBook(event: number, venue: BenchVenue, isNo: boolean, number: number, receivedAt: number): BookUpdate {
  const middle = middleOf(event, number, isNo);
  const side = (step: 1 | -1) =>
    Array.from({ length: DEPTH }, (_, at) => level(middle + step * (2 + at * 2), number + at));
  return {
    ...instrumentOf(event, venue, isNo),
    ts: receivedAt - 40,
    receivedAt,
    snapshot: true,
    bids: side(-1),
    asks: side(1),
  };
}

function change(event: number, isNo: boolean, number: number, receivedAt: number): BookUpdate {
  const chance = chanceOf(number + 7);
  const isBid = (chance & 1) === 0;
  // Even distances are taken by the whole book; the change puts a level among them or takes one away.
  const away = (chance & 2) === 0 ? 2 : 2 + ((chance >>> 8) % 30);
  const price = middleOf(event, event, isNo) + (isBid ? -away : away);
  const levels: BookLevel[] = [(chance & 12) === 0 ? { price: priceText(price), size: '0' } : level(price, number)];
  if ((chance & 48) === 0) levels.push(level(price + (isBid ? -3 : 3), number + 1));
  return {
    ...instrumentOf(event, 'venue_b', isNo),
    ts: receivedAt - 40,
    receivedAt,
    snapshot: false,
    bids: isBid ? levels : [],
    asks: isBid ? [] : levels,
  };
}

function level(ticks: number, number: number): BookLevel {
  const size = 20 + (chanceOf(number) % 400_000) / 1_000;
  return { price: priceText(ticks), size: size.toFixed(2).replace(/\.?0+$/, '') };
}

function priceText(ticks: number): string {
  const kept = Math.max(1, Math.min(TICKS - 1, ticks));
  return `0.${String(kept).padStart(3, '0')}`.replace(/0+$/, '');
}
