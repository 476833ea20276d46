/**
 * Follows the chain: deep blocks by ranges, blocks near the head one by one, each header before its logs. If a header does
 * not match the published chain, the reader goes back to the common ancestor and publishes the blocks above it again.
 * The processors recognize the reorganization by a second header for a number.
 */
import type { Logger } from 'pino';
import type { RpcLog } from 'viem';
import type { ChainBlock } from '#schemas/domain/recording';
import type { Publisher } from '../../../publisher/publisher.ts';
import type { ChainRpc } from './chain-rpc.ts';
import type { ChainTail } from './chain-tail.ts';
import type { CollateralAccounts } from './collateral-accounts.ts';
import type { LogRanges } from './log-ranges.ts';
import type { KnownBlock, PublishedChain } from './published-chain.ts';

const SOURCE = 'venue_b.rpc';

/** Thrown if the chain changed between two requests. A retry helps. */
class ChainMovedError extends Error {
  override name = 'ChainMovedError';
  readonly code = 'chain_moved';
  readonly canRetry = true;
}

export interface ChainReaderOptions {
  readonly rpc: ChainRpc;
  readonly ranges: LogRanges;
  readonly publisher: Publisher;
  readonly logger: Logger;
  readonly tail: ChainTail;
  /** Blocks below the head at which the first start begins. */
  readonly lookbackBlocks: number;
  /** Blocks this close below the head are read one by one. */
  readonly nearBlocks: number;
  /** Concurrent requests. */
  readonly parallel: number;
  /** Accounts whose transfers of collateral are among the logs; none by default. */
  readonly collateral?: Pick<CollateralAccounts, 'apply'>;
  /** Called with the number of the node's head in each step, before anything is published. */
  readonly onHead: (number: number) => void;
}

interface Fetched {
  readonly header: ChainBlock;
  readonly logs: readonly RpcLog[];
}

export class ChainReader {
  private readonly options: ChainReaderOptions;
  private readonly chain: PublishedChain;
  /** Everything up to this block is published; null before the first step. */
  private publishedTo: number | null;
  private finalized: number;
  /** The newest block of an earlier process, until all its logs are published. */
  private unfinished: KnownBlock | null;
  /** Hash of the newest block that was published as complete; null before the first. */
  private complete: string | null = null;

  constructor(options: ChainReaderOptions) {
    this.options = options;
    this.chain = options.tail.chain;
    this.unfinished = this.chain.last;
    this.publishedTo = this.unfinished?.number ?? null;
    this.finalized = options.tail.finalized;
  }

  /** Publishes new blocks up to the node's head. Rejects if the node fails; the next call continues from there. */
  async step(signal: AbortSignal): Promise<void> {
    const head = await this.options.rpc.header('latest');
    if (!head) throw new ChainMovedError('the node returned no head');
    const headNumber = Number(head.number);
    this.options.onHead(headNumber);
    this.publishedTo ??= Math.max(0, headNumber - this.options.lookbackBlocks) - 1;
    this.publishAddedAccounts();
    if (this.unfinished) await this.publishRestOf(this.unfinished, headNumber);
    const publishedHash = this.chain.hashAt(headNumber);
    if (publishedHash !== null && publishedHash !== head.hash) await this.walkBack(headNumber);
    while (this.publishedTo < headNumber && !signal.aborted) {
      await this.options.publisher.whenReady(signal);
      const deep = headNumber - this.options.nearBlocks;
      const more =
        this.publishedTo < deep ? await this.publishRange(deep, headNumber, signal) : await this.publishNear(head);
      if (!more) break;
    }
    this.publishComplete();
  }

  /** Publishes that all logs of the newest block, and of those before it, are published. */
  private publishComplete(): void {
    const { last } = this.chain;
    if (!last || this.unfinished || this.complete === last.hash) return;
    this.complete = last.hash;
    this.publishPayload(JSON.stringify({ complete: last.hash }));
  }

  /** Publishes which accounts the logs of all later blocks concern in addition. Before the first block there are none. */
  private publishAddedAccounts(): void {
    const { last } = this.chain;
    if (!last) return;
    const added = this.options.collateral?.apply(last.number) ?? [];
    if (added.length > 0) this.publishPayload(JSON.stringify({ collateral: added }));
  }

  /** Publishes the node's finalized block if it is newer than the last. */
  async publishFinalized(): Promise<void> {
    const header = await this.options.rpc.header('finalized');
    if (!header || Number(header.number) <= this.finalized) return;
    this.finalized = Number(header.number);
    this.publishPayload(`{"finalized":${JSON.stringify(header.number)}}`);
  }

  /**
   * After a restart, publishes the missing logs of the newest published block. A node that is behind that block does not
   * have them yet, so the next step tries again; nothing else is published before.
   */
  private async publishRestOf(block: KnownBlock, headNumber: number): Promise<void> {
    if (block.number > headNumber) return;
    if (await this.isLastOnChain(headNumber)) {
      const logs = await this.options.rpc.logsOfBlock(block.hash);
      const { lastLogs } = this.options.tail;
      this.publishLogs(sorted(logs).filter((log) => !lastLogs.has(Number(log.logIndex))));
    }
    this.unfinished = null;
  }

  /** Returns true if the newest published block is still on the chain; otherwise goes back to one that is. */
  private async isLastOnChain(headNumber: number): Promise<boolean> {
    const { last } = this.chain;
    if (!last || last.number > headNumber) return false;
    if ((await this.options.rpc.header(last.number))?.hash === last.hash) return true;
    await this.walkBack(headNumber);
    return false;
  }

  /** Publishes a range of deep blocks, of which only those with logs need a header. Returns true to continue the step. */
  private async publishRange(to: number, headNumber: number, signal: AbortSignal): Promise<boolean> {
    if (this.chain.last?.number === this.publishedTo && !(await this.isLastOnChain(headNumber))) return true;
    const range = await this.options.ranges.next(this.publishedTo! + 1, to);
    const byBlock = new Map<number, RpcLog[]>();
    for (const log of sorted(range.logs)) {
      const number = Number(log.blockNumber);
      const own = byBlock.get(number);
      if (own) own.push(log);
      else byBlock.set(number, [log]);
    }
    // The end of the range is published too, so that a restart continues after it.
    const numbers = [...new Set([...byBlock.keys(), range.to])].sort((a, b) => a - b);
    for (let at = 0; at < numbers.length; at += this.options.parallel) {
      const some = numbers.slice(at, at + this.options.parallel);
      const headers = await Promise.all(some.map((number) => this.options.rpc.header(number)));
      await this.options.publisher.whenReady(signal);
      for (const [index, number] of some.entries()) {
        const header = headers[index];
        const logs = byBlock.get(number) ?? [];
        if (!header || logs.some((log) => log.blockHash !== header.hash))
          throw new ChainMovedError(`block ${number} changed while it was read`);
        this.publish({ header, logs });
      }
    }
    return true;
  }

  /** Publishes the next blocks up to the head, by hash. Returns false if the node does not have them yet. */
  private async publishNear(head: ChainBlock): Promise<boolean> {
    const first = this.publishedTo! + 1;
    const count = Math.min(this.options.parallel, Number(head.number) - this.publishedTo!);
    const fetched = await Promise.all(Array.from({ length: count }, (_, index) => this.fetch(first + index, head)));
    for (const block of fetched) {
      if (!block) return false;
      if (!this.extendsChain(block.header)) {
        await this.walkBack(Number(head.number));
        return true;
      }
      this.publish(block);
    }
    return true;
  }

  private async fetch(number: number, head: ChainBlock): Promise<Fetched | null> {
    const header = number === Number(head.number) ? head : await this.options.rpc.header(number);
    if (!header) return null;
    return { header, logs: sorted(await this.options.rpc.logsOfBlock(header.hash)) };
  }

  private extendsChain(header: ChainBlock): boolean {
    const { last } = this.chain;
    return last === null || last.number !== Number(header.number) - 1 || last.hash === header.parentHash;
  }

  /** Drops published blocks that are no longer on the chain, from the newest down to the common ancestor. */
  private async walkBack(headNumber: number): Promise<void> {
    let dropped = 0;
    for (let { last } = this.chain; last; { last } = this.chain) {
      if (last.number <= headNumber) {
        const header = await this.options.rpc.header(last.number);
        if (!header) throw new ChainMovedError(`the node does not have block ${last.number}`);
        if (header.hash === last.hash) break;
      }
      this.chain.dropLast();
      // The replacing block is published completely.
      this.unfinished = null;
      this.publishedTo = last.number - 1;
      dropped += 1;
    }
    const ancestor = this.chain.last?.number ?? null;
    if (ancestor !== null) this.publishedTo = ancestor;
    if (dropped > 0) this.options.logger.warn({ dropped, ancestor }, 'the chain was reorganized');
  }

  private publish({ header, logs }: Fetched): void {
    this.publishPayload(`{"block":${JSON.stringify(header)}}`);
    this.publishLogs(logs);
    const number = Number(header.number);
    this.chain.add({ number, hash: header.hash });
    this.publishedTo = number;
  }

  private publishLogs(logs: readonly RpcLog[]): void {
    for (const log of logs) this.publishPayload(`{"log":${JSON.stringify(log)}}`);
  }

  private publishPayload(payload: string): void {
    this.options.publisher.receive({ source: SOURCE, feed: SOURCE, payload });
  }
}

/** Sorts logs in the order of the chain. */
function sorted(logs: readonly RpcLog[]): RpcLog[] {
  return [...logs].sort(
    (a, b) => Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex),
  );
}
