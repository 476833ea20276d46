import { concat, keccak256, pad, stringToHex } from 'viem';
import { describe, expect, it } from 'vitest';
import type { DisputePhase } from '#schemas/topics/oracle';
import { defaultBatchSize } from '../../../shared/drop-oldest.ts';
import { createCatalogState } from './catalog-state.ts';
import { RETAINED_HEADERS } from './chain-view.ts';
import { assignPhaseMarket, createEmittedPhases, emitNewPhase, UNASSIGNED_PHASES_MAX } from './emitted-phases.ts';
import { ADDRESS, type LogPlace, PRICE, requestOf, settlementLog, YES_OR_NO } from './oracle-logs.fixture.ts';
import { addPreparedRequest, PREPARED_REQUESTS_MAX } from './prepared-requests.ts';
import { type AnyEvent, accountOf, blockAt, fill, hashOf, header, play, raw } from './venue-b.fixture.ts';

const [PROPOSER, DISPUTER] = [accountOf('proposer'), accountOf('disputer')];
const TEXT =
  'q: title: Will it rain?, description: “Rain”\nmeans rain.,initializer:91430cad2d3975766499717fa0d66a78d814e5c5';
const conditionOf = (oracle: string, questionId: string) =>
  keccak256(concat([oracle as `0x${string}`, questionId as `0x${string}`, pad('0x02', { size: 32 })]));
const QUESTION = keccak256(stringToHex(TEXT));
const CONDITION = conditionOf(ADDRESS.adapterV2, QUESTION);
const REQUEST = requestOf(TEXT);
const NEG_RISK = requestOf(TEXT, { requester: ADDRESS.negRiskUma });
const NEG_RISK_QUESTION = `${hashOf('a neg-risk market').slice(0, -2)}07`;
const NEG_RISK_CONDITION = conditionOf(ADDRESS.negRiskAdapter, NEG_RISK_QUESTION);

const at = (change: Partial<LogPlace> = {}): LogPlace => ({ block: 100, tx: 'tx', logIndex: 3, ...change });
const proposeArgs = {
  ...REQUEST,
  proposer: PROPOSER,
  proposedPrice: PRICE.yes,
  expirationTimestamp: 9n,
  currency: ADDRESS.none,
};
const propose = (change: Record<string, unknown> = {}, place: Partial<LogPlace> = {}) =>
  settlementLog('ProposePrice', { ...proposeArgs, ...change }, at(place));
const disputeArgs = { ...REQUEST, proposer: PROPOSER, disputer: DISPUTER, proposedPrice: PRICE.no };
const settleArgs = { ...REQUEST, proposer: PROPOSER, disputer: DISPUTER, price: PRICE.half, payout: 1n };
const resolve = (numerators: bigint[], place: Partial<LogPlace> = {}, slots = BigInt(numerators.length)) =>
  settlementLog(
    'ConditionResolution',
    { conditionId: CONDITION, oracle: ADDRESS.adapterV2, questionId: QUESTION, slots, payoutNumerators: numerators },
    at({ address: ADDRESS.tokens, ...place }),
  );
const prepare = (place: Partial<LogPlace> = {}, questionId = NEG_RISK_QUESTION) =>
  settlementLog(
    'QuestionPrepared',
    { marketId: hashOf('m'), questionId, requestId: QUESTION, index: 7n, data: '0x' },
    at({ address: ADDRESS.operator, logIndex: 1, ...place }),
  );
const market = (id: string, conditionId: string, change: Record<string, unknown> = {}) =>
  raw('gamma', blockAt(101), [
    {
      id,
      conditionId,
      clobTokenIds: '["11","22"]',
      outcomes: '["Yes","No"]',
      endDate: '2031-01-02T03:04:05Z',
      ...change,
    },
  ]);
const headers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, step) => header(from + step));
const phasesOf = (events: AnyEvent[], restarts = false) => play([header(100), ...events], { restarts }).phases;
const brief = ({ phase, marketId, status }: DisputePhase) => `${phase} ${marketId?.slice(0, 6)} ${status}`;

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

describe('the market of a dispute phase', () => {
  const named = (n: number, more = '') => requestOf(`${more}q: title: X market_id: ${n} res_data: p1: 0`);

  it('is the one that its text names, for any requester, and the last one if the description names others', () => {
    const condition = hashOf('condition');
    const [first] = phasesOf([market('77', condition), propose(named(77, 'market_id: 5 '))]);
    expect(first?.marketId).toBe(condition);
    const asked = { ...NEG_RISK, ancillaryData: named(77).ancillaryData };
    expect(phasesOf([market('77', condition), propose(asked)])[0]?.marketId).toBe(condition);
  });

  it('is computed by the formula if the catalog lacks the name', () => {
    const request = named(78);
    const marketId = conditionOf(ADDRESS.adapterV2, keccak256(request.ancillaryData));
    expect(phasesOf([market('77', hashOf('condition')), propose(request)])[0]?.marketId).toBe(marketId);
  });

  it('is emitted again if the catalog later lists the name as another market, and not as the same', () => {
    const request = named(78);
    const marketId = conditionOf(ADDRESS.adapterV2, keccak256(request.ancillaryData));
    const other = phasesOf([propose(request), market('78', hashOf('condition'))], true);
    expect(other.map((phase) => phase.marketId)).toEqual([marketId, hashOf('condition')]);
    const { phases, state } = play([header(100), propose(request), market('78', marketId)]);
    expect([phases.length, state.phases.unassigned.size, state.phases.idsByName.size]).toEqual([1, 0, 0]);
  });

  it('is never computed by the formula for a neg-risk request', () => {
    expect(phasesOf([propose(NEG_RISK)])).toMatchObject([{ marketId: null, questionId: QUESTION }]);
  });

  it('is the one of the prepared question for a neg-risk request', () => {
    expect(phasesOf([prepare(), propose(NEG_RISK)], true).map(brief)).toEqual([
      `propose ${NEG_RISK_CONDITION.slice(0, 6)} pending`,
    ]);
  });

  it('is emitted under the same id, once, if the question is prepared later', () => {
    const phases = phasesOf([propose(NEG_RISK), prepare(), prepare({ logIndex: 2 })], true);
    expect(phases.map(({ marketId }) => marketId)).toEqual([null, NEG_RISK_CONDITION]);
    expect(phases[1]?.id).toBe(phases[0]?.id);
  });

  it.each([
    ['its name', market('77', NEG_RISK_CONDITION), { ...NEG_RISK, ancillaryData: named(77).ancillaryData }],
    [
      'its request',
      market('77', NEG_RISK_CONDITION, { negRiskRequestID: QUESTION.toUpperCase().replace('0X', '0x') }),
      NEG_RISK,
    ],
  ])('is emitted when the catalog lists %s, also after the block is confirmed', (_, catalog, request) => {
    const early = phasesOf([propose(request), catalog], true);
    expect(early.map(({ marketId, status }) => [marketId, status])).toEqual([
      [null, 'pending'],
      [NEG_RISK_CONDITION, 'pending'],
    ]);
    const phases = phasesOf([propose(request), ...headers(101, 164), catalog, catalog]);
    expect(phases.map(({ marketId, status }) => [marketId, status])).toEqual([
      [null, 'pending'],
      [null, 'confirmed'],
      [NEG_RISK_CONDITION, 'confirmed'],
    ]);
    const forgotten = phasesOf([propose(request), ...headers(101, 101 + RETAINED_HEADERS), catalog]);
    expect(forgotten.at(-1)).toMatchObject({ marketId: NEG_RISK_CONDITION, status: 'confirmed' });
  });

  it('is unknown again if the block that prepared the question is dropped, unless the catalog lists it', () => {
    const known = market('77', NEG_RISK_CONDITION, { negRiskRequestID: QUESTION });
    const story = [propose(NEG_RISK), header(101), prepare({ block: 101 }), header(101, 'b', 'a')];
    expect(phasesOf(story, true).map(({ marketId }) => marketId)).toEqual([null, NEG_RISK_CONDITION, null]);
    const again = prepare({ block: 101, fork: 'b' }, `${NEG_RISK_QUESTION.slice(0, -2)}08`);
    expect(phasesOf([...story, again]).at(-1)?.marketId).toBe(
      conditionOf(ADDRESS.negRiskAdapter, `${NEG_RISK_QUESTION.slice(0, -2)}08`),
    );
    expect(phasesOf([known, ...story]).map(({ marketId }) => marketId)).toEqual([NEG_RISK_CONDITION]);
    const removed = [propose(NEG_RISK), prepare(), prepare({ removed: true })];
    expect(phasesOf(removed).map(({ marketId }) => marketId)).toEqual([null, NEG_RISK_CONDITION, null]);
  });

  it('is awaited for a bounded number of phases, and prepared questions are bounded, too', () => {
    const phases = createEmittedPhases();
    const emitted: DisputePhase[] = [];
    const emit = Object.assign((_: unknown, __: string, value: unknown) => void emitted.push(value as DisputePhase), {
      remove: () => {},
      deadLetter: () => {},
    });
    const [phase] = phasesOf([propose(NEG_RISK)]);
    for (let n = 0; n <= UNASSIGNED_PHASES_MAX; n += 1) {
      const ids = { questionId: hashOf(`${n}`), gammaId: `${n}`, conditionId: null };
      emitNewPhase(
        phases,
        createCatalogState(),
        { ids, phase: { ...phase!, id: `${n}`, questionId: ids.questionId } },
        emit,
      );
    }
    const removed = defaultBatchSize(UNASSIGNED_PHASES_MAX);
    const left = UNASSIGNED_PHASES_MAX + 1 - removed;
    expect([phases.unassigned.size, phases.idsByName.size]).toEqual([left, 2 * left]);
    emitted.length = 0;
    assignPhaseMarket(phases, 'market', { gammaId: '0' }, emit);
    assignPhaseMarket(phases, 'market', { gammaId: `${removed}`, requestId: hashOf(`${removed}`) }, emit);
    expect(emitted.map(({ id }) => id)).toEqual([`${removed}`]);
    for (let n = 0; n <= PREPARED_REQUESTS_MAX; n += 1) {
      addPreparedRequest(phases, { requestId: `${n}`, conditionId: 'c', blockHash: 'b' }, emit);
    }
    expect(phases.prepared.size).toBe(PREPARED_REQUESTS_MAX + 1 - defaultBatchSize(PREPARED_REQUESTS_MAX));
    expect(phases.prepared.has('0')).toBe(false);
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
  const statuses = (events: AnyEvent[]) => {
    const { phases, resolutions } = play(events, { restarts: true });
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
