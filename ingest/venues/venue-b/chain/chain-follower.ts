/**
 * Follows the chain: what is deep by ranges, what is near the head block by block, each header before its logs. When a
 * header does not fit what was published, it goes back to the common ancestor and publishes the blocks above it anew;
 * the processors see the reorganisation by a second header for a number.
 */
import type { Logger } from 'pino';
import type { RpcLog } from 'viem';
import type { ChainBlock } from '#schemas/domain/recording';
import type { Publisher } from '../../../publisher/publisher.ts';
import type { ChainRpc } from './chain-rpc.ts';
import type { ChainTail } from './chain-tail.ts';
import type { LogRanges } from './log-ranges.ts';
import type { KnownBlock, PublishedChain } from './published-chain.ts';

const SOURCE = 'venue_b.rpc';

/** The chain changed between two questions; asking again answers it. */
export class ChainMovedError extends Error {
  override name = 'ChainMovedError';
  readonly code = 'chain_moved';
  readonly canRetry = true;
}

export interface ChainFollowerOptions {
  readonly rpc: ChainRpc;
  readonly ranges: LogRanges;
  readonly publisher: Publisher;
  readonly logger: Logger;
  readonly tail: ChainTail;
  /** Blocks below the head at which a first start begins. */
  readonly lookbackBlocks: number;
  /** Blocks this close below the head are taken one by one. */
  readonly nearBlocks: number;
  /** Questions in flight at once. */
  readonly parallel: number;
  /** Told the number of the node's head at each look, before anything is published. */
  readonly onHead: (number: number) => void;
}

interface Fetched {
  readonly header: ChainBlock;
  readonly logs: readonly RpcLog[];
}

export class ChainFollower {
  private readonly options: ChainFollowerOptions;
  private readonly chain: PublishedChain;
  /** Everything up to this block is published. */
  private doneTo: number | null;
  private finalized: number;
  /** The newest block of an earlier process, until its logs are known to be all published. */
  private unfinished: KnownBlock | null;

  constructor(options: ChainFollowerOptions) {
    this.options = options;
    this.chain = options.tail.chain;
    this.unfinished = this.chain.last;
    this.doneTo = this.unfinished?.number ?? null;
    this.finalized = options.tail.finalized;
  }

  /** Publishes what is new up to the node's head. Rejects when the node fails; the next call goes on from there. */
  async step(signal: AbortSignal): Promise<void> {
    const head = await this.options.rpc.header('latest');
    if (!head) throw new ChainMovedError('the node knows no head');
    const headNumber = Number(head.number);
    this.options.onHead(headNumber);
    this.doneTo ??= Math.max(0, headNumber - this.options.lookbackBlocks) - 1;
    if (this.unfinished) await this.finish(this.unfinished, headNumber);
    const ours = this.chain.hashAt(headNumber);
    if (ours !== null && ours !== head.hash) await this.walkBack(headNumber);
    while (this.doneTo < headNumber && !signal.aborted) {
      await this.options.publisher.whenReady(signal);
      const deep = headNumber - this.options.nearBlocks;
      const more = this.doneTo < deep ? await this.takeRange(deep, headNumber, signal) : await this.takeNear(head);
      if (!more) break;
    }
  }

  /** Tells the node's newest final block when it has risen. */
  async tellFinalized(): Promise<void> {
    const header = await this.options.rpc.header('finalized');
    if (!header || Number(header.number) <= this.finalized) return;
    this.finalized = Number(header.number);
    this.say(`{"finalized":${JSON.stringify(header.number)}}`);
  }

  /**
   * After a restart: the logs of the newest block that were not published before the process ended. A node that is
   * behind that block cannot tell them yet, so it is asked again at the next look; nothing is published before.
   */
  private async finish(block: KnownBlock, headNumber: number): Promise<void> {
    if (block.number > headNumber) return;
    if (await this.holds(headNumber)) {
      const logs = await this.options.rpc.logsOfBlock(block.hash);
      const { lastLogs } = this.options.tail;
      this.sayLogs(sorted(logs).filter((log) => !lastLogs.has(Number(log.logIndex))));
    }
    this.unfinished = null;
  }

  /** Whether the newest published block is still on the chain; otherwise goes back to one that is. */
  private async holds(headNumber: number): Promise<boolean> {
    const { last } = this.chain;
    if (!last || last.number > headNumber) return false;
    if ((await this.options.rpc.header(last.number))?.hash === last.hash) return true;
    await this.walkBack(headNumber);
    return false;
  }

  /** Blocks deep below the head, of which only those with logs need their header. False to look at the head again. */
  private async takeRange(to: number, headNumber: number, signal: AbortSignal): Promise<boolean> {
    if (this.chain.last?.number === this.doneTo && !(await this.holds(headNumber))) return true;
    const range = await this.options.ranges.next(this.doneTo! + 1, to);
    const byBlock = new Map<number, RpcLog[]>();
    for (const log of sorted(range.logs)) {
      const number = Number(log.blockNumber);
      const own = byBlock.get(number);
      if (own) own.push(log);
      else byBlock.set(number, [log]);
    }
    // The end of the range too, so that a restart knows where it stood.
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

  /** The next blocks up to the head, by hash. False when the node does not have them yet. */
  private async takeNear(head: ChainBlock): Promise<boolean> {
    const first = this.doneTo! + 1;
    const count = Math.min(this.options.parallel, Number(head.number) - this.doneTo!);
    const fetched = await Promise.all(Array.from({ length: count }, (_, index) => this.fetch(first + index, head)));
    for (const block of fetched) {
      if (!block) return false;
      if (!this.fits(block.header)) {
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

  private fits(header: ChainBlock): boolean {
    const { last } = this.chain;
    return last === null || last.number !== Number(header.number) - 1 || last.hash === header.parentHash;
  }

  /** Drops what is published and no longer on the chain, from the newest down to the common ancestor. */
  private async walkBack(headNumber: number): Promise<void> {
    let dropped = 0;
    for (let { last } = this.chain; last; { last } = this.chain) {
      if (last.number <= headNumber) {
        const header = await this.options.rpc.header(last.number);
        if (!header) throw new ChainMovedError(`the node does not know block ${last.number}`);
        if (header.hash === last.hash) break;
      }
      this.chain.dropLast();
      // Whatever stands there now is told whole.
      this.unfinished = null;
      this.doneTo = last.number - 1;
      dropped += 1;
    }
    const ancestor = this.chain.last?.number ?? null;
    if (ancestor !== null) this.doneTo = ancestor;
    if (dropped > 0) this.options.logger.warn({ dropped, ancestor }, 'the chain was reorganised');
  }

  private publish({ header, logs }: Fetched): void {
    this.say(`{"block":${JSON.stringify(header)}}`);
    this.sayLogs(logs);
    const number = Number(header.number);
    this.chain.add({ number, hash: header.hash });
    this.doneTo = number;
  }

  private sayLogs(logs: readonly RpcLog[]): void {
    for (const log of logs) this.say(`{"log":${JSON.stringify(log)}}`);
  }

  private say(payload: string): void {
    this.options.publisher.receive({ source: SOURCE, feed: SOURCE, payload });
  }
}

/** In the order of the chain. */
function sorted(logs: readonly RpcLog[]): RpcLog[] {
  return [...logs].sort(
    (a, b) => Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex),
  );
}
