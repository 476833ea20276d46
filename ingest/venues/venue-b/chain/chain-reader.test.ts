import { afterEach, describe, expect, it } from 'vitest';
import type { ChainPayload } from '#schemas/domain/recording';
import { Budget } from '../../../feed/budget.ts';
import { MemoryLog } from '../../../testing/memory-log.fixture.ts';
import { openTestPublisher, silentLogger } from '../../../testing/open-publisher.fixture.ts';
import { TestChain } from '../../../testing/test-chain.fixture.ts';
import { ChainReader } from './chain-reader.ts';
import { openChainRpc } from './chain-rpc.ts';
import { readChainTail } from './chain-tail.ts';
import { CollateralAccounts } from './collateral-accounts.ts';
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

/** A reader over a log that may contain the records of an earlier one. */
async function follow(
  url: string,
  options: { log?: MemoryLog; lookback?: number; near?: number; collateral?: CollateralAccounts } = {},
) {
  const test = await openTestPublisher(options.log ? { log: options.log } : {});
  const rpc = openChainRpc({
    url,
    filters: [{ addresses: ['0xExchange'], topics: [['0xfilled']] }],
    moreFilters: () => options.collateral?.filters() ?? [],
    budget: new Budget({ max: 10_000, windowMs: 1_000 }),
    timeoutMs: 2_000,
  });
  const heads: number[] = [];
  const reader = new ChainReader({
    rpc,
    ranges: new LogRanges(rpc, { first: 8, max: 16 }),
    publisher: test.publisher,
    logger: silentLogger,
    tail: await readChainTail(test.log, test.codec, 64),
    lookbackBlocks: options.lookback ?? 0,
    nearBlocks: options.near ?? 10,
    parallel: 4,
    ...(options.collateral && { collateral: options.collateral }),
    onHead: (number) => void heads.push(number),
  });
  const step = async () => {
    await reader.step(never);
    await test.publisher.flush();
  };
  const name = (hash: string) => Buffer.from(hash.slice(2), 'hex').toString().replaceAll('\0', '');
  /** Published records, as `block <fork><number>` and `log <fork><number> <index>`, with `complete <fork><number>`. */
  const allPublished = () =>
    test.payloads('venue_b', 'rpc').map((text) => {
      const payload = JSON.parse(text) as ChainPayload;
      if ('complete' in payload) return `complete ${name(payload.complete)}`;
      if ('collateral' in payload) return `collateral ${payload.collateral.map(({ account }) => account).join(' ')}`;
      if ('finalized' in payload) return `finalized ${Number(payload.finalized)}`;
      return 'block' in payload
        ? `block ${name(payload.block.hash)}`
        : `log ${name(payload.log.blockHash)} ${Number(payload.log.logIndex)}`;
    });
  const published = () => allPublished().filter((text) => !text.startsWith('complete'));
  return { ...test, reader, step, published, allPublished, heads };
}

describe('following the chain', () => {
  it('starts at the head, with each header before its logs, in the JSON-RPC encoding', async () => {
    const { chain, url } = await startChain();
    chain.grow(1, 50, 'a', 2);
    const { step, payloads, published, heads } = await follow(url);
    await step();
    expect(published()).toEqual(['block a50', 'log a50 0', 'log a50 3']);
    expect(heads).toEqual([50]);
    const { number, hash, parentHash, logs } = chain.blocks.at(-1)!;
    expect(JSON.parse(payloads('venue_b', 'rpc')[0]!)).toEqual({
      block: { number: `0x${number.toString(16)}`, hash, parentHash, timestamp: '0x64' },
    });
    expect(JSON.parse(payloads('venue_b', 'rpc')[1]!)).toEqual({ log: logs[0] });
  });

  it('states after each step that the logs of the newest block are complete, once', async () => {
    const { chain, url } = await startChain();
    chain.grow(1, 50, 'a', 1);
    const { step, allPublished } = await follow(url);
    await step();
    await step();
    chain.grow(51, 2, 'a', 1);
    await step();
    expect(allPublished()).toEqual([
      ...['block a50', 'log a50 0', 'complete a50'],
      ...['block a51', 'log a51 0', 'block a52', 'log a52 0', 'complete a52'],
    ]);
  });

  it('requests all contracts and all topics at once', async () => {
    const { chain, url } = await startChain();
    chain.grow(1, 1, 'a');
    const { step } = await follow(url);
    await step();
    expect(chain.filters).toEqual([
      { address: ['0xExchange'], topics: [['0xfilled']], blockHash: chain.blocks[0]!.hash },
    ]);
  });

  it('states which accounts are read before the first block with their transfers, and again after a restart', async () => {
    const { chain, url } = await startChain();
    const collateral = new CollateralAccounts();
    collateral.record({ account: 'venue_b:0xa', ledger: 1 });
    chain.grow(1, 1, 'a');
    const { step, published, publisher, log } = await follow(url, { collateral });
    const withoutLogs = (texts: readonly string[]) => texts.filter((text) => !text.startsWith('log'));
    await step();
    expect([withoutLogs(published()), chain.filters.length]).toEqual([['block a1'], 1]);
    chain.grow(2, 1, 'a');
    await step();
    expect(withoutLogs(published()).slice(1)).toEqual(['collateral 0xa', 'block a2']);
    expect(chain.filters.length).toBe(4);
    await publisher.close();
    const restarted = new CollateralAccounts();
    restarted.record({ account: 'venue_b:0xa', ledger: 1 });
    const next = await follow(url, { log, collateral: restarted });
    chain.grow(3, 1, 'a');
    await next.step();
    expect(withoutLogs(next.published()).slice(3)).toEqual(['collateral 0xa', 'block a3']);
  });

  it('starts as far back as configured', async () => {
    const { chain, url } = await startChain();
    chain.grow(1, 50, 'a');
    const { step, published } = await follow(url, { lookback: 3 });
    await step();
    expect(published().filter((text) => text.startsWith('block'))).toEqual([
      'block a47',
      'block a48',
      'block a49',
      'block a50',
    ]);
  });

  it('publishes new blocks once each', async () => {
    const { chain, url } = await startChain();
    chain.grow(1, 3, 'a');
    const { step, published } = await follow(url);
    await step();
    await step();
    chain.grow(4, 2, 'a');
    await step();
    expect(published()).toEqual(['block a3', 'log a3 0', 'block a4', 'log a4 0', 'block a5', 'log a5 0']);
  });

  it('publishes deep blocks by ranges: headers of blocks with logs, and of the end of each range', async () => {
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
    const { step, published } = await follow(url, { lookback: 49, near: 10 });
    await step();
    // Ranges of 8, 10 and 13 blocks from 51 on, then the rest up to 90, then block by block.
    expect(published().slice(0, 8)).toEqual([
      'block a58',
      'block a62',
      'log a62 1',
      'block a68',
      'block a80',
      'log a80 1',
      'block a81',
      'block a90',
    ]);
    expect(published().slice(8)).toEqual(Array.from({ length: 10 }, (_, index) => `block a${91 + index}`));
  });

  it('halves a range that the node refuses, down to one block, and grows it again', async () => {
    const { chain, url } = await startChain();
    chain.grow(1, 60, 'a');
    chain.logsMax = 3;
    const { step, published } = await follow(url, { lookback: 59, near: 10 });
    await step();
    expect(published().filter((text) => text.startsWith('log'))).toHaveLength(60);
    const ranges = chain.filters.flatMap(({ fromBlock, toBlock }) =>
      fromBlock === undefined ? [] : [Number(toBlock) - Number(fromBlock) + 1],
    );
    expect(ranges.slice(0, 5)).toEqual([8, 4, 2, 3, 4]);
    chain.logsMax = Number.POSITIVE_INFINITY;
    chain.rangeMax = 1;
    chain.grow(61, 30, 'a');
    await step();
    expect(published().filter((text) => text.startsWith('log'))).toHaveLength(90);
  });

  it('fails at a single block that is too large', async () => {
    const { chain, url } = await startChain();
    chain.grow(1, 60, 'a', 5);
    chain.logsMax = 4;
    const { step } = await follow(url, { lookback: 59 });
    await expect(step()).rejects.toThrow(/too many results/);
  });

  it('goes back to the common ancestor and publishes the new blocks above it', async () => {
    const { chain, url } = await startChain();
    chain.grow(1, 20, 'a');
    const { step, published } = await follow(url, { lookback: 4 });
    await step();
    chain.grow(18, 4, 'b');
    await step();
    expect(published().slice(10)).toEqual([
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

  it('detects a reorganization that leaves the head at the same or a lower number', async () => {
    const { chain, url } = await startChain();
    chain.grow(1, 20, 'a');
    const { step, published } = await follow(url, { lookback: 2 });
    await step();
    chain.grow(20, 1, 'b');
    await step();
    expect(published().slice(6)).toEqual(['block b20', 'log b20 0']);
    chain.grow(19, 1, 'c');
    await step();
    expect(published().slice(8)).toEqual(['block c19', 'log c19 0']);
  });

  it('waits for a node that is behind and does not treat it as a reorganization', async () => {
    const { chain, url } = await startChain();
    chain.grow(1, 20, 'a');
    const { step, published } = await follow(url, { lookback: 2 });
    await step();
    const complete = chain.blocks;
    chain.blocks = complete.slice(0, 19);
    await step();
    chain.blocks = complete;
    chain.grow(21, 1, 'a');
    await step();
    expect(published().slice(6)).toEqual(['block a21', 'log a21 0']);
  });

  it('publishes everything again if no known block is left', async () => {
    const { chain, url } = await startChain();
    chain.grow(1, 20, 'a');
    const { step, published } = await follow(url, { lookback: 2 });
    await step();
    chain.grow(10, 12, 'b');
    await step();
    expect(
      published()
        .slice(6)
        .filter((text) => text.startsWith('block')),
    ).toEqual(['block b18', 'block b19', 'block b20', 'block b21']);
  });

  it('continues after a failure of the node', async () => {
    const { chain, url } = await startChain();
    chain.grow(1, 5, 'a');
    const { step, published } = await follow(url);
    await step();
    chain.grow(6, 1, 'a');
    chain.status = 503;
    const failing = step();
    await expect(failing).rejects.toMatchObject({ code: 'chain_unavailable', message: expect.stringContaining('503') });
    // A URL may contain a key.
    await expect(failing).rejects.not.toMatchObject({ message: expect.stringContaining('127.0.0.1') });
    chain.status = null;
    await step();
    expect(published()).toEqual(['block a5', 'log a5 0', 'block a6', 'log a6 0']);
  });

  it('publishes the finalized block when it rises, and tolerates a node without one', async () => {
    const { chain, url } = await startChain();
    chain.grow(1, 5, 'a');
    const { reader, publisher, published } = await follow(url);
    await expect(reader.publishFinalized()).rejects.toThrow();
    for (const finalized of [2, 2, 3, 1]) {
      chain.finalized = finalized;
      await reader.publishFinalized();
    }
    await publisher.flush();
    expect(published()).toEqual(['finalized 2', 'finalized 3']);
  });
});

describe('after a restart', () => {
  it('continues from the last block in the log', async () => {
    const { chain, url } = await startChain();
    const log = new MemoryLog();
    chain.grow(1, 20, 'a');
    const first = await follow(url, { log });
    await first.step();
    await first.publisher.close();
    chain.grow(21, 2, 'a');
    const second = await follow(url, { log });
    await second.step();
    expect(second.published()).toEqual(['block a20', 'log a20 0', 'block a21', 'log a21 0', 'block a22', 'log a22 0']);
  });

  it('publishes the missing logs of the last block, and none twice', async () => {
    const { chain, url } = await startChain();
    const complete = new MemoryLog();
    chain.grow(1, 20, 'a', 3);
    const first = await follow(url, { log: complete });
    await first.step();
    await first.publisher.close();
    const log = new MemoryLog();
    await log.append(complete.of('raw.venue_b.rpc').slice(0, 2));
    const second = await follow(url, { log });
    await second.step();
    expect(second.published()).toEqual(['block a20', 'log a20 0', 'log a20 3', 'log a20 6']);
  });

  describe('with a node that is behind the last block, of which some logs were published', () => {
    async function restartBehind() {
      const { chain, url } = await startChain();
      const complete = new MemoryLog();
      chain.grow(1, 20, 'a', 3);
      const first = await follow(url, { log: complete, lookback: 1 });
      await first.step();
      await first.publisher.close();
      const log = new MemoryLog();
      // Block 19 with its three logs, block 20 with its first.
      await log.append(complete.of('raw.venue_b.rpc').slice(0, 6));
      const known = chain.blocks;
      chain.blocks = known.slice(0, 19);
      return { chain, known, second: await follow(url, { log }) };
    }

    it('publishes the others when the node has caught up, before anything newer', async () => {
      const { chain, known, second } = await restartBehind();
      await second.step();
      await second.step();
      expect(second.published()).toHaveLength(6);
      expect(second.allPublished()).toEqual(second.published());
      chain.blocks = known;
      chain.grow(21, 1, 'a');
      await second.step();
      await second.step();
      expect(second.published().slice(5)).toEqual(['log a20 0', 'log a20 3', 'log a20 6', 'block a21', 'log a21 0']);
    });

    it('publishes them once the node answers again after a failure', async () => {
      const { chain, known, second } = await restartBehind();
      chain.blocks = known;
      chain.status = 503;
      await expect(second.step()).rejects.toMatchObject({ code: 'chain_unavailable' });
      chain.status = null;
      await second.step();
      expect(second.published().slice(5)).toEqual(['log a20 0', 'log a20 3', 'log a20 6']);
    });

    it('publishes the complete block if the node was on another branch meanwhile', async () => {
      const { chain, known, second } = await restartBehind();
      chain.grow(19, 1, 'b');
      await second.step();
      expect(second.published().slice(6)).toEqual(['block b19', 'log b19 0']);
      chain.blocks = known;
      await second.step();
      expect(second.published().slice(8)).toEqual([
        ...['block a19', 'log a19 0', 'log a19 3', 'log a19 6'],
        ...['block a20', 'log a20 0', 'log a20 3', 'log a20 6'],
      ]);
    });
  });

  it('detects that the last block was reorganized meanwhile', async () => {
    const { chain, url } = await startChain();
    const log = new MemoryLog();
    chain.grow(1, 20, 'a');
    const first = await follow(url, { log, lookback: 2 });
    await first.step();
    await first.publisher.close();
    chain.grow(20, 40, 'b');
    const second = await follow(url, { log, near: 5 });
    await second.step();
    expect(second.published().slice(6, 8)).toEqual(['block b20', 'log b20 0']);
    expect(second.published().filter((text) => text.startsWith('log b'))).toHaveLength(40);
  });
});
