/** A chain behind a fake JSON-RPC node on loopback, which tests extend and reorganize. */
import { startHttpServer, type TestHttpServer } from './http-server.fixture.ts';

export interface TestBlock {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly logs: readonly Record<string, string>[];
}

interface LogFilter {
  readonly address: readonly string[];
  readonly topics: readonly (readonly string[])[];
  readonly blockHash?: string;
  readonly fromBlock?: string;
  readonly toBlock?: string;
}

const hex = (number: number) => `0x${number.toString(16)}`;
const word = (text: string) => `0x${Buffer.from(text).toString('hex').padStart(64, '0')}`;

export class TestChain {
  blocks: TestBlock[] = [];
  /** Maximum logs of one answer; more is refused. */
  logsMax = Number.POSITIVE_INFINITY;
  /** Maximum blocks of one range; more is refused. */
  rangeMax = Number.POSITIVE_INFINITY;
  /** The finalized block; null if the node does not know the tag. */
  finalized: number | null = null;
  /** Status of every answer while set. */
  status: number | null = null;
  /** Filters of every `eth_getLogs`. */
  readonly filters: LogFilter[] = [];
  server!: TestHttpServer;

  async listen(): Promise<string> {
    this.server = await startHttpServer(({ body }) => {
      if (this.status !== null) return { status: this.status };
      const { id, method, params } = JSON.parse(body);
      const answer = this.answer(method, params);
      return {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id, ...answer }),
      };
    });
    return this.server.url;
  }

  /** Replaces all blocks from `from` on by `count` new ones; `branch` names the fork. */
  grow(from: number, count: number, branch: string, logsEach = 1): void {
    this.blocks = this.blocks.filter((block) => block.number < from);
    for (let number = from; number < from + count; number += 1) {
      const hash = word(`${branch}${number}`);
      const parentHash = this.blocks.at(-1)?.hash ?? word(`root${number}`);
      const logs = Array.from({ length: logsEach }, (_, index) => ({
        address: '0xexchange',
        topics: '0xfilled',
        blockNumber: hex(number),
        blockHash: hash,
        transactionHash: word(`tx${branch}${number}`),
        logIndex: hex(index * 3),
      }));
      this.blocks.push({ number, hash, parentHash, logs });
    }
  }

  get head(): number {
    return this.blocks.at(-1)!.number;
  }

  private answer(
    method: string,
    params: unknown[],
  ): { result: unknown } | { error: { code: number; message: string } } {
    if (method === 'eth_getBlockByNumber') return this.header(String(params[0]));
    if (method === 'eth_getLogs') return this.logs(params[0] as LogFilter);
    return { error: { code: -32_601, message: `no method ${method}` } };
  }

  private header(tag: string): { result: unknown } | { error: { code: number; message: string } } {
    if (tag === 'finalized' && this.finalized === null) return { error: { code: -32_602, message: 'unknown tag' } };
    const number = tag === 'latest' ? this.head : tag === 'finalized' ? this.finalized : Number(tag);
    const block = this.blocks.find((entry) => entry.number === number);
    if (!block) return { result: null };
    const { hash, parentHash } = block;
    return { result: { number: hex(block.number), hash, parentHash, timestamp: hex(block.number * 2), size: '0x1' } };
  }

  private logs(filter: LogFilter): { result: unknown } | { error: { code: number; message: string } } {
    this.filters.push(filter);
    if (filter.blockHash) {
      const block = this.blocks.find((entry) => entry.hash === filter.blockHash);
      return block ? { result: block.logs } : { error: { code: -32_000, message: 'unknown block' } };
    }
    const [from, to] = [Number(filter.fromBlock), Number(filter.toBlock)];
    if (to - from + 1 > this.rangeMax) return { error: { code: -32_000, message: 'block range is too wide' } };
    const found = this.blocks.filter(({ number }) => number >= from && number <= to).flatMap(({ logs }) => logs);
    if (found.length > this.logsMax) return { error: { code: -32_005, message: 'query returned too many results' } };
    return { result: found };
  }
}
