import { describe, expect, it } from 'vitest';
import { BOOK_HEAD_DELAY_MS, type BookHead, bookHeadTopic } from '#schemas/topics/book-heads';
import { eventTopic } from '#schemas/topics/derived';
import { driveSpreads, event, link, type SpreadsDriver } from './spreads.fixture.ts';
import { UNLINKED_MAX } from './state.ts';

const TICK_MS = 5_000;
const START = 1_800_000_000_000;
const LADDER = [[['0.4', '1']], [['0.6', '1']]] as const;

/** Ticks from one time to another, and returns the heads that were emitted, with the time of their tick. */
function tickThrough(all: SpreadsDriver, from: number, to: number): (BookHead & { at: number })[] {
  const emitted: (BookHead & { at: number })[] = [];
  for (let at = from - (from % TICK_MS) + TICK_MS; at <= to; at += TICK_MS)
    for (const head of all.tick(at).bookHeads) emitted.push({ ...(head as BookHead), at });
  return emitted;
}

describe('heads of books', () => {
  it('contain the whole book after a snapshot and its changes, with the time of the last one', () => {
    const all = driveSpreads();
    all.book(
      'b-yes',
      START + 1,
      [
        ['0.4', '1'],
        ['0.3', '2'],
      ],
      [['0.6', '1']],
    );
    all.book('b-yes', START + 2, [['0.40', '0']], [['0.55', '3.50']], false);
    expect(tickThrough(all, START + 2, START + 2 + BOOK_HEAD_DELAY_MS)).toEqual([
      {
        at: expect.any(Number),
        instrument: 'b-yes',
        bookAt: START + 2,
        ts: START + 2,
        bids: [{ price: '0.3', size: '2' }],
        asks: [
          { price: '0.55', size: '3.5' },
          { price: '0.6', size: '1' },
        ],
      },
    ]);
  });

  it('are emitted once a minute while a book changes, at its own tick, and not while it is quiet', () => {
    const all = driveSpreads();
    const times: number[] = [];
    for (let at = START; at < START + 5 * 60_000; at += TICK_MS) {
      times.push(...all.tick(at).bookHeads.map(() => at));
      all.book('b-yes', at + 1, ...LADDER);
    }
    expect(times.length).toBeGreaterThanOrEqual(4);
    expect(new Set(times.map((at) => at % BOOK_HEAD_DELAY_MS)).size).toBe(1);
    const later = tickThrough(all, START + 5 * 60_000, START + 10 * 60_000);
    expect(later).toHaveLength(1);
  });

  it('of many books are spread over the minute', () => {
    const all = driveSpreads();
    for (let at = 0; at < 600; at += 1) all.book(`x${at}`, START + 1, ...LADDER);
    const heads = tickThrough(all, START, START + BOOK_HEAD_DELAY_MS);
    expect(heads).toHaveLength(600);
    const perTick = new Map<number, number>();
    for (const { at } of heads) perTick.set(at, (perTick.get(at) ?? 0) + 1);
    expect(Math.max(...perTick.values())).toBeLessThan(100);
  });

  it('are emitted late, but all, if ticks are missing, and after a restart', () => {
    const all = driveSpreads();
    for (const name of ['x1', 'x2', 'x3']) all.book(name, START + 1, ...LADDER);
    all.probe.restart();
    expect(
      all
        .tick(START + 10 * 60_000)
        .bookHeads.map((head) => head!.instrument)
        .sort(),
    ).toEqual(['x1', 'x2', 'x3']);
    expect(all.tick(START + 11 * 60_000).bookHeads).toEqual([]);
  });

  it('are not emitted for changes without a complete book', () => {
    const all = driveSpreads();
    all.book('b-yes', START + 1, ...LADDER, false);
    expect(tickThrough(all, START, START + BOOK_HEAD_DELAY_MS)).toEqual([]);
  });

  it.each([
    ['that no event uses', () => {}],
    ['of a leg', (all: SpreadsDriver) => void all.link(event())],
  ])('are removed when a market ends %s', (_, arrange) => {
    const all = driveSpreads();
    arrange(all);
    all.book('b-yes', START + 1, ...LADDER);
    expect(all.end('b-yes', START + 2).bookHeads).toEqual([null]);
    expect(all.end('b-yes', START + 3).bookHeads).toEqual([]);
    expect(tickThrough(all, START, START + BOOK_HEAD_DELAY_MS)).toEqual([]);
  });

  it('are removed for books that are dropped because no event uses them', () => {
    const all = driveSpreads();
    all.book('b-yes', START + 1, ...LADDER);
    for (let at = 1; at < UNLINKED_MAX; at += 1) all.book(`x${at}`, START + 1, [], []);
    const outputs = all.probe.send(eventTopic, 'evt_9', event({ universalId: 'evt_9', links: [link('venue_b')] }));
    expect(outputs.filter(({ topic }) => topic === bookHeadTopic.name)).toEqual([]);
    all.book('y1', START + 2, [], []);
    const removed = all.probe.send(eventTopic, 'evt_9', event({ universalId: 'evt_9', links: [], receivedAt: START }));
    const keys = removed.filter(({ topic, value }) => topic === bookHeadTopic.name && value === null);
    expect(keys.map(({ key }) => key)).toContain('x1');
    expect(keys.map(({ key }) => key)).not.toContain('b-yes');
  });

  it('that are due are emitted before a head is removed, so that a removal states too how far the heads are', () => {
    const all = driveSpreads();
    for (const name of ['x1', 'x2']) all.book(name, START + 1, ...LADDER);
    const heads = all.end('x1', START + BOOK_HEAD_DELAY_MS + TICK_MS).bookHeads;
    expect(heads.map((head) => head?.instrument)).toEqual(['x2', undefined]);
  });
});
