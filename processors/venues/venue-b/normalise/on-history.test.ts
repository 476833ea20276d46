import { describe, expect, it } from 'vitest';
import type { Trade } from '#schemas/topics/normalised';
import { encodeConditionResolution } from '#schemas/venues/venue-b/oracle-logs';
import { encodeTokenAction } from '#schemas/venues/venue-b/position-logs';
import { RETAINED_HEADERS } from './chain-view.ts';
import { placed } from './position-logs.fixture.ts';
import {
  type AnyRecord,
  accountOf,
  blockAt,
  EXCHANGE,
  type FillOptions,
  fill,
  hashOf,
  header,
  headers,
  play,
  raw,
} from './venue-b.fixture.ts';

const NOW = blockAt(1_010);
const FOLLOWED_FROM = 1_000;
const YES = 111n;
const NO = 222n;

const logOf = (options: FillOptions) => JSON.parse((fill(options).value as { payload: Buffer }).payload.toString()).log;

/** Alice sells 10 YES at 0.62 to bob, and bob's own log. */
const match = (block: number, change: Partial<FillOptions> = {}) => {
  const leg: FillOptions = {
    block,
    tx: `tx${block}`,
    logIndex: 5,
    maker: 'alice',
    taker: 'bob',
    side: 'sell',
    token: YES,
    usd: 6_200_000,
    qty: 10_000_000,
    ...change,
  };
  return [leg, { ...leg, logIndex: 9, maker: 'bob', taker: null, side: 'buy', token: YES } satisfies FillOptions];
};

interface Change {
  readonly fork?: string;
  readonly followedFrom?: number;
  readonly receivedAt?: number;
}
const backfilled = (
  block: number,
  legs: readonly FillOptions[] = match(block),
  { fork = 'a', followedFrom = FOLLOWED_FROM, receivedAt = NOW }: Change = {},
): AnyRecord =>
  raw('history', receivedAt, {
    followedFrom,
    block: {
      number: `0x${block.toString(16)}`,
      hash: hashOf(`${block}${fork}`),
      timestamp: `0x${(blockAt(block) / 1000).toString(16)}`,
    },
    logs: legs.map((leg) => logOf({ ...leg, fork })),
  });
const brief = (trades: Trade[]) => trades.map(({ blockNumber, logIndex, status }) => [blockNumber, logIndex, status]);

describe('a transaction from before the chain was followed', () => {
  it('becomes a trade at its own time from the taker’s view, on the topic of backfilled trades only', () => {
    const { backfilledTrades, trades, frames, dead } = play([header(1_000), backfilled(500)]);
    expect(backfilledTrades).toEqual([
      {
        id: `venue_b:${hashOf('tx500')}:5`,
        provider: 'venue_b',
        marketId: null,
        instrument: '111',
        outcome: null,
        ts: blockAt(500),
        receivedAt: NOW,
        arrival: 5,
        side: 'buy',
        price: '0.62',
        qty: '10',
        usd: '6.2',
        maker: accountOf('alice'),
        taker: accountOf('bob'),
        txHash: hashOf('tx500'),
        logIndex: 5,
        tradeId: null,
        blockNumber: 500,
        blockHash: hashOf('500a'),
        status: 'confirmed',
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
    expect([trades, frames, dead]).toEqual([[], [], []]);
  });

  it('gives the trade that following its block would have given', () => {
    const legs = [
      ...match(500).slice(0, 1),
      {
        ...match(500)[0]!,
        logIndex: 6,
        maker: 'carol',
        side: 'buy',
        token: NO,
        usd: 1_900_000,
        qty: 5_000_000,
      } as const,
      match(500)[1]!,
    ];
    const live = play([header(500), ...legs.map((leg) => fill(leg))]).trades;
    const { backfilledTrades } = play([header(1_000), backfilled(500, legs)]);
    const same = ({ arrival: _a, receivedAt: _r, status: _s, ...rest }: Trade) => rest;
    expect(backfilledTrades.map(same)).toEqual(live.map(same));
    expect(live).toHaveLength(2);
  });

  it('is emitted once, however often a backfill finds it, and for whichever wallet', () => {
    const records = [
      header(1_000),
      backfilled(500),
      backfilled(500),
      backfilled(500, match(500), { receivedAt: NOW + 60_000 }),
    ];
    expect(play(records).backfilledTrades).toHaveLength(1);
    expect(play(records, { restarts: true }).backfilledTrades).toEqual(play(records).backfilledTrades);
  });

  it('adds nothing where the chain is followed, even if its headers are no longer stored', () => {
    const followed = [
      header(1_000),
      ...match(1_000).map((leg) => fill(leg)),
      ...headers(1_001, 1_001 + RETAINED_HEADERS),
    ];
    const { trades, backfilledTrades, dead } = play([...followed, backfilled(1_000)]);
    expect(brief(trades)).toEqual([
      [1_000, 5, 'pending'],
      [1_000, 5, 'confirmed'],
    ]);
    expect([backfilledTrades, dead]).toEqual([[], []]);
  });

  it('does not affect a transaction that is being received', () => {
    const [leg, own] = match(1_000);
    const { trades } = play([header(1_000), fill(leg!), backfilled(500), fill(own!)]);
    expect(brief(trades)).toEqual([[1_000, 5, 'pending']]);
    expect(trades[0]!.arrival).toBe(1);
  });

  it('is pending until its block is deep enough', () => {
    const { backfilledTrades } = play([header(1_000), backfilled(998), ...headers(1_001, 1_004)], { confirmations: 5 });
    expect(brief(backfilledTrades)).toEqual([
      [998, 5, 'pending'],
      [998, 5, 'confirmed'],
    ]);
  });

  it('is reverted if a reorganization reaches below the followed blocks, and emitted when it is found again', () => {
    const records = [
      header(1_000),
      backfilled(998),
      backfilled(400),
      header(1_000, 'b', 'b'),
      backfilled(998, match(998), { fork: 'b' }),
      header(1_001, 'b'),
    ];
    const { backfilledTrades } = play(records, { confirmations: 50 });
    expect(backfilledTrades.map(({ blockHash, status }) => [blockHash, status])).toEqual([
      [hashOf('998a'), 'pending'],
      [hashOf('400a'), 'confirmed'],
      [hashOf('998a'), 'reverted'],
      [hashOf('998b'), 'pending'],
    ]);
  });

  it('is not reverted if a reorganization replaces only the first followed block', () => {
    const { backfilledTrades } = play([header(1_000), backfilled(998), header(1_000, 'b', 'a')], { confirmations: 50 });
    expect(brief(backfilledTrades)).toEqual([[998, 5, 'pending']]);
  });

  it('lowers the first followed block to the one that the record states', () => {
    const records = [header(1_500), backfilled(1_200), backfilled(900)];
    expect(brief(play(records).backfilledTrades)).toEqual([[900, 5, 'confirmed']]);
  });

  it('gets its market once the catalog lists its token', () => {
    const market = {
      conditionId: hashOf('m'),
      question: 'Will it?',
      clobTokenIds: '["111","222"]',
      outcomes: '["Yes","No"]',
    };
    const { backfilledTrades } = play([header(1_000), backfilled(500), raw('gamma', NOW, { markets: [market] })]);
    expect(backfilledTrades.map(({ marketId, outcome }) => [marketId, outcome])).toEqual([
      [null, null],
      [hashOf('m'), 'Yes'],
    ]);
  });

  it.each([
    ['malformed_json', '{'],
    ['malformed_history', { followedFrom: 1_000, logs: [] }],
    ['malformed_history', { followedFrom: 'x', block: {}, logs: [] }],
  ])('is a dead letter if it cannot be read: %s', (reason, payload) => {
    const { backfilledTrades, dead } = play([header(1_000), raw('history', NOW, payload)]);
    expect(dead.map(({ reason: found }) => found)).toEqual([reason]);
    expect(backfilledTrades).toEqual([]);
  });

  it('is a dead letter if one of its logs is of another block or no valid fill', () => {
    const [leg, own] = match(500);
    const otherBlock = backfilled(500, [leg!, { ...own!, block: 501 }]);
    const overpriced = backfilled(500, [leg!, { ...own!, exchange: EXCHANGE, usd: 20_000_000 }]);
    const { backfilledTrades, dead } = play([header(1_000), otherBlock, overpriced]);
    expect(dead.map(({ reason }) => reason)).toEqual(['malformed_history', 'price_above_one']);
    expect(backfilledTrades).toEqual([]);
  });
});

describe('the events of the wallet that was searched', () => {
  const wallet = accountOf('alice');
  const forWallet = (record: AnyRecord, ledger?: number): AnyRecord => ({
    ...record,
    value: { ...(record.value as object), request: JSON.stringify({ wallet, ledger }) },
  });
  const split = encodeTokenAction('split', { stakeholder: wallet, conditionId: hashOf('c'), units: 5_000_000n });
  const withMove = (block: number, fork = 'a'): AnyRecord => {
    const record = backfilled(block, [match(block)[0]!], { fork });
    const payload = JSON.parse((record.value as { payload: Buffer }).payload.toString());
    payload.logs.push(placed(split, { block, fork, tx: `tx${block}`, logIndex: 20 }));
    return forWallet(raw('history', NOW, payload));
  };
  const found = (records: readonly AnyRecord[]) =>
    play(records).backfilledEvents.map(({ account, trade, move }) => [
      account === wallet,
      trade?.id ?? move?.id,
      (trade ?? move)?.status,
    ]);

  it('are emitted from blocks that are followed too, where the trades table gains nothing', () => {
    const records = [...headers(1_000, 1_100), withMove(500), withMove(1_010), withMove(1_090)];
    expect(found(records)).toEqual([
      [true, `venue_b:${hashOf('tx500')}:5`, 'confirmed'],
      [true, `venue_b:${hashOf('tx500')}:20`, 'confirmed'],
      [true, `venue_b:${hashOf('tx1010')}:5`, 'confirmed'],
      [true, `venue_b:${hashOf('tx1010')}:20`, 'confirmed'],
      [true, `venue_b:${hashOf('tx1090')}:5`, 'pending'],
      [true, `venue_b:${hashOf('tx1090')}:20`, 'pending'],
    ]);
    expect(play(records).backfilledTrades.map(({ blockNumber }) => blockNumber)).toEqual([500]);
  });

  it('name the ledger for which they were requested', () => {
    const ledgers = (records: readonly AnyRecord[]) => play(records).backfilledEvents.map(({ ledger }) => ledger);
    expect(ledgers([...headers(1_000, 1_001), forWallet(backfilled(500, [match(500)[0]!]), 7)])).toEqual([7]);
    expect(ledgers([...headers(1_000, 1_001), forWallet(backfilled(500, [match(500)[0]!]))])).toEqual([null]);
  });

  it('are left out where the followed chain has another block, or is not there yet', () => {
    expect(found([...headers(1_000, 1_100), withMove(1_090, 'b'), withMove(1_101)])).toEqual([]);
  });

  it('contain how a market was resolved before the chain was followed, which no other topic states', () => {
    const resolution = encodeConditionResolution({
      conditionId: hashOf('c'),
      oracle: wallet,
      questionId: hashOf('q'),
      numerators: [0n, 1n],
    });
    const withResolution = (log: object): AnyRecord => {
      const payload = JSON.parse((backfilled(500, []).value as { payload: Buffer }).payload.toString());
      return forWallet(raw('history', NOW, { ...payload, logs: [log] }));
    };
    const log = placed(resolution, { block: 500, fork: 'a', tx: 'tx500', logIndex: 7 });
    const { backfilledEvents, resolutions, dead } = play([...headers(1_000, 1_100), withResolution(log)]);
    expect(backfilledEvents).toMatchObject([
      {
        account: wallet,
        trade: null,
        move: null,
        resolution: {
          id: `venue_b:${hashOf('tx500')}:7`,
          marketId: hashOf('c'),
          payouts: ['0', '1'],
          resolvedAt: blockAt(500),
          blockNumber: 500,
          status: 'confirmed',
        },
      },
    ]);
    expect([resolutions, dead]).toEqual([[], []]);
    const malformed = withResolution({ ...log, data: `0x${'0'.repeat(64)}` });
    expect(play([header(1_000), malformed]).dead.map(({ reason }) => reason)).toEqual(['malformed_log']);
  });

  it('are none of other accounts, and none where a log is malformed', () => {
    const other = forWallet(backfilled(1_010, match(1_010, { maker: 'carol' })));
    const record = withMove(1_020);
    const payload = JSON.parse((record.value as { payload: Buffer }).payload.toString());
    payload.logs[1].data = payload.logs[1].data.slice(0, -64);
    const broken = forWallet(raw('history', NOW, payload));
    const { backfilledEvents, dead } = play([...headers(1_000, 1_100), other, broken]);
    expect([backfilledEvents, dead.map(({ reason }) => reason)]).toEqual([[], ['malformed_log']]);
  });
});
