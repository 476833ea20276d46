import { describe, expect, it } from 'vitest';
import { BOOKS_MAX, MISMATCHES_MAX } from './token-books.ts';
import { type AnyRecord, feed, play, raw } from './venue-b.fixture.ts';

const MARKET = `0x${'c'.repeat(64)}`;
const AT = 1_700_000_000_000;
/** Reads levels such as `0.4 10`, a price and a size. */
const levels = (texts: readonly string[]) =>
  texts.map((text) => {
    const [price, size] = text.split(' ');
    return { price, size };
  });

/** Builds a `book` event with levels in the venue's order, the best one last. */
const book = (bids: readonly string[], asks: readonly string[], change: object = {}) => ({
  event_type: 'book',
  market: MARKET,
  asset_id: 'yes',
  timestamp: String(AT - 5),
  hash: 'h',
  bids: levels(bids),
  asks: levels(asks),
  ...change,
});
const change = (price: string, size: string, side: 'BUY' | 'SELL', more: object = {}) => ({
  asset_id: 'yes',
  price,
  size,
  side,
  hash: 'h',
  ...more,
});
const priceChange = (...changes: object[]) => ({
  event_type: 'price_change',
  market: MARKET,
  timestamp: String(AT),
  price_changes: changes,
});
const frame = (data: unknown, at = AT, key?: string): AnyRecord => raw('clob_ws', at, data, key);
const START = frame(book(['0.4 10'], ['0.6 20']));
const states = (statuses: ReturnType<typeof play>['statuses']) =>
  statuses.map((status) => (status ? `${status.instrument} ${status.state}` : 'removed'));

describe('a book event', () => {
  it('is emitted as a snapshot with the best levels first', () => {
    const { books, statuses } = play([frame(book(['0.01 5', '0.40 10.50'], ['0.99 7', '0.6 20']))]);
    expect(books).toEqual([
      {
        provider: 'venue_b',
        instrument: 'yes',
        marketId: MARKET,
        feed: 'venue_b.clob_ws',
        ts: AT - 5,
        receivedAt: AT,
        snapshot: true,
        bids: levels(['0.4 10.5', '0.01 5']),
        asks: levels(['0.6 20', '0.99 7']),
      },
    ]);
    expect(states(statuses)).toEqual(['yes live']);
  });

  it('is emitted with sorted, unique and non-empty levels, even if the venue’s are not', () => {
    const [update] = play([frame(book(['0.4 1', '0.1 2', '0.3 0', '0.10 9'], []))]).books;
    expect(update!.bids).toEqual(levels(['0.4 1', '0.1 2']));
  });

  it('has no market if it names none, until the catalog lists the token', () => {
    const token = '12345';
    const market = { conditionId: MARKET, clobTokenIds: `["${token}","678"]`, outcomes: '["Yes","No"]' };
    const nameless = frame(book([], [], { market: undefined, asset_id: token }));
    const { books } = play([nameless, raw('gamma', AT, [market]), nameless]);
    expect(books.map((update) => update.marketId)).toEqual([null, MARKET]);
  });
});

describe('a price change', () => {
  it('is emitted as a delta with the new totals of its levels', () => {
    const { books } = play([START, frame(priceChange(change('0.41', '3', 'BUY'), change('0.6', '0', 'SELL')))]);
    expect(books[1]).toMatchObject({
      snapshot: false,
      ts: AT,
      bids: levels(['0.41 3']),
      asks: levels(['0.6 0']),
    });
  });

  it('is emitted as one delta for each of two tokens, in any order of the changes', () => {
    const no = frame(book(['0.4 20'], ['0.6 10'], { asset_id: 'no' }));
    const both = priceChange(
      change('0.45', '1', 'BUY'),
      change('0.55', '1', 'SELL', { asset_id: 'no' }),
      change('0.46', '2', 'BUY'),
    );
    const { books } = play([START, no, frame(both)]);
    expect(books.slice(2).map(({ instrument, bids, asks }) => [instrument, bids.length, asks.length])).toEqual([
      ['yes', 2, 0],
      ['no', 0, 1],
    ]);
  });

  it('is read alike in the form of every era', () => {
    const top = { event_type: 'price_change', market: MARKET, asset_id: 'yes', timestamp: String(AT), hash: 'h' };
    const level = { price: '0.41', size: '3', side: 'BUY' };
    const eras = [priceChange(change('0.41', '3', 'BUY')), { ...top, changes: [level] }, { ...top, ...level }];
    const updates = eras.map((era) => play([START, frame(era)]).books[1]);
    expect(updates[0]!.bids).toEqual(levels(['0.41 3']));
    expect(updates).toEqual([updates[0], updates[0], updates[0]]);
  });

  it('is not emitted before a snapshot, and its token is recovering until then', () => {
    const { books, statuses } = play([frame(priceChange(change('0.41', '3', 'BUY'))), START]);
    expect(books.map((update) => update.snapshot)).toEqual([true]);
    expect(states(statuses)).toEqual(['yes recovering', 'yes live']);
  });

  it.each(['connected', 'disconnected', 'unreachable'] as const)(
    'is ignored after %s until the next snapshot',
    (kind) => {
      const later = frame(priceChange(change('0.41', '3', 'BUY')), AT + 2);
      expect(play([START, feed(kind, AT + 1), later]).books).toHaveLength(1);
      expect(play([START, feed(kind, AT + 1, 'another'), later]).books).toHaveLength(2);
    },
  );

  it('is ignored if it comes from another connection than the snapshot', () => {
    const other = frame(priceChange(change('0.41', '3', 'BUY')), AT, 'slot-2');
    const { books, statuses } = play([START, other]);
    expect(books).toHaveLength(1);
    expect(states(statuses)).toEqual(['yes live']);
  });
});

describe('best prices beside a change', () => {
  const wrong = frame(priceChange(change('0.41', '3', 'BUY', { best_bid: '0.42', best_ask: '0.6' })));
  const right = frame(priceChange(change('0.41', '3', 'BUY', { best_bid: '0.41', best_ask: '0.6' })));
  const times = (count: number, record: AnyRecord) => Array.from({ length: count }, () => record);

  it('make the token recover if they differ from the book for too many frames in a row', () => {
    const { books, statuses } = play([START, ...times(MISMATCHES_MAX, wrong), right, START]);
    expect(states(statuses)).toEqual(['yes live', 'yes recovering', 'yes live']);
    expect(books.map((update) => update.snapshot)).toEqual([
      true,
      ...times(MISMATCHES_MAX, right).map(() => false),
      true,
    ]);
  });

  it('may differ for one frame fewer, or be missing', () => {
    const silent = frame(priceChange(change('0.41', '3', 'BUY', { best_bid: '', best_ask: '' })));
    const some = times(MISMATCHES_MAX - 1, wrong);
    expect(states(play([START, ...some, right, ...some, silent, ...some]).statuses)).toEqual(['yes live']);
  });

  it('mean an empty side if they are 0 and 1', () => {
    const empty = frame(priceChange(change('0.4', '0', 'BUY', { best_bid: '0', best_ask: '0.6' })));
    const removed = frame(priceChange(change('0.6', '0', 'SELL', { best_bid: '0', best_ask: '1' })));
    const { state } = play([START, empty, removed]);
    expect(state.books.get('yes')!.mismatches).toBe(0);
    expect(
      play([START, frame(priceChange(change('0.4', '1', 'BUY', { best_bid: '0' })))]).state.books.get('yes'),
    ).toEqual(expect.objectContaining({ mismatches: 1 }));
  });
});

describe('a tick size change', () => {
  const tick = (size: string) =>
    frame({
      event_type: 'tick_size_change',
      market: MARKET,
      asset_id: 'yes',
      timestamp: String(AT),
      new_tick_size: size,
    });

  it('removes the levels off the new grid', () => {
    const fine = frame(book(['0.4 1', '0.955 2'], ['0.96 3']));
    const { books } = play([fine, tick('0.01')]);
    expect(books[1]).toMatchObject({ snapshot: false, bids: levels(['0.955 0']), asks: [] });
  });

  it('emits nothing if every level is on the new grid', () => {
    expect(play([START, tick('0.001')]).books).toHaveLength(1);
  });
});

describe('a raw channel', () => {
  it('carries every event of a token completely, numbered from 1', () => {
    const trade = { event_type: 'last_trade_price', market: MARKET, asset_id: 'yes', price: '0.5', timestamp: '1' };
    const both = priceChange(change('0.45', '1', 'BUY'), change('0.55', '1', 'SELL', { asset_id: 'no' }));
    const { frames, payloads } = play([START, frame(trade), frame(both)]);
    expect(frames.map(({ channel, seq }, at) => [channel, seq, JSON.parse(payloads[at]!)])).toEqual([
      ['svc:stream:venue_b:yes', 1, book(['0.4 10'], ['0.6 20'])],
      ['svc:stream:venue_b:yes', 2, trade],
      ['svc:stream:venue_b:yes', 3, both],
      ['svc:stream:venue_b:no', 1, both],
    ]);
    expect(frames[0]).toMatchObject({ provider: 'venue_b', marketId: MARKET, receivedAt: AT });
  });

  it('carries one event of a frame that lists several', () => {
    const first = book([], []);
    const second = book([], [], { asset_id: 'no' });
    const { payloads, books } = play([frame([first, second])]);
    expect(payloads).toEqual([first, second].map((event) => JSON.stringify(event)));
    expect(books).toHaveLength(2);
  });

  it('carries the exact text of an event in a list, with or without other text and spaces around it', () => {
    const written = JSON.stringify(book([], [], { note: 'ä "]}, 😀' }), null, 1).replace('"h"', '1.0');
    const { payloads } = play([frame(` [ ${written},\n7 , ${written} ]`)]);
    expect(payloads).toEqual([written, written]);
  });
});

describe('a malformed frame', () => {
  it.each<[string, unknown, RegExp]>([
    ['malformed_json', '{"event_type":', /JSON/],
    ['malformed_frame', 7, /expected an object/],
    ['malformed_frame', {}, /event_type/],
    ['malformed_frame', book(['0.4 many'], []), /^size: .*"many"/],
    ['malformed_frame', book(['0.4 -1'], []), /^size: .*"-1"/],
    ['malformed_frame', book([' 1'], []), /price/],
    ['malformed_frame', book([], [], { asks: undefined }), /asks/],
    ['malformed_frame', book([], [], { timestamp: 'now' }), /timestamp/],
    ['malformed_frame', book([], [], { asset_id: '' }), /asset_id/],
    ['malformed_frame', priceChange({ asset_id: 7, price: '0.4', size: '1', side: 'BUY' }), /^asset_id: .*7/],
  ])('is a dead letter %s and does not change the book', (reason, bad, detail) => {
    const good = frame(priceChange(change('0.41', '3', 'BUY', { best_bid: '0.41', best_ask: '0.6' })));
    const { dead, books, state } = play([START, frame(bad), good]);
    expect(dead).toEqual([{ reason, detail: expect.stringMatching(detail) }]);
    expect(books).toHaveLength(2);
    expect(state.books.get('yes')!.mismatches).toBe(0);
  });

  it('makes the books of the tokens that it names await a snapshot', () => {
    const no = frame(book([], [], { asset_id: 'no' }));
    const bad = priceChange(change('0.4', '1', 'BUY'), { asset_id: 'yes', price: '0.4', size: '1' });
    const good = frame(priceChange(change('0.41', '3', 'BUY'), change('0.5', '3', 'BUY', { asset_id: 'no' })));
    const { dead, books, statuses } = play([START, no, frame(bad), good]);
    expect(dead).toEqual([{ reason: 'malformed_frame', detail: 'side: expected BUY or SELL, got nothing' }]);
    expect(states(statuses)).toEqual(['yes live', 'no live', 'yes recovering']);
    expect(books.map((update) => update.instrument)).toEqual(['yes', 'no', 'no']);
    const elsewhere = play([START, frame(bad, AT, 'slot-2'), good]);
    expect(states(elsewhere.statuses)).toEqual(['yes live', 'no recovering']);
  });

  it('does not affect the other events of its list', () => {
    const { dead, books } = play([frame([{ event_type: 'book' }, book([], [])])]);
    expect(dead).toHaveLength(1);
    expect(books).toHaveLength(1);
  });

  it('is none of a heartbeat, an empty list and an event of another type', () => {
    const other = { event_type: 'best_bid_ask', asset_id: 'yes', best_bid: '0.1' };
    expect(play([frame('PONG'), frame([]), frame(other), frame({ event_type: 'brand_new' })])).toMatchObject({
      dead: [],
      books: [],
      frames: [],
    });
  });
});

describe('a REST book', () => {
  const answer = (ts: number, token = 'yes') => ({
    ...book(['0.3 1'], ['0.7 1'], { event_type: undefined, asset_id: token, timestamp: String(ts) }),
    tick_size: '0.01',
    last_trade_price: '',
  });
  const rest = (data: unknown) => raw('clob', AT, data);

  it('is emitted if no socket has a complete book, alone or in a list', () => {
    const { books, statuses } = play([rest(answer(AT)), rest([answer(AT, 'a'), answer(AT, 'b')])]);
    expect(books.map(({ instrument, snapshot }) => [instrument, snapshot])).toEqual([
      ['yes', true],
      ['a', true],
      ['b', true],
    ]);
    expect(statuses).toEqual([]);
  });

  it('does not replace a complete book, nor a newer one', () => {
    expect(play([START, rest(answer(AT + 10))]).books).toHaveLength(1);
    expect(play([rest(answer(AT)), rest(answer(AT)), rest(answer(AT - 1))]).books).toHaveLength(1);
    expect(play([rest(answer(AT)), rest(answer(AT + 1))]).books).toHaveLength(2);
  });

  it('does not make changes valid that came before a snapshot of their socket', () => {
    const { books, statuses } = play([rest(answer(AT)), frame(priceChange(change('0.41', '3', 'BUY')))]);
    expect(books).toHaveLength(1);
    expect(states(statuses)).toEqual(['yes recovering']);
  });
});

describe('a token of a closed market', () => {
  const listed = { conditionId: MARKET, clobTokenIds: '["1","2"]', outcomes: '["Yes","No"]' };
  const BOOK = frame(book([], [], { asset_id: '1' }));
  const openAt = (at: number) => raw('gamma', at, [{ ...listed, closed: false }]);

  it('is removed when the venue reports its market as resolved', () => {
    const resolved = { event_type: 'market_resolved', market: MARKET, assets_ids: ['yes', 'no'], timestamp: '1' };
    const { statuses, state } = play([START, frame(resolved)]);
    expect(states(statuses)).toEqual(['yes live', 'removed']);
    expect([state.books.size, state.liveness.instruments.size]).toEqual([0, 0]);
  });

  describe('that the venue reports as resolved', () => {
    const resolved = { event_type: 'market_resolved', market: MARKET, assets_ids: ['1', '2'], timestamp: '1' };
    const closedOf = ({ markets }: ReturnType<typeof play>) =>
      markets.map(({ closed, active, resolved, receivedAt }) => ({ closed, active, resolved, at: receivedAt - AT }));

    it('belongs to a closed market at the same moment, before a catalog states it', () => {
      const played = play([openAt(AT), BOOK, frame(resolved, AT + 5)]);
      expect(closedOf(played)).toMatchObject([{ closed: false }, { closed: true, resolved: false, at: 5 }]);
      expect(states(played.statuses)).toEqual(['1 live', 'removed']);
    });

    it('remains closed while a catalog still lists its market as open', () => {
      const ended = [openAt(AT), BOOK, frame(resolved, AT + 5), frame(resolved, AT + 6)];
      expect(closedOf(play([...ended, openAt(AT + 9)]))).toHaveLength(2);
    });

    it('is removed again with the closed market of the catalog, if a frame came in between', () => {
      const closed = raw('gamma', AT + 9, [{ ...listed, closed: true, closedTime: '2026-01-01 00:00:00+00' }]);
      const { state, statuses, markets } = play([openAt(AT), frame(resolved, AT + 5), BOOK, closed]);
      expect(states(statuses)).toEqual(['1 live', 'removed']);
      expect(state.books.size).toBe(0);
      expect(markets.at(-1)).toMatchObject({ closed: true, resolved: true });
    });
  });

  it('is removed when the catalog lists its market as closed', () => {
    expect(play([BOOK, openAt(AT)]).state.books.size).toBe(1);
    expect(play([BOOK, openAt(AT), raw('gamma', AT, [{ ...listed, closed: true }])]).state.books.size).toBe(0);
  });
});

describe('the stored books', () => {
  it('are bounded: the one with the oldest snapshot is evicted', () => {
    const tokens = Array.from({ length: BOOKS_MAX }, (_, at) => `t${at}`);
    const all = tokens.map((token) => frame(book([], [], { asset_id: token })));
    const again = frame(book([], [], { asset_id: 't0' }));
    expect(play(all).state.books.size).toBe(BOOKS_MAX);
    const { state, statuses } = play([...all, again, START]);
    expect(state.books.size).toBe(BOOKS_MAX);
    expect([state.books.has('t0'), state.books.has('t1'), state.books.has('yes')]).toEqual([true, false, true]);
    expect(state.liveness.instruments.size).toBe(BOOKS_MAX);
    expect(statuses.at(-1)).toBeNull();
  });
});
