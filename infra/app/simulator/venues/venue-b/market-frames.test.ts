import { describe, expect, it } from 'vitest';
import { BEFORE_THE_HOUR, createTestSimulation, venueBFrames } from '../../simulation.fixture.ts';
import { tickAt } from '../../world/question-book.ts';

type Level = { price: string; size: string };
type Book = { bids: Map<string, string>; asks: Map<string, string> };

/** Books of a client: `book` frames replace them, `price_change` frames set level totals. */
function createClientBooks() {
  const books = new Map<string, Book>();
  return {
    books,
    apply(frame: Record<string, unknown>) {
      if (frame.event_type === 'book') {
        const read = (levels: Level[]) => new Map(levels.map(({ price, size }) => [price, size]));
        const { bids, asks } = frame as { bids: Level[]; asks: Level[] };
        books.set(String(frame.asset_id), { bids: read(bids), asks: read(asks) });
      }
      if (frame.event_type !== 'price_change') return;
      for (const change of frame.price_changes as Record<string, string>[]) {
        const book = books.get(change.asset_id!);
        const side = change.side === 'BUY' ? book?.bids : book?.asks;
        if (change.size === '0') side?.delete(change.price!);
        else side?.set(change.price!, change.size!);
      }
    },
    best(token: string) {
      const { bids, asks } = books.get(token)!;
      const all = (side: Map<string, string>) => [...side.keys()].map(Number);
      return { bid: Math.max(...all(bids)), ask: Math.min(...all(asks)) };
    },
  };
}

describe('market frames', () => {
  const simulation = createTestSimulation({ seed: 3, rate: 500, events: 4, coins: 4 });
  const start = BEFORE_THE_HOUR;
  const client = createClientBooks();
  const live = simulation.board.all(start).filter(({ question }) => question.expiresAtMs > start);
  for (const market of live) {
    for (const token of [0, 1] as const)
      client.apply(JSON.parse(simulation.venueB.bookFrameAt(market, token, start - 1)!));
  }
  const lines = simulation.run(start, start + 20_000);
  const frames = venueBFrames(lines);

  it('contain the best prices that a client has after applying them', () => {
    let checked = 0;
    for (const frame of frames) {
      client.apply(frame);
      if (frame.event_type !== 'price_change') continue;
      for (const { asset_id, best_bid, best_ask } of frame.price_changes as Record<string, string>[]) {
        const best = client.best(asset_id!);
        if (best_bid !== '') expect(best.bid).toBe(Number(best_bid));
        if (best_ask !== '') expect(best.ask).toBe(Number(best_ask));
        checked += 1;
      }
    }
    expect(checked).toBeGreaterThan(500);
  });

  it('lead a client to the book that the venue returns, with the NO book as its mirror', () => {
    for (const market of live) {
      const [yes, no] = market.ids.tokenIds.map((token) => client.books.get(token)!);
      const whole = JSON.parse(simulation.venueB.bookFrameAt(market, 0, start + 19_999)!) as {
        bids: Level[];
        asks: Level[];
      };
      expect([...yes!.bids].sort()).toEqual(whole.bids.map(({ price, size }) => [price, size]).sort());
      expect([...yes!.asks].sort()).toEqual(whole.asks.map(({ price, size }) => [price, size]).sort());
      const mirrored = [...no!.asks].map(([price, size]) => [String(Number((1 - Number(price)).toFixed(3))), size]);
      expect(mirrored.sort()).toEqual([...yes!.bids].sort());
    }
  });

  it('put the best level last', () => {
    for (const frame of frames.filter(({ event_type }) => event_type === 'book')) {
      const { bids, asks } = frame as unknown as { bids: Level[]; asks: Level[] };
      const prices = (levels: Level[]) => levels.map(({ price }) => Number(price));
      expect(prices(bids)).toEqual(prices(bids).sort((a, b) => a - b));
      expect(prices(asks)).toEqual(prices(asks).sort((a, b) => b - a));
    }
  });

  it('report each maker order of a match with its transaction hash', () => {
    const trades = frames.filter(({ event_type }) => event_type === 'last_trade_price');
    const expected = simulation.world.matchesBetween(start, start + 20_000).flatMap(({ legs }) => legs);
    expect(trades).toHaveLength(expected.length);
    const hashes = new Set(simulation.blocks.flatMap((block) => block.transactions));
    const early = trades.filter(({ timestamp }) => Number(timestamp) < start + 18_000);
    expect(early.length).toBeGreaterThan(50);
    for (const trade of early) expect(hashes.has(String(trade.transaction_hash))).toBe(true);
  });

  it('all have the fields of the venue page', () => {
    const fields: Record<string, string[]> = {
      book: ['market', 'asset_id', 'timestamp', 'hash', 'bids', 'asks', 'tick_size', 'last_trade_price'],
      price_change: ['market', 'price_changes', 'timestamp'],
      last_trade_price: [
        'market',
        'asset_id',
        'price',
        'size',
        'side',
        'fee_rate_bps',
        'timestamp',
        'transaction_hash',
      ],
      best_bid_ask: ['market', 'asset_id', 'best_bid', 'best_ask', 'spread', 'timestamp'],
    };
    const seen = new Set<string>();
    for (const { event_type, ...rest } of frames) {
      seen.add(String(event_type));
      const wanted = fields[String(event_type)];
      if (wanted) expect(Object.keys(rest).sort()).toEqual([...wanted].sort());
    }
    for (const type of Object.keys(fields)) expect(seen).toContain(type);
  });
});

describe('price steps', () => {
  it('become finer near 0 and 1, with a tick_size_change and a new book', () => {
    const simulation = createTestSimulation({ seed: 3, rate: 100, events: 12, coins: 4 });
    const { seed } = simulation.world.settings;
    const TERM = 600_000;
    const questions = simulation.world.venueB.slots.map(({ index }) =>
      simulation.world.venueB.liveIn(index, BEFORE_THE_HOUR),
    );
    // The step is calculated every ten minutes, and one of the last times before the hour changes it for some market.
    const changes = questions.flatMap((question) =>
      [1, 2, 3, 4].map((back) => ({ question, atMs: Math.floor(BEFORE_THE_HOUR / TERM) * TERM - back * TERM })),
    );
    const change = changes.find(({ question, atMs }) => {
      return question.listedAtMs < atMs - TERM && tickAt(seed, question, atMs) !== tickAt(seed, question, atMs - 1);
    })!;
    expect(change).toBeDefined();
    const { tokenIds } = simulation.world.idsOf(change.question);
    const frames = venueBFrames(simulation.run(change.atMs - 1_000, change.atMs + 8_000));
    const at = frames.findIndex(
      ({ event_type, asset_id }) => event_type === 'tick_size_change' && asset_id === tokenIds[0],
    );
    expect(at).toBeGreaterThanOrEqual(0);
    const { old_tick_size, new_tick_size } = frames[at]!;
    expect(new Set([old_tick_size, new_tick_size])).toEqual(new Set(['0.01', '0.001']));
    const book = frames.slice(at).find((frame) => frame.event_type === 'book' && frame.asset_id === tokenIds[0]);
    expect(book).toMatchObject({ tick_size: new_tick_size });
  });
});
