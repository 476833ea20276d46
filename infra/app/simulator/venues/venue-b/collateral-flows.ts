/**
 * Deposits and withdrawals of collateral. In every two hours each account gets some once, and withdraws as much again later.
 * They follow from the seed, the number of the account and the time.
 */
import { LRUCache } from 'lru-cache';
import { CHAIN_EVENTS, COLLATERAL_TOKENS } from '#schemas/venues/venue-b/contracts';
import { accountTopic, wordOf } from '#schemas/venues/venue-b/oracle-logs';
import { hashOf, hexOf, STREAM } from '../../world/hash.ts';
import { HOUR_MS } from '../../world/time.ts';
import type { World } from '../../world/world.ts';
import { BLOCK_MS, blockHolding, blockTime } from './blocks.ts';
import type { LogBody } from './match-logs.ts';

const PERIOD_MS = 2 * HOUR_MS;
const PART_MS = PERIOD_MS / 2;
/** Searches read some hours at once, next to the newest blocks. */
const CACHED_PERIODS = 8;
/** The two hours in which the flows of a block happened: the block contains the time before it. */
const periodOf = (block: number) => Math.floor((blockTime(block) - BLOCK_MS) / PERIOD_MS);

/** A transfer of collateral between an account and an address outside of the world. */
export interface CollateralFlow {
  readonly account: string;
  readonly outside: string;
  readonly block: number;
  /** Millionths of a dollar, negative for a withdrawal. */
  readonly units: number;
  readonly transactionHash: string;
}

/** The flows of all accounts by block. */
export interface FlowAgenda {
  in(block: number): readonly CollateralFlow[];
}

/** Creates the agenda. It is calculated for two hours at once. */
export function createFlowAgenda(world: World): FlowAgenda {
  const agendas = new LRUCache<number, ReadonlyMap<number, readonly CollateralFlow[]>>({ max: CACHED_PERIODS });
  const agendaOf = (period: number) => {
    let agenda = agendas.get(period);
    if (!agenda) {
      const byBlock = new Map<number, CollateralFlow[]>();
      for (const flow of world.population.accounts.flatMap((_, account) => flowsOfPeriod(world, account, period)))
        byBlock.set(flow.block, [...(byBlock.get(flow.block) ?? []), flow]);
      agenda = byBlock;
      agendas.set(period, agenda);
    }
    return agenda;
  };
  return { in: (block) => agendaOf(periodOf(block)).get(block) ?? [] };
}

/** The flows of an account in blocks `from` to `to`, both inclusive, oldest first. */
export function flowsBetween(world: World, account: number, from: number, to: number): CollateralFlow[] {
  const first = periodOf(from);
  const last = periodOf(to);
  return Array.from({ length: last - first + 1 }, (_, nth) => flowsOfPeriod(world, account, first + nth))
    .flat()
    .filter(({ block }) => block >= from && block <= to);
}

/** What of the flows of an account is still there in a block, millionths of a dollar. */
export function depositedIn(world: World, account: number, block: number): number {
  return flowsOfPeriod(world, account, periodOf(block)).reduce(
    (sum, flow) => (flow.block <= block ? sum + flow.units : sum),
    0,
  );
}

/** The log of a flow: an ERC-20 transfer. */
export function flowLog({ account, outside, units }: CollateralFlow): LogBody {
  const [from, to] = units > 0 ? [outside, account] : [account, outside];
  return {
    address: COLLATERAL_TOKENS.pUsd,
    topics: [CHAIN_EVENTS.transfer, accountTopic(from), accountTopic(to)],
    data: `0x${wordOf(BigInt(Math.abs(units)))}`,
  };
}

function flowsOfPeriod({ settings: { seed }, population }: World, account: number, period: number): CollateralFlow[] {
  const draw = (salt: number) => hashOf(seed, STREAM.flow, account * 8 + salt, period);
  const units = 100_000_000 + (draw(0) % 2_000_000_000);
  const flow = (part: 0 | 1): CollateralFlow => ({
    account: population.accounts[account]!,
    outside: hexOf(seed, STREAM.flow, account * 8 + 4, period, 20),
    block: blockHolding(period * PERIOD_MS + part * PART_MS + (draw(1 + part) % PART_MS)),
    units: part === 0 ? units : -units,
    transactionHash: hexOf(seed, STREAM.flow, account * 8 + 5 + part, period, 32),
  });
  return [flow(0), flow(1)];
}
