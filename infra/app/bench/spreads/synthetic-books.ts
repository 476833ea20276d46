/**
 * Generates universal events with one market of venue_a and one of venue_b each, and updates of their books. The same
 * number always gives the same update. A fifth of the updates are complete books of venue_a with twenty levels a side,
 * of YES and NO coins in turn (the venue sends each every 5 s, which for 10,000 markets is 4,000 a second). The others
 * change one or two levels of YES and NO tokens of venue_b, about half of them at the top.
 */
import type { UniversalEvent } from '#schemas/topics/derived';
import type { BookLevel, BookUpdate, MarketStatus } from '#schemas/topics/normalised';

/** Levels per side of a complete book. */
const DEPTH = 20;
/** Every nth update is a complete book of venue_a. */
const SNAPSHOT_EVERY = 5;
/** Prices are in ticks of a thousandth of a dollar. */
const TICKS = 1_000;

export type BenchVenue = 'venue_a' | 'venue_b';

export interface SyntheticUpdate {
  readonly venue: BenchVenue;
  readonly update: BookUpdate;
}

/** Hashes a number to 32 bits. */
function chanceOf(number: number): number {
  let mixed = Math.imul(number ^ (number >>> 16), 0x45d9f3b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

const coinOf = (event: number, isNo: boolean) => `#${event * 10 + (isNo ? 1 : 0)}`;
/** 77 digits, as the venue's own tokens. */
const tokenOf = (event: number, isNo: boolean) => `${'7'.repeat(70)}${1_000_000 + event * 2 + (isNo ? 1 : 0)}`;
const conditionOf = (event: number) => `0x${event.toString(16).padStart(64, '0')}`;

/** Generates an event with links on both venues. */
export function eventAt(event: number, receivedAt: number): UniversalEvent {
  const linkFields = { confidence: 0.92, source: 'ner', polarity: 'same', used: true, evidence: '{}' } as const;
  const common = { ...linkFields, marketState: 'open', title: `Question ${event}`, endTime: null } as const;
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

/** Generates the status `live` for the four instruments of an event. */
export function statusesAt(event: number, receivedAt: number): { venue: BenchVenue; status: MarketStatus }[] {
  return [false, true].flatMap((isNo) =>
    (['venue_a', 'venue_b'] as const).map((venue) => ({
      venue,
      status: { ...instrumentOf(event, venue, isNo), receivedAt, state: 'live' as const, since: receivedAt },
    })),
  );
}

/** Generates the initial complete books of an event. */
export function initialBooksAt(event: number, receivedAt: number): SyntheticUpdate[] {
  return [false, true].flatMap((isNo) =>
    (['venue_a', 'venue_b'] as const).map((venue) => ({
      venue,
      update: bookSnapshot(event, venue, isNo, event, receivedAt),
    })),
  );
}

/** Generates the update with this number for one of `events` events. */
export function updateAt(number: number, events: number, receivedAt: number): SyntheticUpdate {
  if (number % SNAPSHOT_EVERY === 0) {
    const turn = number / SNAPSHOT_EVERY;
    const isNo = turn % 2 === 1;
    const event = (turn >>> 1) % events;
    return { venue: 'venue_a', update: bookSnapshot(event, 'venue_a', isNo, number, receivedAt) };
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

/** Middle of the book in ticks. It varies by a few ticks, so that arbitrages appear and disappear. */
function middleOf(event: number, number: number, isNo: boolean): number {
  const middle = 200 + (chanceOf(event) % 600) + (chanceOf(number + 1) % 21) - 10;
  return isNo ? TICKS - middle : middle;
}

function bookSnapshot(event: number, venue: BenchVenue, isNo: boolean, number: number, receivedAt: number): BookUpdate {
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
  // The complete book has levels at even distances; a change adds a level between them or removes one.
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
  const clamped = Math.max(1, Math.min(TICKS - 1, ticks));
  return `0.${String(clamped).padStart(3, '0')}`.replace(/0+$/, '');
}
