import { afterEach, describe, expect, it } from 'vitest';
import type { ChainPayload } from '#schemas/domain/recording';
import { Budget } from '../../../feed/budget.ts';
import { MemoryLog } from '../../../testing/memory-log.fixture.ts';
import { openTestPublisher, silentLogger } from '../../../testing/open-publisher.fixture.ts';
import { TestChain } from '../../../testing/test-chain.fixture.ts';
import { ChainFollower } from './chain-follower.ts';
import { openChainRpc } from './chain-rpc.ts';
import { readChainTail } from './chain-tail.ts';
import { LogRanges } from './log-ranges.ts';

const chains: TestChain[] = [];
afterEach(async () => {
  for (const chain of chains.splice(0)) await chain.server.close();
});

async function startChain(): Promise<{ chain: TestChain; url: string }> {
  const chain = new TestChain();
  chains.push(chain);
  return { chain, url: await chain.listen() };
}

const never = new AbortController().signal;

/** A follower over a log that may hold what an earlier one published. */
async function follow(url: string, options: { log?: MemoryLog; lookback?: number; near?: number } = {}) {
  const test = await openTestPublisher(options.log ? { log: options.log } : {});
  const rpc = openChainRpc({
    url,
    filters: [{ addresses: ['0xExchange'], topics: [['0xfilled']] }],
    budget: new Budget({ max: 10_000, windowMs: 1_000 }),
    timeoutMs: 2_000,
  });
  const heads: number[] = [];
  const follower = new ChainFollower({
    rpc,
    ranges: new LogRanges(rpc, { first: 8, max: 16 }),
    publisher: test.publisher,
    logger: silentLogger,
    tail: await readChainTail(test.log, test.codec, 64),
    lookbackBlocks: options.lookback ?? 0,
    nearBlocks: options.near ?? 10,
    parallel: 4,
    onHead: (number) => void heads.push(number),
  });
  const step = async () => {
    await follower.step(never);
    await test.publisher.flush();
  };
  /** What was published, as `block <number> <fork>` and `log <number> <fork> <index>`. */
  const told = () =>
    test.said('venue_b', 'rpc').map((text) => {
      const payload = JSON.parse(text) as ChainPayload;
      if ('finalized' in payload) return `finalized ${Number(payload.finalized)}`;
      const name = (hash: string) => Buffer.from(hash.slice(2), 'hex').toString().replaceAll('\0', '');
      return 'block' in payload
        ? `block ${name(payload.block.hash)}`
        : `log ${name(payload.log.blockHash)} ${Number(payload.log.logIndex)}`;
    });
  return { ...test, follower, step, told, heads };
}

describe('following the chain', () => {
  it('begins at the head, with each header before its logs, in the encoding of the wire', async () => {
    const { chain, url } = await startChain();
    chain.grow(1, 50, 'a', 2);
    const { step, said, told, heads } = await follow(url);
    await step();
    expect(told()).toEqual(['block a50', 'log a50 0', 'log a50 3']);
    expect(heads).toEqual([50]);
    const { number, hash, parentHash, logs } = chain.blocks.at(-1)!;
    expect(JSON.parse(said('venue_b', 'rpc')[0]!)).toEqual({
      block: { number: `0x${number.toString(16)}`, hash, parentHash, timestamp: '0x64' },
    });
    expect(JSON.parse(said('venue_b', 'rpc')[1]!)).toEqual({ log: logs[0] });
  });

  it('asks for any of the contracts and any of the topics in one question', async () => {
    const { chain, url } = await startChain();
    chain.grow(1, 1, 'a');
    const { step } = await follow(url);
    await step();
    expect(chain.asked).toEqual([
      { address: ['0xExchange'], topics: [['0xfilled']], blockHash: chain.blocks[0]!.hash },
    ]);
  });

  it('looks back as far as it is told', async () => {
    const { chain, url } = await startChain();
    chain.grow(1, 50, 'a');
    const { step, told } = await follow(url, { lookback: 3 });
    await step();
    expect(told().filter((text) => text.startsWith('block'))).toEqual([
      'block a47',
      'block a48',
      'block a49',
      'block a50',
    ]);
  });

  it('publishes new blocks once each', async () => {
    const { chain, url } = await startChain();
    chain.grow(1, 3, 'a');
    const { step, told } = await follow(url);
    await step();
    await step();
    chain.grow(4, 2, 'a');
    await step();
    expect(told()).toEqual(['block a3', 'log a3 0', 'block a4', 'log a4 0', 'block a5', 'log a5 0']);
  });

  it('takes what is deep by ranges: headers of blocks with logs, and where each range ended', async () => {
    const { chain, url } = await startChain();
    chain.grow(1, 100, 'a', 0);
    chain.blocks = chain.blocks.map((block) =>
      block.number === 62 || block.number === 80
        ? {
            ...block,
            logs: [{ blockNumber: `0x${block.number.toString(16)}`, blockHash: block.hash, logIndex: '0x1' }],
          }
        : block,
    );
    const { step, told } = await follow(url, { lookback: 49, near: 10 });
    await step();
    // Ranges of 8, 10 and 13 blocks from 51 on, then what is left up to 90, then block by block.
    expect(told().slice(0, 8)).toEqual([
      'block a58',
      'block a62',
      'log a62 1',
      'block a68',
      'block a80',
      'log a80 1',
      'block a81',
      'block a90',
    ]);
    expect(told().slice(8)).toEqual(Array.from({ length: 10 }, (_, index) => `block a${91 + index}`));
  });

  it('halves a range that the node refuses, down to one block, and grows it again', async () => {
    const { chain, url } = await startChain();
    chain.grow(1, 60, 'a');
    chain.logsMax = 3;
    const { step, told } = await follow(url, { lookback: 59, near: 10 });
    await step();
    expect(told().filter((text) => text.startsWith('log'))).toHaveLength(60);
    const ranges = chain.asked.flatMap(({ fromBlock, toBlock }) =>
      fromBlock === undefined ? [] : [Number(toBlock) - Number(fromBlock) + 1],
    );
    expect(ranges.slice(0, 5)).toEqual([8, 4, 2, 3, 4]);
    chain.logsMax = Number.POSITIVE_INFINITY;
    chain.rangeMax = 1;
    chain.grow(61, 30, 'a');
    await step();
    expect(told().filter((text) => text.startsWith('log'))).toHaveLength(90);
  });

  it('gives up on a block that alone is too much', async () => {
    const { chain, url } = await startChain();
    chain.grow(1, 60, 'a', 5);
    chain.logsMax = 4;
    const { step } = await follow(url, { lookback: 59 });
    await expect(step()).rejects.toThrow(/too many results/);
  });

  it('goes back to the common ancestor and tells the new blocks above it', async () => {
    const { chain, url } = await startChain();
    chain.grow(1, 20, 'a');
    const { step, told } = await follow(url, { lookback: 4 });
    await step();
    chain.grow(18, 4, 'b');
    await step();
    expect(told().slice(10)).toEqual([
      'block b18',
      'log b18 0',
      'block b19',
      'log b19 0',
      'block b20',
      'log b20 0',
      'block b21',
      'log b21 0',
    ]);
  });

  it('sees a reorganisation that leaves the head at the same or a lower number', async () => {
    const { chain, url } = await startChain();
    chain.grow(1, 20, 'a');
    const { step, told } = await follow(url, { lookback: 2 });
    await step();
    chain.grow(20, 1, 'b');
    await step();
    expect(told().slice(6)).toEqual(['block b20', 'log b20 0']);
    chain.grow(19, 1, 'c');
    await step();
    expect(told().slice(8)).toEqual(['block c19', 'log c19 0']);
  });

  it('waits for a node that is behind without taking it for a reorganisation', async () => {
    const { chain, url } = await startChain();
    chain.grow(1, 20, 'a');
    const { step, told } = await follow(url, { lookback: 2 });
    await step();
    const whole = chain.blocks;
    chain.blocks = whole.slice(0, 19);
    await step();
    chain.blocks = whole;
    chain.grow(21, 1, 'a');
    await step();
    expect(told().slice(6)).toEqual(['block a21', 'log a21 0']);
  });

  it('tells everything anew where nothing that it knows is left', async () => {
    const { chain, url } = await startChain();
    chain.grow(1, 20, 'a');
    const { step, told } = await follow(url, { lookback: 2 });
    await step();
    chain.grow(10, 12, 'b');
    await step();
    expect(
      told()
        .slice(6)
        .filter((text) => text.startsWith('block')),
    ).toEqual(['block b18', 'block b19', 'block b20', 'block b21']);
  });

  it('goes on after a failure of the node where it stood', async () => {
    const { chain, url } = await startChain();
    chain.grow(1, 5, 'a');
    const { step, told } = await follow(url);
    await step();
    chain.grow(6, 1, 'a');
    chain.status = 503;
    const failing = step();
    await expect(failing).rejects.toMatchObject({ code: 'chain_unavailable', message: expect.stringContaining('503') });
    // An address may carry a key.
    await expect(failing).rejects.not.toMatchObject({ message: expect.stringContaining('127.0.0.1') });
    chain.status = null;
    await step();
    expect(told()).toEqual(['block a5', 'log a5 0', 'block a6', 'log a6 0']);
  });

  it('tells the final block when it rises, and lives with a node that knows none', async () => {
    const { chain, url } = await startChain();
    chain.grow(1, 5, 'a');
    const { follower, publisher, told } = await follow(url);
    await expect(follower.tellFinalized()).rejects.toThrow();
    for (const finalized of [2, 2, 3, 1]) {
      chain.finalized = finalized;
      await follower.tellFinalized();
    }
    await publisher.flush();
    expect(told()).toEqual(['finalized 2', 'finalized 3']);
  });
});

describe('after a restart', () => {
  it('goes on from the last block in the log', async () => {
    const { chain, url } = await startChain();
    const log = new MemoryLog();
    chain.grow(1, 20, 'a');
    const first = await follow(url, { log });
    await first.step();
    await first.publisher.close();
    chain.grow(21, 2, 'a');
    const second = await follow(url, { log });
    await second.step();
    expect(second.told()).toEqual(['block a20', 'log a20 0', 'block a21', 'log a21 0', 'block a22', 'log a22 0']);
  });

  it('tells the logs that were missing of the last block, and no other twice', async () => {
    const { chain, url } = await startChain();
    const whole = new MemoryLog();
    chain.grow(1, 20, 'a', 3);
    const first = await follow(url, { log: whole });
    await first.step();
    await first.publisher.close();
    const log = new MemoryLog();
    await log.append(whole.of('raw.venue_b.rpc').slice(0, 2));
    const second = await follow(url, { log });
    await second.step();
    expect(second.told()).toEqual(['block a20', 'log a20 0', 'log a20 3', 'log a20 6']);
  });

  describe('with a node that is behind the last block, of which half the logs were told', () => {
    async function restartBehind() {
      const { chain, url } = await startChain();
      const whole = new MemoryLog();
      chain.grow(1, 20, 'a', 3);
      const first = await follow(url, { log: whole, lookback: 1 });
      await first.step();
      await first.publisher.close();
      const log = new MemoryLog();
      // Block 19 with its three logs, block 20 with its first.
      await log.append(whole.of('raw.venue_b.rpc').slice(0, 6));
      const known = chain.blocks;
      chain.blocks = known.slice(0, 19);
      return { chain, known, second: await follow(url, { log }) };
    }

    it('tells the others when the node has caught up, before anything newer', async () => {
      const { chain, known, second } = await restartBehind();
      await second.step();
      await second.step();
      expect(second.told()).toHaveLength(6);
      chain.blocks = known;
      chain.grow(21, 1, 'a');
      await second.step();
      await second.step();
      expect(second.told().slice(5)).toEqual(['log a20 0', 'log a20 3', 'log a20 6', 'block a21', 'log a21 0']);
    });

    it('tells them once the node answers again, when it fails meanwhile', async () => {
      const { chain, known, second } = await restartBehind();
      chain.blocks = known;
      chain.status = 503;
      await expect(second.step()).rejects.toMatchObject({ code: 'chain_unavailable' });
      chain.status = null;
      await second.step();
      expect(second.told().slice(5)).toEqual(['log a20 0', 'log a20 3', 'log a20 6']);
    });

    it('tells the block whole when the node was on another branch meanwhile', async () => {
      const { chain, known, second } = await restartBehind();
      chain.grow(19, 1, 'b');
      await second.step();
      expect(second.told().slice(6)).toEqual(['block b19', 'log b19 0']);
      chain.blocks = known;
      await second.step();
      expect(second.told().slice(8)).toEqual([
        ...['block a19', 'log a19 0', 'log a19 3', 'log a19 6'],
        ...['block a20', 'log a20 0', 'log a20 3', 'log a20 6'],
      ]);
    });
  });

  it('notices that the last block was reorganised meanwhile', async () => {
    const { chain, url } = await startChain();
    const log = new MemoryLog();
    chain.grow(1, 20, 'a');
    const first = await follow(url, { log, lookback: 2 });
    await first.step();
    await first.publisher.close();
    chain.grow(20, 40, 'b');
    const second = await follow(url, { log, near: 5 });
    await second.step();
    expect(second.told().slice(6, 8)).toEqual(['block b20', 'log b20 0']);
    expect(second.told().filter((text) => text.startsWith('log b'))).toHaveLength(40);
  });
});
