import { decodeEventLog, type Hex, keccak256, parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import { CHAIN_EVENTS, COLLATERAL_ADAPTERS } from '#schemas/venues/venue-b/contracts';
import { accountTopic } from '#schemas/venues/venue-b/oracle-logs';
import {
  BEFORE_THE_HOUR,
  createTestSimulation,
  firstDifference,
  venueAFrames,
  venueBFrames,
} from '../../simulation.fixture.ts';
import { NO_BUILDER } from '../../world/accounts.ts';
import { BLOCK_MS, blockTime } from './blocks.ts';
import type { ChainLog } from './chain.ts';
import { CTF_EXCHANGE, TOPIC } from './contracts.ts';
import { transactionHash } from './match-logs.ts';
import { takerFeeUnits } from './match-orders.ts';

const ABI = parseAbi([
  'event OrderFilled(bytes32 indexed orderHash, address indexed maker, address indexed taker, uint8 side, uint256 tokenId, uint256 makerAmountFilled, uint256 takerAmountFilled, uint256 fee, bytes32 builder, bytes32 metadata)',
  'event OrdersMatched(bytes32 indexed takerOrderHash, address indexed takerOrderMaker, uint8 side, uint256 tokenId, uint256 makerAmountFilled, uint256 takerAmountFilled)',
  'event ConditionResolution(bytes32 indexed conditionId, address indexed oracle, bytes32 indexed questionId, uint256 outcomeSlotCount, uint256[] payoutNumerators)',
]);

const decode = (log: ChainLog) =>
  decodeEventLog({ abi: ABI, data: log.data as Hex, topics: log.topics as [Hex, ...Hex[]], strict: true });

const nameOf = (event: string) => Object.entries(CHAIN_EVENTS).find(([, topic]) => topic === event)![0];

function filled(log: ChainLog) {
  const event = decode(log);
  if (event.eventName !== 'OrderFilled') throw new Error(event.eventName);
  const { side, makerAmountFilled, takerAmountFilled } = event.args;
  const [usd, quantity] = side === 0 ? [makerAmountFilled, takerAmountFilled] : [takerAmountFilled, makerAmountFilled];
  return { ...event.args, usd, quantity };
}

describe('logs of matches', () => {
  const simulation = createTestSimulation({ seed: 3, rate: 400, events: 4, coins: 4 });
  simulation.run(BEFORE_THE_HOUR, BEFORE_THE_HOUR + 20_010);
  const groups = groupByTransaction(simulation.blocks.flatMap(({ logs }) => logs));
  const matches = simulation.world.matchesBetween(BEFORE_THE_HOUR, BEFORE_THE_HOUR + 20_000);

  it('decode to the match: maker legs, then the taker order, then OrdersMatched', () => {
    const kinds = new Set<string>();
    let builders = 0;
    for (const match of matches) {
      const ids = simulation.world.idsOf(simulation.world.venueB.liveIn(match.slot, match.timeMs));
      const logs = groups.get(transactionHash(simulation.world, match))!;
      expect(logs).toHaveLength(match.legs.length + 2);
      const taker = filled(logs.at(-2)!);
      const legs = logs.slice(0, -2).map(filled);
      expect(taker.taker.toLowerCase()).toBe(CTF_EXCHANGE);
      expect(taker.side).toBe(match.isTakerBuy ? 0 : 1);
      expect(taker.tokenId).toBe(BigInt(ids.tokenIds[match.token]));
      expect(taker.fee).toBe(takerFeeUnits(Number(taker.usd), Number(taker.quantity)));
      for (const [nth, leg] of legs.entries()) {
        const { kind, price, size } = match.legs[nth]!;
        kinds.add(kind);
        const token = kind === 'complementary' ? match.token : 1 - match.token;
        expect(leg.tokenId).toBe(BigInt(ids.tokenIds[token as 0 | 1]));
        expect(leg.side).toBe(kind === 'complementary' ? 1 - taker.side : taker.side);
        expect(leg.quantity).toBe(BigInt(size) * 10_000n);
        const own = kind === 'complementary' ? price : 1_000 - price;
        expect(leg.usd * 1_000n).toBe(leg.quantity * BigInt(own));
        expect(leg.taker).toBe(taker.maker);
        expect(leg.maker).not.toBe(taker.maker);
        if (leg.builder !== NO_BUILDER) builders += 1;
      }
      expect(legs.reduce((sum, leg) => sum + leg.quantity, 0n)).toBe(taker.quantity);
      const total = decode(logs.at(-1)!);
      expect(total.eventName).toBe('OrdersMatched');
      expect(total.args).toMatchObject({
        takerOrderHash: taker.orderHash,
        makerAmountFilled: taker.makerAmountFilled,
        takerAmountFilled: taker.takerAmountFilled,
      });
    }
    expect(kinds).toEqual(new Set(['complementary', 'mint', 'merge']));
    expect(builders).toBeGreaterThan(0);
    expect(builders).toBeLessThan(matches.length);
  });

  it('of an account are the same when searched by account as when filtered from all, also in replaced blocks', () => {
    const { chain } = createTestSimulation({ seed: 3, rate: 100, events: 2, coins: 3 }, { spontaneousReorgs: true });
    const head = chain.headAt(BEFORE_THE_HOUR);
    const numbers = Array.from({ length: 70 }, (_, nth) => head - nth);
    const isFill = ({ topics }: ChainLog) => topics[0] === TOPIC.orderFilled;
    const account = chain.block(head - 1, head).logs.find(isFill)!.topics[2]!;
    const isOwn = (log: ChainLog) => log.topics.length === 4 && log.topics.slice(2).includes(account);
    const accounts = new Set([`0x${account.slice(26)}`]);
    let found = 0;
    for (const number of numbers) {
      const block = chain.block(number, head);
      const own = chain.logsInvolving(number, head, accounts).filter(({ log }) => isOwn(log));
      expect(own.map(({ log }) => log)).toEqual(block.logs.filter(isOwn));
      for (const { block: of } of own) expect(of).toEqual({ number, hash: block.hash, timestamp: block.timestamp });
      found += own.length;
    }
    expect(found).toBeGreaterThan(0);
    expect(numbers.some((number) => chain.spontaneousReorgAt(number))).toBe(true);
  });

  it('of takers, of adapters and of markets are the same when searched as when filtered from all, also in replaced blocks', () => {
    const settings = { seed: 3, rate: 100, events: 2, coins: 3 };
    const { chain } = createTestSimulation(settings, { spontaneousReorgs: true });
    const head = chain.headAt(BEFORE_THE_HOUR + 10 * 60_000);
    const isTakers = ({ topics }: ChainLog) =>
      topics[0] === TOPIC.orderFilled && topics[3]!.endsWith(CTF_EXCHANGE.slice(2));
    const matchEvents: string[] = [TOPIC.orderFilled, TOPIC.ordersMatched];
    const moveEvents: string[] = Object.values(CHAIN_EVENTS).filter((event) =>
      /split|merge|transfer/i.test(nameOf(event)),
    );
    const isOfMarket = ({ topics }: ChainLog) => ![...matchEvents, ...moveEvents].includes(topics[0]!);
    const taker = chain.block(head - 1, head).logs.find(isTakers)!.topics[2]!;
    const accounts = new Set([`0x${taker.slice(26)}`]);
    let [ofTakers, ofMarkets, ofAdapters] = [0, 0, 0];
    for (const number of Array.from({ length: 300 }, (_, nth) => head - nth)) {
      const { logs } = chain.block(number, head);
      const own = chain.logsOfTakers(number, head, accounts).map(({ log }) => log);
      expect(own.filter(isTakers)).toEqual(logs.filter((log) => isTakers(log) && log.topics[2] === taker));
      const markets = chain.logsOfMarkets(number, head).map(({ log }) => log);
      expect(markets).toEqual(logs.filter(isOfMarket));
      const isOfAdapter = ({ topics }: ChainLog) => topics[1] === accountTopic(COLLATERAL_ADAPTERS[0]);
      const adapters = chain.logsOfAdapters(number, head).map(({ log }) => log);
      expect(adapters.filter(isOfAdapter)).toEqual(logs.filter(isOfAdapter));
      ofAdapters += adapters.length;
      ofTakers += own.length;
      ofMarkets += markets.length;
    }
    expect(ofTakers).toBeGreaterThan(0);
    expect(ofAdapters).toBeGreaterThan(0);
    expect(ofMarkets).toBeGreaterThan(0);
  });

  it('have the topics of the venue page', () => {
    const orderFilled = 'OrderFilled(bytes32,address,address,uint8,uint256,uint256,uint256,uint256,bytes32,bytes32)';
    const ordersMatched = 'OrdersMatched(bytes32,address,uint8,uint256,uint256,uint256)';
    const topicOf = (signature: string) => keccak256(Buffer.from(signature));
    expect(topicOf(orderFilled)).toBe(TOPIC.orderFilled);
    expect(topicOf(ordersMatched)).toBe(TOPIC.ordersMatched);
    expect(topicOf('ConditionResolution(bytes32,address,bytes32,uint256,uint256[])')).toBe(TOPIC.conditionResolution);
  });

  it('have ascending indices, and one transaction index for each transaction of a block', () => {
    for (const block of simulation.blocks) {
      const indices = block.logs.map(({ logIndex }) => logIndex);
      expect(indices).toEqual([...new Set(indices)].sort((left, right) => left - right));
      expect(new Set(block.logs.map(({ transactionIndex }) => transactionIndex)).size).toBe(block.transactions.length);
    }
  });

  it('charge the taker rate·qty·p·(1−p), floored to five decimals', () => {
    expect(takerFeeUnits(62_000_000, 100_000_000)).toBe(1_649_200n);
    expect(takerFeeUnits(333_333, 1_000_000)).toBe(15_550n);
    expect(takerFeeUnits(0, 1_000_000)).toBe(0n);
  });
});

function groupByTransaction(logs: readonly ChainLog[]): Map<string, ChainLog[]> {
  const groups = new Map<string, ChainLog[]>();
  for (const log of logs) groups.set(log.transactionHash, [...(groups.get(log.transactionHash) ?? []), log]);
  return groups;
}

describe('blocks', () => {
  it('appear every two seconds, and each names its parent', () => {
    const { run, blocks } = createTestSimulation();
    run(BEFORE_THE_HOUR, BEFORE_THE_HOUR + 20_000);
    expect(blocks).toHaveLength(10);
    for (const [nth, block] of blocks.entries()) {
      expect(block.timestamp * 1000).toBe(BEFORE_THE_HOUR + nth * BLOCK_MS);
      if (nth > 0) expect(block.parentHash).toBe(blocks[nth - 1]!.hash);
    }
  });

  it('contain the result of automatic markets some seconds after their end, consistent with frames and catalog', () => {
    const simulation = createTestSimulation({ seed: 3, rate: 2, events: 40, coins: 4 });
    const hour = BEFORE_THE_HOUR + 60_000;
    const lines = simulation.run(hour - 100, hour + 70_000);
    const expired = simulation.world.venueB.expiringAt(hour);
    const automatic = expired.filter(({ settlementPlan }) => settlementPlan?.kind === 'automatic');
    expect(automatic.length).toBeGreaterThan(2);
    const logs = simulation.blocks.flatMap((block) => block.logs.map((log) => ({ block, log })));
    const resolutions = logs.filter(({ log }) => log.topics[0] === TOPIC.conditionResolution);
    expect(resolutions).toHaveLength(automatic.length);
    for (const question of automatic) {
      const market = simulation.board.listed(question);
      const { conditionId, tokenIds } = market.ids;
      const { block, log } = resolutions.find((entry) => entry.log.topics[1] === conditionId)!;
      const event = decode(log);
      if (event.eventName !== 'ConditionResolution') throw new Error(event.eventName);
      const isYes = simulation.board.isYes(question);
      expect(event.args.payoutNumerators).toEqual(isYes ? [1n, 0n] : [0n, 1n]);
      const delayMs = block.timestamp * 1000 - question.expiresAtMs;
      expect(delayMs).toBeGreaterThanOrEqual(16_000);
      expect(delayMs).toBeLessThanOrEqual(62_000);
      const frame = venueBFrames(lines).find(
        (entry) => entry.event_type === 'market_resolved' && entry.market === conditionId,
      );
      expect(frame).toMatchObject({ winning_asset_id: tokenIds[isYes ? 0 : 1], winning_outcome: isYes ? 'Yes' : 'No' });
      expect(simulation.catalog.market(market, hour + 69_000)).toMatchObject({
        closed: true,
        outcomePrices: isYes ? '["1","0"]' : '["0","1"]',
      });
      expect(simulation.catalog.market(market, hour + 1)).toMatchObject({ closed: false, acceptingOrders: false });
    }
    const updates = venueAFrames(lines, 'outcomeMetaUpdates').flatMap(({ data }) => data as object[]);
    const ended = simulation.world.venueA.expiringAt(hour).length;
    expect(updates.filter((update) => 'outcomeSettled' in update)).toHaveLength(ended);
    expect(updates.filter((update) => 'outcomeCreated' in update)).toHaveLength(ended);
    const created = venueBFrames(lines).filter(({ event_type }) => event_type === 'new_market');
    expect(created).toHaveLength(expired.length);
  });
});

describe('reorgs', () => {
  it('replace the newest blocks by others, some of which lack transactions or contain them later', () => {
    const simulation = createTestSimulation({ seed: 3, rate: 1_000, events: 4, coins: 4 });
    const head = simulation.chain.headAt(BEFORE_THE_HOUR);
    const { removed, added } = simulation.chain.reorg(5, head);
    expect(removed.map(({ number }) => number)).toEqual([head - 4, head - 3, head - 2, head - 1, head]);
    expect(added.map(({ number }) => number)).toEqual(removed.map(({ number }) => number));
    for (const [nth, block] of added.entries()) {
      expect(block.hash).not.toBe(removed[nth]!.hash);
      expect(block.parentHash).toBe(nth === 0 ? removed[0]!.parentHash : added[nth - 1]!.hash);
    }
    const [before, after] = [removed, added].map((blocks) => blocks.flatMap(({ transactions }) => transactions));
    expect(new Set(after).size).toBe(after!.length);
    expect(after!.every((hash) => before!.includes(hash))).toBe(true);
    expect(after!.length).toBeLessThan(before!.length);
    const placeOf = (blocks: typeof removed) =>
      new Map(blocks.flatMap((b) => b.transactions.map((hash) => [hash, b.number])));
    const [old, now] = [placeOf(removed), placeOf(added)];
    const moved = after!.filter((hash) => old.get(hash) !== now.get(hash));
    expect(moved.length).toBeGreaterThan(0);
    for (const hash of moved) expect(now.get(hash)).toBe(old.get(hash)! + 1);
    expect(simulation.chain.block(head + 1, head + 1).parentHash).toBe(added.at(-1)!.hash);
    expect(simulation.chain.byHash(removed[2]!.hash, head)).toEqual(removed[2]);
  });

  it('happen spontaneously at times derived from the seed, and leave a linked chain', () => {
    const settings = { seed: 3, rate: 4, events: 2, coins: 3 };
    const simulation = createTestSimulation(settings, { spontaneousReorgs: true });
    const start = blockTime(simulation.chain.headAt(BEFORE_THE_HOUR));
    const lines = simulation.run(start, start + 130_000);
    expect(simulation.chainCounts.reorgs).toBeGreaterThanOrEqual(1);
    const newest = new Map(simulation.blocks.map((block) => [block.number, block]));
    expect(newest.size).toBeLessThan(simulation.blocks.length);
    for (const block of newest.values()) {
      const parent = newest.get(block.number - 1);
      if (parent) expect(block.parentHash).toBe(parent.hash);
    }
    const again = createTestSimulation(settings, { spontaneousReorgs: true }).run(start, start + 130_000);
    expect(firstDifference(again, lines)).toBeNull();
  });
});
