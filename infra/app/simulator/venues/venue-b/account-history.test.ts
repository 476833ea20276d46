import { decodeEventLog, type Hex, parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import { CHAIN_EVENTS, COLLATERAL_ADAPTERS, COLLATERAL_TOKENS } from '#schemas/venues/venue-b/contracts';
import { accountTopic } from '#schemas/venues/venue-b/oracle-logs';
import { BEFORE_THE_HOUR, createTestSimulation } from '../../simulation.fixture.ts';
import { runAtOnce } from '../../turns.ts';
import { HOUR_MS } from '../../world/time.ts';
import { createAccountHistory } from './account-history.ts';
import { blockHolding, blockTime } from './blocks.ts';
import type { ChainLog } from './chain.ts';
import { CTF_EXCHANGE } from './contracts.ts';
import { createHoldings } from './holdings.ts';

const ABI = parseAbi([
  'event OrderFilled(bytes32 indexed orderHash, address indexed maker, address indexed taker, uint8 side, uint256 tokenId, uint256 makerAmountFilled, uint256 takerAmountFilled, uint256 fee, bytes32 builder, bytes32 metadata)',
  'event PositionSplit(address indexed stakeholder, address collateralToken, bytes32 indexed parentCollectionId, bytes32 indexed conditionId, uint256[] partition, uint256 amount)',
  'event PositionsMerge(address indexed stakeholder, address collateralToken, bytes32 indexed parentCollectionId, bytes32 indexed conditionId, uint256[] partition, uint256 amount)',
  'event PayoutRedemption(address indexed redeemer, address indexed collateralToken, bytes32 indexed parentCollectionId, bytes32 conditionId, uint256[] indexSets, uint256 payout)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
]);

/** The event of a log; null for another one. */
function decode({ topics, data }: ChainLog) {
  try {
    return decodeEventLog({ abi: ABI, topics: topics as [Hex, ...Hex[]], data: data as Hex });
  } catch {
    return null;
  }
}

const SETTINGS = { seed: 3, rate: 60, events: 3, coins: 4 };

/** Plays the logs of blocks, and states for each account and token what the account owns of it. */
function createLogReader(simulation: ReturnType<typeof createTestSimulation>) {
  const { world, board } = simulation;
  const owned = new Map<string, bigint>();
  const kinds = new Map<string, number>();
  const add = (account: string, token: string, units: bigint) => {
    const key = `${account.toLowerCase()} ${token}`;
    owned.set(key, (owned.get(key) ?? 0n) + units);
  };
  const read = (log: ChainLog, atMs: number) => {
    const event = decode(log);
    if (!event) return;
    kinds.set(event.eventName, (kinds.get(event.eventName) ?? 0) + 1);
    if (event.eventName === 'OrderFilled') {
      const { maker, side, tokenId, makerAmountFilled, takerAmountFilled } = event.args;
      add(maker, tokenId.toString(), side === 0 ? takerAmountFilled : -makerAmountFilled);
    } else if (event.eventName === 'TransferBatch') {
      for (const [at, id] of event.args.ids.entries()) {
        add(event.args.from, id.toString(), -event.args.values[at]!);
        add(event.args.to, id.toString(), event.args.values[at]!);
      }
    } else {
      const { tokenIds } = board.byCondition(event.args.conditionId, atMs)!.ids;
      if (event.eventName === 'PayoutRedemption') {
        const winner = board.isYes(board.byCondition(event.args.conditionId, atMs)!.question) ? 0 : 1;
        add(event.args.redeemer, tokenIds[winner], -event.args.payout);
      } else {
        const { stakeholder, amount } = event.args;
        for (const token of tokenIds) add(stakeholder, token, event.eventName === 'PositionSplit' ? amount : -amount);
      }
    }
  };
  return { world, owned, kinds, read };
}

describe.each([false, true])('what accounts own with reorganizations %s', (spontaneousReorgs) => {
  const simulation = createTestSimulation(SETTINGS, { spontaneousReorgs });
  const { world, board, chain } = simulation;
  const history = createAccountHistory(world, board, chain);
  // Markets of an hour, whose whole lives are played.
  const question = world.venueB.slots
    .map(({ index }) => world.venueB.liveIn(index, BEFORE_THE_HOUR))
    .find(({ slot }) => slot.cadence === 'hourly')!;
  const heads = [60, 200, 1_000].map((after) => blockHolding(question.expiresAtMs) + after);
  const reader = createLogReader(simulation);
  const accounts = world.population.accounts.filter((_, at) => at % 20 === 0);
  const tokens = world.idsOf(question).tokenIds;
  let number = blockHolding(question.listedAtMs);
  const differing: string[] = [];
  let compared = 0;
  let least = 0n;
  for (const head of [...heads.map((one) => one - 1_100), ...heads].sort((a, b) => a - b)) {
    for (; number <= head; number += 1)
      for (const log of chain.block(number, head).logs) reader.read(log, blockTime(number));
    for (const account of accounts) {
      const holding = runAtOnce(history.holdings(account, head)).find((one) => one.question === question)!;
      for (const [side, token] of tokens.entries()) {
        const owned = reader.owned.get(`${account} ${token}`) ?? 0n;
        compared += 1;
        if (owned < least) least = owned;
        if (owned !== BigInt(holding.tokens[side]!)) differing.push(`${account} ${head}: ${owned} ${holding.tokens}`);
      }
    }
  }

  it('is what the logs of the chain add up to, before and after the result', () => {
    expect(differing.slice(0, 3)).toEqual([]);
    expect(compared).toBe(6 * accounts.length * 2);
    for (const kind of ['OrderFilled', 'PositionSplit', 'PositionsMerge', 'TransferBatch'])
      expect(reader.kinds.get(kind)).toBeGreaterThan(10);
  });

  it('is never less than nothing', () => {
    expect(least).toBe(0n);
  });

  it('is the same for an earlier block as when that was the newest one', () => {
    const fresh = createAccountHistory(world, board, chain);
    const account = accounts[0]!;
    expect(runAtOnce(history.holdings(account, heads[0]!))).toEqual(runAtOnce(fresh.holdings(account, heads[0]!)));
  });

  it('is the sum of its entries', () => {
    const head = heads[0]!;
    for (const account of accounts.slice(0, 1)) {
      const entries = runAtOnce(history.entries(account, head));
      for (const { question: of, tokens: held, cash } of runAtOnce(history.holdings(account, head))) {
        const own = entries.filter((entry) => entry.question === of);
        const sum = (part: 'yes' | 'no' | 'cash') => own.reduce((total, entry) => total + entry[part], 0);
        expect([sum('yes'), sum('no'), sum('cash')]).toEqual([...held, cash]);
      }
    }
  });
});

it('deposits and withdrawals are on the chain, also when searched by account, and in the balance of the account', () => {
  const { world, board, chain } = createTestSimulation(SETTINGS);
  const holdings = createHoldings(world, board, {
    *holdings() {
      yield;
      return [];
    },
  });
  const head = chain.headAt(BEFORE_THE_HOUR);
  const account = world.population.accounts[5]!;
  const topic = accountTopic(account);
  const flows: bigint[] = [];
  for (let number = head - 3_600; number <= head; number += 1) {
    for (const { log } of chain.logsInvolving(number, head, new Set([account]))) {
      if (log.topics[0] !== CHAIN_EVENTS.transfer) continue;
      expect(chain.block(number, head).logs).toContainEqual(log);
      flows.push(log.topics[2] === topic ? BigInt(log.data) : -BigInt(log.data));
    }
  }
  const balance = (block: number) => runAtOnce(holdings.balanceOf(COLLATERAL_TOKENS.pUsd, account, block));
  expect(flows.length).toBe(2);
  expect(flows.reduce((sum, units) => sum + units, 0n)).toBe(balance(head) - balance(head - 3_601));
});

it('markets are redeemed for everyone an hour after their result', () => {
  const { world, board, chain } = createTestSimulation(SETTINGS);
  const history = createAccountHistory(world, board, chain);
  const question = world.venueB.expiringAt(BEFORE_THE_HOUR + 60_000)[0]!;
  const owns = (atMs: number) =>
    runAtOnce(history.holdings(world.population.accounts[0]!, chain.headAt(atMs))).some(
      (one) => one.question === question,
    );
  expect(owns(question.settledAtMs + HOUR_MS - 4_000)).toBe(true);
  expect(owns(question.settledAtMs + HOUR_MS)).toBe(false);
});

it('logs of moves name their account, or the adapter and then the account', () => {
  const { chain } = createTestSimulation(SETTINGS);
  const head = chain.headAt(BEFORE_THE_HOUR);
  const logs = Array.from({ length: 200 }, (_, back) => chain.block(head - back, head).logs).flat();
  const stakeholders = logs
    .map(decode)
    .flatMap((event) => (event?.eventName === 'PositionSplit' ? [event.args.stakeholder.toLowerCase()] : []));
  const through = stakeholders.filter((one) => one === COLLATERAL_ADAPTERS[0]).length;
  expect(through).toBeGreaterThan(0);
  expect(through).toBeLessThan(stakeholders.length / 2);
  expect(stakeholders).not.toContain(CTF_EXCHANGE);
});
