import { concatHex, decodeEventLog, type Hex, hexToString, keccak256, numberToHex, parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import { CHAIN_EVENTS, ORACLE_PRICES, ORACLES, YES_OR_NO_QUERY } from '#schemas/venues/venue-b/contracts';
import { BEFORE_THE_HOUR, createTestSimulation } from '../../simulation.fixture.ts';
import { ORACLE_ADAPTER } from '../../world/question-ids.ts';
import { LIVENESS_MS, LONGEST_SETTLEMENT_MS, type SettlementKind } from '../../world/settlement-plan.ts';
import { settledOutcome } from '../venue-a/catalog.ts';
import { outcomeNumber } from '../venue-a/market.ts';
import { BLOCK_MS, blockHolding } from './blocks.ts';
import type { Block, ChainLog } from './chain.ts';
import { CONDITIONAL_TOKENS, TOPIC } from './contracts.ts';
import { createRpc } from './rpc.ts';

const ABI = parseAbi([
  'event RequestPrice(address indexed requester, bytes32 identifier, uint256 timestamp, bytes ancillaryData, address currency, uint256 reward, uint256 finalFee)',
  'event ProposePrice(address indexed requester, address indexed proposer, bytes32 identifier, uint256 timestamp, bytes ancillaryData, int256 proposedPrice, uint256 expirationTimestamp, address currency)',
  'event DisputePrice(address indexed requester, address indexed proposer, address indexed disputer, bytes32 identifier, uint256 timestamp, bytes ancillaryData, int256 proposedPrice)',
  'event Settle(address indexed requester, address indexed proposer, address indexed disputer, bytes32 identifier, uint256 timestamp, bytes ancillaryData, int256 price, uint256 payout)',
  'event QuestionInitialized(bytes32 indexed questionID, uint256 indexed requestTimestamp, address indexed creator, bytes ancillaryData, address rewardToken, uint256 reward, uint256 proposalBond)',
  'event QuestionReset(bytes32 indexed questionID)',
  'event QuestionResolved(bytes32 indexed questionID, int256 indexed settledPrice, uint256[] payouts)',
  'event ConditionPreparation(bytes32 indexed conditionId, address indexed oracle, bytes32 indexed questionId, uint256 outcomeSlotCount)',
  'event ConditionResolution(bytes32 indexed conditionId, address indexed oracle, bytes32 indexed questionId, uint256 outcomeSlotCount, uint256[] payoutNumerators)',
  'event PayoutRedemption(address indexed redeemer, address indexed collateralToken, bytes32 indexed parentCollectionId, bytes32 conditionId, uint256[] indexSets, uint256 payout)',
]);

interface DecodedLog {
  readonly block: Block;
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly log: ChainLog;
}
/** Logs of matches, and of splits, merges, deposits and withdrawals beside them. */
const TRADED: readonly string[] = [
  TOPIC.orderFilled,
  TOPIC.ordersMatched,
  CHAIN_EVENTS.positionSplit,
  CHAIN_EVENTS.positionsMerge,
  CHAIN_EVENTS.transferBatch,
  CHAIN_EVENTS.transfer,
];
const decode = (block: Block, log: ChainLog): DecodedLog => {
  const topics = log.topics as [Hex, ...Hex[]];
  const { eventName, args } = decodeEventLog({ abi: ABI, data: log.data as Hex, topics, strict: true });
  return { block, log, name: eventName, args };
};

const HOUR = BEFORE_THE_HOUR + 60_000;
const SETTINGS = { seed: 5, rate: 4, events: 40, coins: 4 };
const world = createTestSimulation(SETTINGS);
const logsIn = (fromMs: number, toMs: number): DecodedLog[] => {
  const numbers = Array.from({ length: Math.ceil((toMs - fromMs) / BLOCK_MS) }, (_, nth) => blockHolding(fromMs) + nth);
  return numbers.flatMap((number) => {
    const block = world.chain.block(number, number);
    return block.logs.filter(({ topics }) => !TRADED.includes(topics[0]!)).map((log) => decode(block, log));
  });
};
const after = logsIn(HOUR, HOUR + LONGEST_SETTLEMENT_MS);
const expired = world.world.venueB.expiringAt(HOUR).map(world.board.listed);
/** Logs about a market, in order. */
const logsOf = ({ ids }: (typeof expired)[number], among: readonly DecodedLog[] = after) =>
  among.filter(({ args }) => {
    if ('ancillaryData' in args) return keccak256(args.ancillaryData as Hex) === ids.questionId;
    return args.conditionId === ids.conditionId || args.questionID === ids.questionId;
  });

const RESOLVED = ['ConditionResolution', 'QuestionResolved'];
const RESET = ['ProposePrice', 'DisputePrice', 'RequestPrice', 'QuestionReset', 'ProposePrice'];
const STORIES: Record<SettlementKind, readonly string[]> = {
  automatic: ['ConditionResolution'],
  undisputed: ['ProposePrice', 'Settle', ...RESOLVED],
  disputed: [...RESET, 'Settle', 'Settle', ...RESOLVED],
  voted: [...RESET, 'DisputePrice', 'Settle', 'Settle', ...RESOLVED],
};

describe('the end of a market', () => {
  it('produces the logs of its kind in order, and redemptions only after them', () => {
    for (const market of expired) {
      const { kind } = market.question.settlementPlan!;
      const names = logsOf(market).map(({ name }) => name);
      const redeemed = names.filter((name) => name === 'PayoutRedemption');
      expect(names).toEqual([...STORIES[kind], ...redeemed]);
      expect(redeemed.length > 0).toBe(kind !== 'automatic');
    }
    expect(new Set(expired.map(({ question }) => question.settlementPlan!.kind))).toEqual(
      new Set(Object.keys(STORIES)),
    );
    expect(after.filter(({ name }) => name === 'PayoutRedemption').some(({ args }) => args.payout !== 0n)).toBe(true);
  });

  it('names the market in the ancillary data: title, id, and a condition derived from the text', () => {
    for (const market of expired) {
      const { ids, question } = market;
      const row = world.catalog.market(market, HOUR);
      expect(row).toMatchObject({ conditionId: ids.conditionId, questionID: ids.questionId, resolvedBy: ids.oracle });
      if (question.settlementPlan!.kind === 'automatic') continue;
      for (const { args, log } of logsOf(market).filter(({ args }) => 'identifier' in args)) {
        expect(log.address).toBe(ORACLES.managed);
        expect(args).toMatchObject({ identifier: YES_OR_NO_QUERY });
        expect((args.requester as string).toLowerCase()).toBe(ORACLE_ADAPTER);
        const text = hexToString(args.ancillaryData as Hex);
        expect(text.startsWith(`q: title: ${row.question}, description: ${row.description} `)).toBe(true);
        expect(text).toContain(` market_id: ${row.id} res_data: `);
        expect(text).toMatch(/,initializer:[0-9a-f]{40}$/);
        const derived = keccak256(
          concatHex([ORACLE_ADAPTER, keccak256(args.ancillaryData as Hex), numberToHex(2, { size: 32 })]),
        );
        expect(derived).toBe(row.conditionId);
      }
    }
  });

  it('has consistent prices, payouts, times and accounts', () => {
    const listedFrom = (listedAtMs: number) => logsIn(listedAtMs, listedAtMs + 10_000);
    for (const market of expired) {
      const logs = logsOf(market);
      const isYes = world.board.isYes(market.question);
      const [truth, other] = isYes ? [ORACLE_PRICES['1'], 0n] : [0n, ORACLE_PRICES['1']];
      const resolution = logs.find(({ name }) => name === 'ConditionResolution')!;
      expect(resolution.args.payoutNumerators).toEqual(isYes ? [1n, 0n] : [0n, 1n]);
      const { kind } = market.question.settlementPlan!;
      if (kind === 'automatic') continue;
      const listing = logsOf(market, listedFrom(market.question.listedAtMs));
      expect(listing.map(({ name }) => name)).toEqual(['ConditionPreparation', 'RequestPrice', 'QuestionInitialized']);
      const first = listing[1]!.args.timestamp;
      expect(first).toBe(BigInt(listing[1]!.block.timestamp));
      expect(listing[2]!.args.requestTimestamp).toBe(first);
      const reset = logs.find(({ name }) => name === 'RequestPrice');
      const requests = reset ? [first, BigInt(reset.block.timestamp)] : [first];
      const proposals = logs.filter(({ name }) => name === 'ProposePrice');
      expect(proposals.map(({ args }) => args.timestamp)).toEqual(requests);
      expect(proposals.map(({ args }) => args.proposedPrice)).toEqual(reset ? [other, truth] : [truth]);
      const settles = logs.filter(({ name }) => name === 'Settle');
      expect(settles.map(({ args }) => args.timestamp)).toEqual(requests);
      expect(settles.map(({ args }) => args.price)).toEqual(reset ? [ORACLE_PRICES.ignore, truth] : [truth]);
      const last = proposals.at(-1)!;
      expect(last.args.expirationTimestamp).toBe(BigInt(last.block.timestamp + LIVENESS_MS / 1000));
      expect(settles.at(-1)!.block.timestamp).toBeGreaterThanOrEqual(Number(last.args.expirationTimestamp));
      for (const { args, block } of logs.filter(({ name }) => name === 'DisputePrice')) {
        const disputed = proposals.find((proposal) => proposal.args.timestamp === args.timestamp)!;
        expect(args).toMatchObject({ proposer: disputed.args.proposer, proposedPrice: disputed.args.proposedPrice });
        expect(args.disputer).not.toBe(args.proposer);
        expect(block.timestamp).toBeLessThan(Number(disputed.args.expirationTimestamp));
      }
      const resolved = logs.find(({ name }) => name === 'QuestionResolved')!;
      expect(resolved.args).toMatchObject({ settledPrice: truth, payouts: isYes ? [1n, 0n] : [0n, 1n] });
    }
  });

  it('has the same state in the catalog as on the chain at each time', () => {
    const NAMES: Record<string, string> = { ProposePrice: 'proposed', DisputePrice: 'disputed' };
    for (const market of expired) {
      const logs = logsOf(market);
      for (const { block } of logs) {
        const atMs = block.timestamp * 1000 - 1;
        const before = logs.filter((entry) => entry.block.timestamp <= block.timestamp);
        const isResolved = before.some(({ name }) => name === 'ConditionResolution');
        const isYes = world.board.isYes(market.question);
        const row = world.catalog.market(market, atMs);
        expect(row.closed).toBe(isResolved);
        if (isResolved) expect(row.outcomePrices).toBe(isYes ? '["1","0"]' : '["0","1"]');
        if (market.question.settlementPlan!.kind === 'automatic') continue;
        const statuses = before.flatMap(({ name }) => NAMES[name] ?? []);
        expect(JSON.parse(String(row.umaResolutionStatuses))).toEqual(statuses);
        expect(row.umaResolutionStatus).toBe(isResolved ? 'resolved' : statuses.at(-1));
      }
    }
  });

  it('has the same result on venue_a for the same question', () => {
    const { venueA } = world.world;
    const twins = expired.filter(({ question: { slot } }) => slot.pair !== null && slot.miss === 'none');
    expect(twins.length).toBeGreaterThan(5);
    const fractions = new Set<string>();
    for (const { question } of twins) {
      const twin = venueA.expiringAt(HOUR).find(({ slot }) => slot.pair === question.slot.pair)!;
      const settled = settledOutcome(world.world, outcomeNumber(twin, venueA.slots.length), HOUR + 9_000)!;
      const isYes = world.board.isYes(question) !== question.slot.inverse;
      expect(settled.settleFraction).toBe(isYes ? '1.0' : '0.0');
      fractions.add(settled.settleFraction);
    }
    expect(fractions.size).toBe(2);
  });
});

describe('an injected settlement delay', () => {
  it('delays the result by hours in chain, catalog and board', () => {
    for (const kind of ['automatic', 'disputed'] as const) {
      const { question } = expired.find((market) => market.question.settlementPlan!.kind === kind)!;
      const slot = question.slot.index;
      const atMs = HOUR - 1_000;
      const late = createTestSimulation({
        ...SETTINGS,
        inject: [{ kind: 'settlement_delay', venue: 'venue_b', slot, atMs }],
      });
      const market = late.board.listed(late.world.venueB.liveIn(slot, atMs));
      const { settledAtMs } = market.question;
      const delayMs = settledAtMs - question.settledAtMs;
      // Eight minimum deviations of fifteen minutes, plus the usual delay.
      expect(delayMs).toBeGreaterThan(8 * 900_000 + LONGEST_SETTLEMENT_MS - 300_000);
      expect(delayMs).toBeLessThanOrEqual(3 * 3_600_000);
      expect(late.catalog.market(market, settledAtMs - 1)).toMatchObject({ closed: false });
      expect(late.catalog.market(market, settledAtMs)).toMatchObject({ closed: true });
      expect(late.board.byCondition(market.ids.conditionId, settledAtMs)).toBe(market);
      expect(late.world.venueB.settledIn(settledAtMs, settledAtMs + 10)).toContain(market.question);
      const resolutionIn = (number: number) =>
        late.chain
          .block(number, number)
          .logs.some(({ topics }) => topics[0] === TOPIC.conditionResolution && topics[1] === market.ids.conditionId);
      expect(resolutionIn(blockHolding(settledAtMs))).toBe(true);
      expect(resolutionIn(blockHolding(question.settledAtMs))).toBe(false);
    }
  });
});

describe('logs of the oracle', () => {
  const market = expired.find(({ question }) => question.settlementPlan!.kind === 'disputed')!;

  it('are found by address and topics', async () => {
    const rpc = createRpc(
      world.chain,
      {
        *balanceOf() {
          yield;
          return 0n;
        },
      },
      () => 1,
    );
    const from = blockHolding(HOUR);
    const to = from + 1_000;
    const ask = async (filter: object) => {
      const params = [{ fromBlock: `0x${from.toString(16)}`, toBlock: `0x${to.toString(16)}`, ...filter }];
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params });
      return (JSON.parse(await rpc.answer(body, { head: to })) as { result: { transactionHash: string }[] }).result;
    };
    const disputes = after.filter(({ name }) => name === 'DisputePrice');
    const [adapter, account] = [disputes[0]!.log.topics[1], disputes[0]!.log.topics[2]];
    const hashes = (logs: readonly { transactionHash: string }[]) => logs.map(({ transactionHash }) => transactionHash);
    const found = await ask({ address: Object.values(ORACLES), topics: [disputes[0]!.log.topics[0], adapter] });
    expect(hashes(found)).toEqual(hashes(disputes.map(({ log }) => log)));
    const own = await ask({ address: ORACLES.managed, topics: [disputes[0]!.log.topics[0], null, account] });
    expect(own.length).toBeGreaterThan(0);
    expect(own.length).toBeLessThanOrEqual(found.length);
    const { conditionId } = market.ids;
    expect(await ask({ address: CONDITIONAL_TOKENS, topics: [TOPIC.conditionResolution, conditionId] })).toHaveLength(
      1,
    );
  });

  it('move to the same block or the next in a reorganization, and none is lost', () => {
    const moved = new Set<boolean>();
    for (const log of logsOf(market)) {
      const { chain } = createTestSimulation(SETTINGS);
      const { number } = log.block;
      const { removed, added } = chain.reorg(3, number + 1);
      const holding = (blocks: readonly Block[]) =>
        blocks.filter(({ transactions }) => transactions.includes(log.log.transactionHash));
      expect(holding(removed).map((block) => block.number)).toEqual([number]);
      const [now, ...more] = holding(added);
      expect(more).toEqual([]);
      expect([number, number + 1]).toContain(now!.number);
      expect(now!.hash).not.toBe(log.block.hash);
      const logs = now!.logs.filter(({ transactionHash }) => transactionHash === log.log.transactionHash);
      expect(logs.map(({ topics, data }) => [topics, data])).toContainEqual([log.log.topics, log.log.data]);
      moved.add(now!.number !== number);
    }
    expect(moved).toEqual(new Set([true, false]));
  });
});
