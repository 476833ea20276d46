import { pad } from 'viem';
import { describe, expect, it } from 'vitest';
import type { Trade } from '#schemas/topics/normalised';
import type { RawEnvelope } from '#schemas/topics/raw';
import { RETAINED_HEADERS } from './chain-view.ts';
import { LEG_WAIT_MS } from './on-chain.ts';
import {
  type AnyRecord,
  accountOf,
  blockAt,
  clock,
  EXCHANGE,
  type FillOptions,
  feed,
  fill,
  hashOf,
  header,
  headers,
  type PlayOptions,
  play,
  raw,
} from './venue-b.fixture.ts';

const YES = 111n;
const NO = 222n;

/** Builds a maker leg: alice sells 10 YES at 0.62 to bob. */
const makerLeg = (change: Partial<FillOptions> = {}) =>
  fill({
    block: 100,
    tx: 'tx',
    logIndex: 5,
    maker: 'alice',
    taker: 'bob',
    side: 'sell',
    token: YES,
    usd: 6_200_000,
    qty: 10_000_000,
    ...change,
  });
/** Builds bob's own log. */
const takerLeg = (change: Partial<FillOptions> = {}) =>
  makerLeg({ logIndex: 9, maker: 'bob', taker: null, side: 'buy', ...change });
/** A block with one trade. */
const MATCH = [header(100), makerLeg(), takerLeg()];
/** Where the trade is when it is included again. */
const AGAIN = { block: 101, fork: 'b' } as const;
const MOVED = [...MATCH, header(100, 'b', 'a'), header(101, 'b'), makerLeg(AGAIN), takerLeg(AGAIN)];

const brief = ({ id, side, instrument, price, qty, usd, status }: Trade) => ({
  id: id.slice(id.lastIndexOf(':') + 1),
  side,
  instrument,
  price,
  qty,
  usd,
  status,
});
const statuses = (trades: Trade[]) => trades.map((trade) => `${trade.id.split(':')[2]} ${trade.status}`);
const tradesOf = (records: AnyRecord[], options?: PlayOptions) => play(records, options).trades;

describe('a match on chain', () => {
  it('is emitted when its taker leg comes, from the taker’s view', () => {
    const records = [header(100), makerLeg(), takerLeg()];
    expect(tradesOf(records.slice(0, 2))).toEqual([]);
    expect(tradesOf(records)).toEqual([
      {
        id: `venue_b:${hashOf('tx')}:5`,
        provider: 'venue_b',
        marketId: null,
        instrument: '111',
        outcome: null,
        ts: blockAt(100),
        receivedAt: blockAt(100),
        arrival: 1,
        side: 'buy',
        price: '0.62',
        qty: '10',
        usd: '6.2',
        maker: accountOf('alice'),
        taker: accountOf('bob'),
        txHash: hashOf('tx'),
        logIndex: 5,
        tradeId: null,
        blockNumber: 100,
        blockHash: hashOf('100a'),
        status: 'pending',
        orders: {
          makerInstrument: '111',
          makerSide: 'sell',
          makerPrice: '0.62',
          makerBuilder: null,
          makerFee: '0',
          takerBuilder: null,
          takerFee: '0',
        },
      },
    ]);
  });

  it('is one trade per maker, on the token that the taker traded', () => {
    const trades = tradesOf([
      header(100),
      makerLeg(),
      makerLeg({ logIndex: 6, maker: 'carol', side: 'buy', token: NO, usd: 1_900_000, qty: 5_000_000 }),
      takerLeg(),
    ]);
    expect(trades.map(brief)).toEqual([
      { id: '5', side: 'buy', instrument: '111', price: '0.62', qty: '10', usd: '6.2', status: 'pending' },
      { id: '6', side: 'buy', instrument: '111', price: '0.62', qty: '5', usd: '3.1', status: 'pending' },
    ]);
    expect(trades.map((trade) => trade.arrival)).toEqual([1, 2]);
  });

  it('states both orders as their accounts see them, and what of the taker’s fee belongs to each leg', () => {
    const trades = tradesOf([
      header(100),
      makerLeg({ builder: 0xan, fee: 1 }),
      makerLeg({ logIndex: 6, maker: 'carol', side: 'buy', token: NO, usd: 1_900_000, qty: 5_000_000 }),
      takerLeg({ builder: 0xbn, fee: 300_000 }),
    ]);
    const builder = (digit: string) => `0x${digit.padStart(64, '0')}`;
    const taker = { takerBuilder: builder('b') };
    expect(trades.map(({ orders }) => orders)).toEqual([
      {
        makerInstrument: '111',
        makerSide: 'sell',
        makerPrice: '0.62',
        makerBuilder: builder('a'),
        makerFee: '0.000001',
        ...taker,
        takerFee: '0.2',
      },
      {
        makerInstrument: '222',
        makerSide: 'buy',
        makerPrice: '0.38',
        makerBuilder: null,
        makerFee: '0',
        ...taker,
        takerFee: '0.1',
      },
    ]);
  });

  it('assigns its legs to the first taker leg that follows if a transaction has several', () => {
    const trades = tradesOf([
      header(100),
      makerLeg({ logIndex: 1, taker: 'bob' }),
      takerLeg({ logIndex: 2 }),
      makerLeg({ logIndex: 3, side: 'buy', token: NO }),
      takerLeg({ logIndex: 4 }),
    ]);
    expect(trades.map((trade) => [trade.logIndex, trade.instrument, trade.side, trade.price])).toEqual([
      [1, '111', 'buy', '0.62'],
      [3, '111', 'buy', '0.38'],
    ]);
  });

  it('uses only the taker leg of its own contract', () => {
    const other = '0x4bfb41d5b3570defd03c39a9a4d8de6bd8b8982e';
    const v1 = '0xc5d563a36ae78145c45a50134d48a1215220f80a';
    const trades = tradesOf([
      header(100),
      makerLeg({ logIndex: 1, side: 'buy', token: NO }),
      makerLeg({ logIndex: 2, exchange: v1 }),
      takerLeg({ logIndex: 3, exchange: other }),
      takerLeg({ logIndex: 4 }),
      takerLeg({ logIndex: 5, exchange: v1 }),
    ]);
    expect(trades.map((trade) => [trade.logIndex, trade.instrument])).toEqual([
      [1, '111'],
      [2, '111'],
    ]);
  });

  it('is ignored if its contract is no exchange', () => {
    const exchange = accountOf('impostor');
    const records = [header(100), makerLeg({ exchange }), takerLeg({ exchange })];
    expect(play(records)).toMatchObject({ trades: [], dead: [] });
    expect(tradesOf(records, { exchanges: [exchange.toUpperCase().replace('0X', '0x')] })).toHaveLength(1);
  });
});

describe('a leg without a taker leg', () => {
  const lone = [header(100), makerLeg()];
  it.each<[string, AnyRecord]>([
    ['the next header', header(101)],
    ['a log of another transaction', makerLeg({ tx: 'other', logIndex: 12 })],
    ['any log of another transaction', makerLeg({ tx: 'other', exchange: accountOf('impostor') })],
    ['the clock', clock(blockAt(100) + LEG_WAIT_MS)],
    ['the end of the recording', feed('ended', blockAt(100), 'venue_b.rpc')],
    ['the finalized block', raw('rpc', blockAt(100), { finalized: '0x1' })],
  ])('is emitted with the opposite side of its own order by %s', (_, trigger) => {
    const trades = tradesOf([...lone, trigger]);
    expect(trades.map(brief)).toEqual([
      { id: '5', side: 'buy', instrument: '111', price: '0.62', qty: '10', usd: '6.2', status: 'pending' },
    ]);
  });

  it('waits for a taker leg up to LEG_WAIT_MS', () => {
    expect(tradesOf([...lone, clock(blockAt(100) + LEG_WAIT_MS - 1)])).toEqual([]);
  });

  it('is not emitted again by a taker leg that comes too late', () => {
    expect(tradesOf([...lone, clock(blockAt(100) + LEG_WAIT_MS), takerLeg()])).toHaveLength(1);
  });
});

describe('a trade’s status', () => {
  it('is confirmed when the head is far enough above it, and not a block earlier', () => {
    expect(statuses(tradesOf([...MATCH, header(163)]))).toEqual(['5 pending']);
    expect(statuses(tradesOf([...MATCH, header(164)]))).toEqual(['5 pending', '5 confirmed']);
    expect(statuses(tradesOf([...MATCH, header(101)], { confirmations: 1 }))).toEqual(['5 pending', '5 confirmed']);
  });

  it('is confirmed when the finalized block has reached it', () => {
    expect(statuses(tradesOf([...MATCH, raw('rpc', blockAt(101), { finalized: '0x63' })]))).toEqual(['5 pending']);
    expect(statuses(tradesOf([...MATCH, raw('rpc', blockAt(101), { finalized: '0x64' })]))).toEqual([
      '5 pending',
      '5 confirmed',
    ]);
  });

  it('is emitted once, however long the chain grows', () => {
    expect(statuses(tradesOf([...MATCH, ...headers(101, 400)]))).toEqual(['5 pending', '5 confirmed']);
  });

  it('is pending and then confirmed at once if its log comes late for its block', () => {
    const late = [header(100), header(164), makerLeg(), takerLeg()];
    expect(statuses(tradesOf(late))).toEqual(['5 pending', '5 confirmed']);
  });

  it('is the only field that changes', () => {
    const [pending, confirmed] = tradesOf([...MATCH, header(164)]);
    expect(confirmed).toEqual({ ...pending, status: 'confirmed' });
  });
});

describe('a reorganization', () => {
  it('reverts the trades of the dropped block after another header of the same number', () => {
    expect(statuses(tradesOf([...MATCH, header(100, 'b', 'a')]))).toEqual(['5 pending', '5 reverted']);
  });

  it('reverts every block from a lower header on, the newest trade first', () => {
    const trades = tradesOf([
      ...MATCH,
      header(101),
      makerLeg({ block: 101, tx: 'second', logIndex: 7 }),
      makerLeg({ block: 101, tx: 'second', logIndex: 8 }),
      takerLeg({ block: 101, tx: 'second' }),
      header(102),
      header(100, 'b', 'a'),
    ]);
    expect(statuses(trades).slice(3)).toEqual(['8 reverted', '7 reverted', '5 reverted']);
  });

  it('reverts the stored block below a header with another parent', () => {
    expect(statuses(tradesOf([...MATCH, header(101, 'b')]))).toEqual(['5 pending', '5 reverted']);
  });

  it('is not assumed for a gap, nor for a repeated header', () => {
    expect(statuses(tradesOf([...MATCH, header(150, 'b')]))).toEqual(['5 pending']);
    expect(statuses(tradesOf([...MATCH, header(101), header(100), header(101)]))).toEqual(['5 pending']);
  });

  it('reverts a confirmed trade too', () => {
    expect(statuses(tradesOf([...MATCH, header(164), header(100, 'b', 'a')]))).toEqual([
      '5 pending',
      '5 confirmed',
      '5 reverted',
    ]);
  });

  it('emits a trade that is included again as pending under the same id', () => {
    const trades = tradesOf(MOVED);
    expect(statuses(trades)).toEqual(['5 pending', '5 reverted', '5 pending']);
    expect(trades[2]).toMatchObject({ id: trades[0]!.id, blockNumber: 101, blockHash: hashOf('101b'), arrival: 2 });
  });

  it('confirms a trade that was included again by the depth of its new block', () => {
    expect(statuses(tradesOf([...MOVED, header(164)])).at(-1)).toBe('5 pending');
    expect(statuses(tradesOf([...MOVED, header(165)])).at(-1)).toBe('5 confirmed');
  });

  it('reverts a trade whose log comes from another block, if a gap has no header that shows it', () => {
    const again = { block: 103, fork: 'b' } as const;
    const trades = tradesOf([...MATCH, header(103, 'b'), makerLeg(again), takerLeg(again)]);
    expect(statuses(trades)).toEqual(['5 pending', '5 reverted', '5 pending']);
    expect(trades[1]!.blockNumber).toBe(100);
  });

  it('emits the trade and its reversal if it drops the block with the open transaction', () => {
    expect(statuses(tradesOf([header(100), makerLeg(), header(100, 'b', 'a')]))).toEqual(['5 pending', '5 reverted']);
  });

  it('reverts each trade once by removed logs, whether the header comes before or after', () => {
    const removed = makerLeg({ removed: true });
    const drop = header(100, 'b', 'a');
    expect(statuses(tradesOf([...MATCH, removed, drop, removed]))).toEqual(['5 pending', '5 reverted']);
    expect(statuses(tradesOf([...MATCH, drop, removed]))).toEqual(['5 pending', '5 reverted']);
    expect(tradesOf([header(100), makerLeg(), removed, takerLeg(), header(101)])).toEqual([]);
  });

  it('is not assumed for a removed log of a block that no longer contains the trade', () => {
    expect(statuses(tradesOf([...MOVED, makerLeg({ removed: true })])).at(-1)).toBe('5 pending');
  });
});

describe('a repeated log', () => {
  it('emits nothing, before and after its trade is confirmed', () => {
    expect(tradesOf([...MATCH, makerLeg(), takerLeg(), header(101)])).toHaveLength(1);
    expect(tradesOf([header(100), makerLeg(), makerLeg(), takerLeg()])).toHaveLength(1);
    expect(tradesOf([...MATCH, header(200), makerLeg(), takerLeg(), header(201)])).toHaveLength(2);
  });
});

describe('the stored part of the chain', () => {
  it('is bounded by the newest headers and by unconfirmed records', () => {
    const { state } = play([...MATCH, ...headers(101, 100 + RETAINED_HEADERS)]);
    expect(state.chain.blocks.size).toBe(RETAINED_HEADERS);
    expect(state.trades.known.size).toBe(0);
    const unconfirmed = play([...MATCH, ...headers(101, 100 + RETAINED_HEADERS)], { confirmations: 1_000 });
    expect(unconfirmed.state.chain.blocks.has(100)).toBe(true);
    expect(unconfirmed.state.chain.blocks.has(101)).toBe(false);
    expect(unconfirmed.state.trades.known.size).toBe(1);
  });

  it('is not dropped by a header below all of it', () => {
    const { dead, state } = play([...headers(100, 99 + RETAINED_HEADERS), header(50, 'b')]);
    expect(dead.map(({ reason }) => reason)).toEqual(['stale_header']);
    expect(state.chain.blocks.size).toBe(RETAINED_HEADERS);
    const early = play([...headers(100, 98 + RETAINED_HEADERS), header(50, 'b')]);
    expect(early.dead).toEqual([]);
    expect([...early.state.chain.blocks.keys()]).toEqual([50]);
  });
});

describe('a malformed record', () => {
  const changedLog = (change: (log: { data: string; topics: string[] }) => void) => {
    const { log } = JSON.parse((makerLeg().value as RawEnvelope).payload.toString());
    change(log);
    return raw('rpc', blockAt(100), { log });
  };
  const withData = (data: string) => changedLog((log) => Object.assign(log, { data }));
  const withTaker = (taker: `0x${string}`) => changedLog((log) => log.topics.splice(3, 1, pad(taker, { size: 32 })));
  const good = [makerLeg({ tx: 'good', logIndex: 20 }), takerLeg({ tx: 'good', logIndex: 21 })];
  it.each<[string, AnyRecord, RegExp]>([
    ['malformed_json', raw('rpc', blockAt(100), '{"block":'), /JSON/],
    ['malformed_message', raw('rpc', blockAt(100), {}), /expected block, log, finalized, complete or collateral/],
    ['malformed_message', raw('rpc', blockAt(100), { finalized: 100 }), /finalized: 100/],
    ['malformed_header', raw('rpc', blockAt(100), { block: { number: 100 } }), /number: 100/],
    ['malformed_log', raw('rpc', blockAt(100), { log: { topics: 'none' } }), /topics/],
    ['malformed_log', withData('0x00'), /1 bytes, expected at least 224/],
    ['malformed_log', withTaker('0xe2222d279d744050d28e00520010520000310f59'), /not the one that emitted the log/],
    ['zero_quantity', makerLeg({ qty: 0, usd: 0 }), /quantity 0/],
    ['price_above_one', makerLeg({ usd: 10_000_001 }), /10000001/],
    ['log_of_unknown_block', makerLeg({ fork: 'b' }), /stored block 100 is/],
    ['log_of_unknown_block', makerLeg({ block: 99 }), /99 is not stored/],
  ])('is a dead letter %s, and later records are processed', (reason, bad, detail) => {
    const { dead, trades } = play([header(100), bad, ...good]);
    expect(dead).toEqual([{ reason, detail: expect.stringMatching(detail) }]);
    expect(statuses(trades)).toEqual(['20 pending']);
  });

  it('is none of a log of another event', () => {
    const log = { address: EXCHANGE, topics: [hashOf('other')], data: '0x' };
    const place = { blockNumber: '0x64', blockHash: hashOf('100a'), transactionHash: hashOf('t'), logIndex: '0x1' };
    expect(play([header(100), raw('rpc', blockAt(100), { log: { ...log, ...place } })])).toMatchObject({
      trades: [],
      dead: [],
    });
  });
});

describe('a restart between any two records', () => {
  it('does not change the outputs', () => {
    const records = [
      ...[header(100), makerLeg(), makerLeg({ logIndex: 6, side: 'buy', token: NO }), takerLeg()],
      ...[header(100, 'b', 'a'), header(101, 'b'), makerLeg(AGAIN), takerLeg(AGAIN), header(165), clock(blockAt(166))],
    ];
    expect(play(records, { restarts: true }).trades).toEqual(play(records).trades);
  });
});
