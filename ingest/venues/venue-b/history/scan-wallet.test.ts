import type { RpcLog } from 'viem';
import { describe, expect, it } from 'vitest';
import { CHAIN_EVENTS, COLLATERAL_ADAPTERS, COLLATERAL_TOKENS, EXCHANGES } from '#schemas/venues/venue-b/contracts';
import type { EmittedLog } from '#schemas/venues/venue-b/oracle-logs';
import { encodeTokenAction, encodeTokenTransfer } from '#schemas/venues/venue-b/position-logs';
import { type ChainRpc, ChainRpcError } from '../chain/chain-rpc.ts';
import { firstBlockSince } from './find-block.ts';
import { HistoryNode } from './history-node.ts';
import {
  type FoundTransaction,
  type ScanLimits,
  type ScanReached,
  scanWallet,
  type WalletScan,
} from './scan-wallet.ts';

const EXCHANGE = EXCHANGES.ctfV2;
const account = (name: string) => `0x${Buffer.from(name).toString('hex').padStart(40, '0')}`;
const topic = (address: string) => `0x${address.slice(2).padStart(64, '0')}`;
const hex = (number: number) => `0x${number.toString(16)}`;
const WALLET = account('wallet');
const DAY = 86_400;
/** Blocks have an interval of two seconds, from time 0. */
const HEAD = 100_000;

interface LogRequest {
  readonly from: number;
  readonly to: number;
  readonly topics: readonly (readonly string[] | null)[];
}

class Chain {
  readonly logs: RpcLog[] = [];
  readonly requests: LogRequest[] = [];
  headers = 0;
  /** Maximum blocks of one request; more is refused. */
  rangeMax = 2_000;
  /** Requests that fail before one succeeds. */
  failures = 0;
  hasBlockTimes = true;

  /** Adds the logs of a match in a block: `makers` against a taker. */
  match(block: number, taker: string, makers: readonly string[], tx = `tx${block}`): this {
    const add = (owner: string, against: string) => {
      const time = this.hasBlockTimes ? { blockTimestamp: hex(block * 2) } : {};
      const logIndex = hex(this.logs.length);
      const topics = [CHAIN_EVENTS.orderFilledV2, '0xorder', topic(owner), topic(against)];
      const position = { blockNumber: hex(block), blockHash: `hash${block}`, transactionHash: tx, logIndex };
      this.logs.push({
        address: EXCHANGE,
        topics,
        data: '0x',
        removed: false,
        ...position,
        ...time,
      } as unknown as RpcLog);
    };
    for (const maker of makers) add(account(maker), account(taker));
    add(account(taker), EXCHANGE);
    return this;
  }

  /** Adds logs of one transaction in a block. */
  emit(block: number, tx: string, logs: readonly EmittedLog[]): void {
    for (const log of logs) {
      const position = { blockNumber: hex(block), blockHash: `hash${block}`, transactionHash: tx };
      const logIndex = hex(this.logs.length);
      this.logs.push({
        ...log,
        ...position,
        logIndex,
        removed: false,
        blockTimestamp: hex(block * 2),
      } as unknown as RpcLog);
    }
  }

  rpc(): Pick<ChainRpc, 'header' | 'logsWith'> {
    return {
      header: async (block) => {
        this.headers += 1;
        const number = typeof block === 'number' ? block : HEAD;
        return {
          number: hex(number),
          hash: `hash${number}`,
          parentHash: `hash${number - 1}`,
          timestamp: hex(number * 2),
        };
      },
      logsWith: async ({ topics }, from, to) => {
        if (this.failures > 0) {
          this.failures -= 1;
          throw new ChainRpcError('a moment', false);
        }
        if (to - from + 1 > this.rangeMax) throw new ChainRpcError('block range', true);
        this.requests.push({ from, to, topics });
        return this.logs.filter((log) => {
          const number = Number(log.blockNumber);
          return (
            number >= from &&
            number <= to &&
            topics.every((wanted, at) => !wanted || wanted.includes(log.topics[at] as string))
          );
        });
      },
    };
  }
}

const LIMITS: ScanLimits = {
  chunkBlocks: 2_000,
  chunksMax: 1_000,
  parallel: 2,
  span: { blocks: 100, accounts: 50 },
};

async function scan(chain: Chain, scanOf: Partial<WalletScan> = {}, limits: Partial<ScanLimits> = {}) {
  const found: FoundTransaction[] = [];
  const node = new HistoryNode(chain.rpc(), new AbortController().signal);
  const request = { wallet: WALLET, lookbackDays: 1, atLeast: 0, reached: null, ...scanOf };
  const reached: ScanReached[] = [];
  const { firstBlock, ...scanned } = await scanWallet(
    node,
    request,
    { ...LIMITS, ...limits },
    { publish: async (more) => void found.push(...more), onReached: async (at) => void reached.push(at) },
  );
  expect(reached.at(-1)).toEqual({ firstBlock, ...scanned });
  const logs = found.map((each) => each.logs.map(({ logIndex }) => Number(logIndex)));
  return { scanned, found, reached, logs: logs.sort((a, b) => a[0]! - b[0]!) };
}

describe('a scan', () => {
  it('reads the requested days in chunks of 2000 blocks, newest first, once for each topic that names the wallet', async () => {
    const chain = new Chain();
    const { scanned } = await scan(chain);
    const first = HEAD - DAY / 2;
    expect(scanned).toEqual({ fills: 0, fromBlock: first, toBlock: HEAD });
    const named = [1, 2, 3].map((position) =>
      chain.requests.filter(({ topics }) => topics[position]?.includes(topic(WALLET))),
    );
    for (const requests of named) {
      expect(requests[0]).toMatchObject({ from: HEAD - 1_999, to: HEAD });
      expect(requests.at(-1)!.from).toBe(first);
      for (const [at, { to }] of requests.slice(1).entries()) expect(to).toBe(requests[at]!.from - 1);
    }
    expect(named.flat()).toHaveLength(chain.requests.length);
  });

  it('counts each fill once, and returns its transaction with the taker legs that show what was traded', async () => {
    const chain = new Chain()
      .match(99_000, 'wallet', ['a', 'b'])
      .match(99_050, 'c', ['wallet', 'd'])
      .match(99_060, 'c', ['d'])
      .match(99_070, 'e', ['wallet', 'wallet']);
    const { scanned, found, logs } = await scan(chain);
    expect(scanned.fills).toBe(5);
    // Logs 0 to 2 are the first match; 4, of d, and 6 and 7 are none of the wallet's.
    expect(logs).toEqual([
      [0, 1, 2],
      [3, 5],
      [8, 9, 10],
    ]);
    expect(found.map(({ block }) => block)).toContainEqual({
      number: hex(99_000),
      hash: 'hash99000',
      timestamp: hex(198_000),
    });
  });

  it('requests the time of a block if the node does not return it with the log', async () => {
    const chain = new Chain();
    chain.hasBlockTimes = false;
    const { found } = await scan(chain.match(99_000, 'wallet', ['a']));
    expect(found.map(({ block }) => block.timestamp)).toEqual([hex(198_000)]);
  });

  it('requests it once for each block, however many of its transactions are found', async () => {
    const chains = [1, 8].map((transactions) => {
      const chain = new Chain();
      chain.hasBlockTimes = false;
      for (let nth = 0; nth < transactions; nth += 1) chain.match(99_000, 'wallet', ['a'], `tx${nth}`);
      return chain;
    });
    const [one, many] = [await scan(chains[0]!), await scan(chains[1]!)];
    expect(many.found).toHaveLength(8);
    for (const { block } of many.found) expect(block).toEqual(one.found[0]!.block);
    expect(chains[1]!.headers).toBe(chains[0]!.headers);
  });

  it('continues from the block that an earlier process reached, with its count', async () => {
    const make = () => new Chain().match(99_000, 'wallet', ['a']).match(60_000, 'b', ['wallet']);
    const { scanned, reached } = await scan(make());
    const rest = await scan(make(), { reached: reached[0]! });
    expect(reached.map(({ fromBlock }) => HEAD + 1 - fromBlock).slice(0, 2)).toEqual([4_000, 8_000]);
    expect([rest.scanned, rest.found.length]).toEqual([scanned, 1]);
  });

  it('ends early when its chunks are used up', async () => {
    const chain = new Chain().match(95_999, 'wallet', ['a']).match(96_001, 'wallet', ['a']);
    const { scanned } = await scan(chain, { lookbackDays: 1 }, { chunksMax: 2 });
    expect(scanned).toEqual({ fills: 1, fromBlock: HEAD - 3_999, toBlock: HEAD });
  });

  it('goes back to the first block, however many fills it finds', async () => {
    const chain = new Chain();
    for (let block = 90_000; block <= HEAD; block += 4) chain.match(block, 'wallet', ['a']);
    const { scanned, found } = await scan(chain);
    expect(scanned).toEqual({ fills: 2_501, fromBlock: HEAD - DAY / 2, toBlock: HEAD });
    expect(found).toHaveLength(2_501);
  });

  it('returns splits, merges and conversions, with the transfers that show for whom an adapter acted', async () => {
    const chain = new Chain();
    const [adapter] = COLLATERAL_ADAPTERS;
    const wallet = { conditionId: '0xc', units: 5n };
    const sent = (from: string, to: string) => encodeTokenTransfer({ operator: adapter, from, to }, []);
    chain.emit(99_000, 'own', [encodeTokenAction('split', { ...wallet, stakeholder: WALLET })]);
    chain.emit(99_010, 'merge', [
      sent(WALLET, adapter),
      encodeTokenAction('merge', { ...wallet, stakeholder: adapter }),
    ]);
    chain.emit(99_020, 'other', [
      encodeTokenAction('split', { ...wallet, stakeholder: adapter }),
      sent(adapter, account('other')),
    ]);
    chain.emit(99_030, 'plain', [sent(WALLET, account('other'))]);
    const { scanned, logs } = await scan(chain);
    expect([scanned.fills, logs]).toEqual([0, [[0], [1, 2]]]);
  });

  it('returns deposits and withdrawals, but not what is paid to the contracts of the venue', async () => {
    const chain = new Chain();
    const sent = (from: string, to: string): EmittedLog => ({
      address: COLLATERAL_TOKENS.pUsd,
      topics: [CHAIN_EVENTS.transfer, topic(from), topic(to)],
      data: '0x05',
    });
    chain.emit(99_000, 'in', [sent(account('other'), WALLET)]);
    chain.emit(99_010, 'out', [sent(WALLET, account('other')), sent(account('other'), account('third'))]);
    chain.emit(99_020, 'paid', [sent(WALLET, EXCHANGE)]);
    const { scanned, logs } = await scan(chain);
    expect([scanned.fills, logs]).toEqual([0, [[0], [1]]]);
  });

  it('fails if the node does not have a block that it has to include', async () => {
    await expect(scan(new Chain(), { atLeast: HEAD + 1 })).rejects.toMatchObject({ code: 'chain_unavailable' });
    expect((await scan(new Chain(), { atLeast: HEAD })).scanned.toBlock).toBe(HEAD);
  });

  it('halves ranges that the node refuses, and retries failures', async () => {
    const chain = new Chain().match(99_000, 'wallet', ['a']).match(98_001, 'b', ['wallet']);
    chain.rangeMax = 300;
    chain.failures = 2;
    const { scanned, logs } = await scan(chain, { lookbackDays: 1 }, { chunksMax: 2 });
    expect([scanned.fills, logs]).toEqual([
      2,
      [
        [0, 1],
        [2, 3],
      ],
    ]);
  });

  it('fails if the node keeps failing', async () => {
    const chain = new Chain();
    chain.failures = 1_000;
    await expect(scan(chain)).rejects.toMatchObject({ code: 'chain_unavailable' });
  });

  it('looks up the takers of near blocks together, within its limits', async () => {
    const chain = new Chain();
    for (let at = 0; at < 20; at += 1) chain.match(99_000 + at * 30, `taker${at}`, ['wallet']);
    const { found } = await scan(chain, {}, { span: { blocks: 100, accounts: 3 } });
    expect(found.every(({ logs }) => logs.length === 2)).toBe(true);
    const lookups = chain.requests.filter(({ topics }) => topics[2] && topics[3]);
    for (const { from, to, topics } of lookups) {
      expect(to - from).toBeLessThan(100);
      expect(topics[2]!.length).toBeLessThanOrEqual(3);
    }
    expect(lookups).toHaveLength(7);
  });
});

describe('the first block of a time', () => {
  it('is found although block times vary', async () => {
    const times = Array.from({ length: 1_000 }, (_, at) => at * 2 + (at > 400 ? 500 : 0) + Math.floor(at / 7));
    const timeOf = async (block: number) => times[block]!;
    for (const since of [0, 1, 700, 801, 900, 1_300, times[999]!]) {
      expect(await firstBlockSince(timeOf, since, 0, 999)).toBe(times.findIndex((time) => time >= since));
    }
    expect(await firstBlockSince(timeOf, 0, 300, 999)).toBe(300);
    expect(await firstBlockSince(timeOf, 1e9, 0, 999)).toBe(999);
  });
});
