import { stringToHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { RETAINED_HEADERS } from './chain-view.ts';
import { ADDRESS, type LogPlace, PRICE, settlementLog, YES_OR_NO } from './oracle-logs.fixture.ts';
import { at, CONDITION, market, PROPOSER, phasesOf, propose, QUESTION, REQUEST, resolve } from './questions.fixture.ts';
import { type AnyRecord, accountOf, blockAt, fill, hashOf, header, headers, play, raw } from './venue-b.fixture.ts';

const DISPUTER = accountOf('disputer');
const disputeArgs = { ...REQUEST, proposer: PROPOSER, disputer: DISPUTER, proposedPrice: PRICE.no };
const settleArgs = { ...REQUEST, proposer: PROPOSER, disputer: DISPUTER, price: PRICE.half, payout: 1n };

describe('a dispute phase', () => {
  it('is emitted with the values on the chain', () => {
    expect(phasesOf([propose()])).toEqual([
      {
        id: `venue_b:${hashOf('tx')}:3`,
        provider: 'venue_b',
        marketId: CONDITION,
        questionId: QUESTION,
        phase: 'propose',
        requestTimestamp: 1_700_000_000,
        proposer: PROPOSER,
        disputer: null,
        price: '1',
        ts: blockAt(100),
        receivedAt: blockAt(100),
        blockNumber: 100,
        blockHash: hashOf('100a'),
        txHash: hashOf('tx'),
        logIndex: 3,
        status: 'pending',
      },
    ]);
  });

  it('is a proposal, a dispute of it, or a settlement, of either oracle', () => {
    const phases = phasesOf([
      propose({}, { address: ADDRESS.managedOracle }),
      settlementLog('DisputePrice', disputeArgs, at({ logIndex: 4 })),
      settlementLog('Settle', settleArgs, at({ logIndex: 5 })),
      settlementLog('Settle', { ...settleArgs, disputer: ADDRESS.none }, at({ logIndex: 6 })),
    ]);
    expect(phases.map(({ phase, price, proposer, disputer }) => [phase, price, proposer, disputer])).toEqual([
      ['propose', '1', PROPOSER, null],
      ['dispute', '0', PROPOSER, DISPUTER],
      ['settle', '0.5', PROPOSER, DISPUTER],
      ['settle', '0.5', PROPOSER, null],
    ]);
  });

  it.each([
    [PRICE.yes, YES_OR_NO, '1'],
    [PRICE.no, YES_OR_NO, '0'],
    [PRICE.half, YES_OR_NO, '0.5'],
    [PRICE.ignore, YES_OR_NO, 'ignore'],
    [2n, YES_OR_NO, null],
    [-1n, YES_OR_NO, null],
    // For example scores of a match, where 0 does not mean no.
    [PRICE.no, stringToHex('MULTIPLE_VALUES', { size: 32 }), null],
  ])('has for the price %s of a %s the answer %s', (proposedPrice, identifier, answer) => {
    expect(phasesOf([propose({ proposedPrice, identifier })])[0]).toMatchObject({ price: answer });
  });

  it('is not emitted for another requester, another contract or another event', () => {
    const { phases, dead } = play([
      header(100),
      propose({ requester: accountOf('another project') }),
      propose({}, { address: accountOf('another contract') }),
      settlementLog(
        'RequestPrice',
        { ...REQUEST, currency: ADDRESS.none, reward: 1n, finalFee: 1n },
        at({ logIndex: 4 }),
      ),
    ]);
    expect({ phases, dead }).toEqual({ phases: [], dead: [] });
  });

  it('is a dead letter if it cannot be read, and its siblings are processed', () => {
    const bad = (data: string, topic?: string) => {
      const log = JSON.parse((propose().value as { payload: Buffer }).payload.toString()).log;
      if (topic) log.topics[2] = topic;
      return raw('rpc', blockAt(100), { log: { ...log, data: data || log.data } });
    };
    const words = (...values: bigint[]) => `0x${values.map((each) => each.toString(16).padStart(64, '0')).join('')}`;
    const { phases, dead } = play([
      header(100),
      bad('0x'),
      bad(words(0n, 1n, 4096n, 0n)),
      bad(words(0n, 1n, 129n, 0n, 0n)),
      bad(words(0n, 1n, 128n, 0n, 2n ** 200n)),
      bad(words(0n, 2n ** 60n, 128n, 0n, 0n)),
      bad('', '0x01'),
      propose({}, { block: 101 }),
      propose(),
    ]);
    expect(dead.map(({ reason }) => reason)).toEqual([...Array(6).fill('malformed_log'), 'log_of_unknown_block']);
    expect(phases).toHaveLength(1);
  });
});

describe('a resolution', () => {
  it('pays each token its share, at the time of the block', () => {
    const { resolutions } = play([header(100), market('77', CONDITION), resolve([1n, 0n])]);
    expect(resolutions).toEqual([
      {
        id: `venue_b:${hashOf('tx')}:3`,
        provider: 'venue_b',
        marketId: CONDITION,
        payouts: ['1', '0'],
        resolvedAt: blockAt(100),
        decidedAfter: null,
        receivedAt: blockAt(100),
        endTime: Date.UTC(2031, 0, 2, 3, 4, 5),
        txHash: hashOf('tx'),
        logIndex: 3,
        blockNumber: 100,
        blockHash: hashOf('100a'),
        status: 'pending',
      },
    ]);
  });

  it.each([
    [
      [0, 1],
      ['0', '1'],
    ],
    [
      [1, 1],
      ['0.5', '0.5'],
    ],
    [
      [1_000_000, 3_000_000],
      ['0.25', '0.75'],
    ],
    [
      [1, 2],
      ['0.333333333333333333', '0.666666666666666667'],
    ],
  ])('with the numerators %j pays %j', (numerators, payouts) => {
    expect(play([header(100), resolve(numerators.map(BigInt))]).resolutions).toMatchObject([
      { payouts, endTime: null },
    ]);
  });

  it('is not emitted for three outcomes, for zero payouts, or by another contract', () => {
    const { resolutions, dead } = play([
      header(100),
      resolve([1n, 0n, 0n]),
      resolve([0n, 0n]),
      resolve([1n, 0n, 0n], {}, 2n),
      resolve([1n, 0n], { address: accountOf('another contract') }),
    ]);
    expect(resolutions).toEqual([]);
    expect(dead.map(({ reason }) => reason)).toEqual(['unsupported_slots', 'malformed_log', 'malformed_log']);
  });

  it('gets its deadline if the catalog lists it before the confirmation', () => {
    const { resolutions } = play([header(100), resolve([1n, 0n]), market('77', CONDITION), ...headers(101, 164)]);
    expect(resolutions.map(({ endTime, status }) => [endTime, status])).toEqual([
      [null, 'pending'],
      [Date.UTC(2031, 0, 2, 3, 4, 5), 'confirmed'],
    ]);
  });
});

describe('phases and resolutions', () => {
  const statuses = (records: AnyRecord[]) => {
    const { phases, resolutions } = play(records, { restarts: true });
    const of = (list: readonly { status: string; blockHash: string | null }[]) =>
      list.map(({ status, blockHash }) => `${status} ${blockHash === hashOf('100a') ? 'a' : 'b'}`);
    expect(of(resolutions)).toEqual(of(phases));
    return of(phases);
  };
  const both = (place: Partial<LogPlace> = {}) => [propose({}, place), resolve([1n, 0n], { ...place, logIndex: 4 })];

  it('are confirmed once by depth or by the node, also when they come late', () => {
    expect(statuses([header(100), ...both(), ...headers(101, 163)])).toEqual(['pending a']);
    expect(statuses([header(100), ...both(), ...headers(101, 170)])).toEqual(['pending a', 'confirmed a']);
    expect(statuses([header(100), ...both(), raw('rpc', 1, { finalized: '0x64' })])).toEqual([
      'pending a',
      'confirmed a',
    ]);
    expect(statuses([...headers(100, 170), ...both()])).toEqual(['pending a', 'confirmed a']);
  });

  it('are emitted once, however often the log comes', () => {
    expect(statuses([header(100), ...both(), ...both()])).toEqual(['pending a']);
  });

  it('are reverted by a reorganization, and emitted as new when they are included again', () => {
    expect(statuses([header(100), ...both(), header(100, 'b')])).toEqual(['pending a', 'reverted a']);
    expect(statuses([header(100), ...both(), header(100, 'b'), ...both({ fork: 'b' })])).toEqual([
      'pending a',
      'reverted a',
      'pending b',
    ]);
  });

  it('are reverted once when the node removes the log', () => {
    expect(statuses([header(100), ...both(), ...both({ removed: true }), header(100, 'b')])).toEqual([
      'pending a',
      'reverted a',
    ]);
  });

  it('are removed from memory, but not reverted, once their block is deep', () => {
    const { state } = play([header(100), ...both(), ...headers(101, 101 + RETAINED_HEADERS)]);
    expect([state.phases.known.size, state.phases.unassigned.size, state.resolutions.size]).toEqual([0, 0, 0]);
  });

  it('end the legs of an earlier transaction, but not those of their own', () => {
    const leg = (tx: string, logIndex: number, taker: string | null) => {
      const terms = { token: 1n, usd: 1, qty: 2, side: taker ? ('buy' as const) : ('sell' as const) };
      return fill({ block: 100, tx, logIndex, maker: taker ? 'alice' : 'bob', taker, ...terms });
    };
    const { trades } = play([header(100), leg('before', 0, 'bob'), leg('tx', 1, 'bob'), propose(), leg('tx', 5, null)]);
    expect(trades.map(({ id, taker }) => [id.split(':')[2], taker])).toEqual([
      ['0', accountOf('bob')],
      ['1', accountOf('bob')],
    ]);
  });
});
