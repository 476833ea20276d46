import type { RpcLog } from 'viem';
import { expect, it } from 'vitest';
import { CHAIN_EVENTS, CONDITIONAL_TOKENS } from '#schemas/venues/venue-b/contracts';
import { encodeConditionResolution, wordOf } from '#schemas/venues/venue-b/oracle-logs';
import { encodeTokenTransfer } from '#schemas/venues/venue-b/position-logs';
import { UpstreamError } from '../../../feed/errors.ts';
import { type ChainRpc, ChainRpcError } from '../chain/chain-rpc.ts';
import { HistoryNode } from './history-node.ts';
import { findResolutions, tokensIn } from './market-resolutions.ts';

const ACCOUNT = `0x${'a'.repeat(40)}`;
const conditionOf = (nth: number) => `0x${nth.toString(16).padStart(64, '0')}`;
const hex = (number: number) => `0x${number.toString(16)}`;

interface Asked {
  readonly from: number;
  readonly to: number;
  readonly conditions: readonly string[];
}

/** A node with the resolution of condition `n` in block `blocks[n]`. */
function nodeWith(blocks: Readonly<Record<number, number>>, rangeMax = 2_000) {
  const asked: Asked[] = [];
  const logs = Object.entries(blocks).map(([nth, block]) => ({
    ...encodeConditionResolution({
      conditionId: conditionOf(Number(nth)),
      oracle: ACCOUNT,
      questionId: conditionOf(1_000),
      numerators: [1n, 0n],
    }),
    blockNumber: hex(block),
    blockHash: `hash${block}`,
    transactionHash: `tx${block}`,
    logIndex: hex(Number(nth)),
    removed: false,
  }));
  const rpc: Pick<ChainRpc, 'header' | 'logsWith'> = {
    header: async (block) => ({
      number: hex(Number(block)),
      hash: `hash${block}`,
      parentHash: '0x',
      timestamp: hex(Number(block) * 2),
    }),
    logsWith: async ({ addresses, topics }, from, to) => {
      if (to - from + 1 > rangeMax) throw new ChainRpcError('block range', true);
      expect([addresses, topics[0]]).toEqual([[CONDITIONAL_TOKENS], [CHAIN_EVENTS.conditionResolution]]);
      asked.push({ from, to, conditions: topics[1]! });
      const isWanted = (log: (typeof logs)[number]) =>
        Number(log.blockNumber) >= from && Number(log.blockNumber) <= to && topics[1]!.includes(log.topics[1]!);
      return logs.filter(isWanted) as unknown as RpcLog[];
    },
  };
  const { signal } = new AbortController();
  return { asked, search: { node: new HistoryNode(rpc, signal), signal, limits: { chunkBlocks: 2_000, parallel: 2 } } };
}

const brief = (found: Awaited<ReturnType<typeof findResolutions>>) =>
  found.map(({ block, logs }) => [
    Number(block.number),
    Number(block.timestamp),
    logs.map(({ logIndex }) => Number(logIndex)),
  ]);

it('finds the tokens that orders and transfers name', () => {
  const log = (event: string, ...words: bigint[]) =>
    ({ topics: [event], data: `0x${words.map(wordOf).join('')}` }) as unknown as RpcLog;
  const big = 2n ** 255n + 7n;
  const items = [
    { token: '21', units: 5n },
    { token: '22', units: 5n },
  ];
  const batch = encodeTokenTransfer({ operator: ACCOUNT, from: ACCOUNT, to: ACCOUNT }, items) as unknown as RpcLog;
  expect(
    tokensIn([
      log(CHAIN_EVENTS.orderFilledV1, 0n, 11n, 5n, 9n, 0n),
      log(CHAIN_EVENTS.orderFilledV1, 12n, 0n, 5n, 9n, 0n),
      log(CHAIN_EVENTS.orderFilledV2, 1n, big, 5n, 9n, 0n, 0n, 0n),
      log(CHAIN_EVENTS.transferSingle, 13n, 5n),
      batch,
      log(CHAIN_EVENTS.orderFilledV2),
      log(CHAIN_EVENTS.positionSplit, 99n, 99n, 99n),
    ]),
  ).toEqual(['11', '12', String(big), '13', '21', '22']);
});

it('returns the transactions that resolved closed markets, and asks for all of them at once', async () => {
  const { asked, search } = nodeWith({ 1: 3_000, 2: 7_500, 3: 3_000 });
  const looked: (readonly string[])[] = [];
  const closedConditions = async (tokens: readonly string[]) => {
    looked.push(tokens);
    return [conditionOf(1), conditionOf(2).toUpperCase().replace('0X', '0x'), conditionOf(3), '0xno condition'];
  };
  const found = await findResolutions({ ...search, closedConditions }, ['5', '6'], { from: 100, to: 20_099 });
  expect(brief(found)).toEqual([
    [3_000, 6_000, [1, 3]],
    [7_500, 15_000, [2]],
  ]);
  expect(looked).toEqual([['5', '6']]);
  // Two chunks at once, until the last one is found.
  expect(asked.map(({ from, to, conditions }) => [from, to, conditions.length])).toEqual([
    [100, 2_099, 3],
    [2_100, 4_099, 3],
    [4_100, 6_099, 1],
    [6_100, 8_099, 1],
  ]);
});

it('asks nothing without tokens, without blocks and without closed markets', async () => {
  const { asked, search } = nodeWith({});
  let lookUps = 0;
  const none = async () => {
    lookUps += 1;
    return [];
  };
  for (const [tokens, to] of [
    [[], 9_000],
    [['5'], 99],
    [['5'], 9_000],
  ] as const)
    expect(await findResolutions({ ...search, closedConditions: none }, tokens, { from: 100, to })).toEqual([]);
  expect([lookUps, asked]).toEqual([1, []]);
});

it('searches all blocks for a market that is closed and not resolved, in ranges that the node accepts', async () => {
  const { asked, search } = nodeWith({}, 700);
  const closedConditions = async () => [conditionOf(1)];
  expect(await findResolutions({ ...search, closedConditions }, ['5'], { from: 0, to: 3_000 })).toEqual([]);
  const ranges = asked.sort((a, b) => a.from - b.from);
  expect([ranges[0]!.from, ranges.at(-1)!.to]).toEqual([0, 3_000]);
  for (const [at, { from }] of ranges.slice(1).entries()) expect(from).toBe(ranges[at]!.to + 1);
});

it('asks the catalog again after a failure, and fails if it keeps failing', async () => {
  const { search } = nodeWith({ 1: 50 });
  let failures = 2;
  const closedConditions = async () => {
    if (failures === 0) return [conditionOf(1)];
    failures -= 1;
    throw new UpstreamError('upstream_unavailable', 'down');
  };
  expect(await findResolutions({ ...search, closedConditions }, ['5'], { from: 0, to: 99 })).toHaveLength(1);
  failures = 100;
  const failed = findResolutions({ ...search, closedConditions }, ['5'], { from: 0, to: 99 });
  await expect(failed).rejects.toMatchObject({ code: 'upstream_unavailable' });
  expect(failures).toBe(95);
});
