/** Questions to a chain's node over JSON-RPC, answered in the encoding of the wire (hex quantities). */
import {
  BaseError,
  createClient,
  type Hex,
  HttpRequestError,
  http,
  type RpcLog,
  TimeoutError,
  type Transport,
  webSocket,
} from 'viem';
import type { ChainBlock } from '#schemas/domain/recording';
import type { Budget } from '../../../feed/budget.ts';

/** Attempts after the first, for what a moment's wait repairs; longer troubles are the follower's. */
const RETRIES = 2;
const RETRY_DELAY_MS = 150;

/** Logs of any of these addresses with any of these first topics. */
export interface ChainFilter {
  readonly addresses: readonly string[];
  readonly topics: readonly string[];
}

export interface ChainRpc {
  /** A header by number, or the newest or newest final one; null when the node has none. */
  header(block: number | 'latest' | 'finalized'): Promise<ChainBlock | null>;
  /** Logs of exactly this block. A node that does not have it fails, where a question by number would get an empty list. */
  logsOfBlock(hash: string): Promise<RpcLog[]>;
  /** Logs of blocks `from` to `to`, both included. Rejects with an error that `isRangeError` knows when that is too much. */
  logsOfRange(from: number, to: number): Promise<RpcLog[]>;
  close(): Promise<void>;
}

export interface ChainRpcOptions {
  readonly url: string;
  readonly filter: ChainFilter;
  readonly budget: Budget;
  readonly timeoutMs: number;
}

export function openChainRpc(options: ChainRpcOptions): ChainRpc {
  const { url, filter, budget, timeoutMs } = options;
  const overSocket = url.startsWith('ws');
  const timing = { timeout: timeoutMs, retryCount: RETRIES, retryDelay: RETRY_DELAY_MS };
  const transport: Transport = overSocket ? webSocket(url, timing) : http(url, timing);
  const client = createClient({ transport });
  const wanted = { address: filter.addresses as Hex[], topics: [filter.topics as Hex[]] };

  return {
    async header(block) {
      await budget.take(1);
      const which = typeof block === 'number' ? toHex(block) : block;
      const found = await client.request({ method: 'eth_getBlockByNumber', params: [which, false] });
      // Between two blocks a node may know one that has no number or hash yet.
      if (!found?.number || !found.hash) return null;
      const { number, hash, parentHash, timestamp } = found;
      return { number, hash, parentHash, timestamp };
    },

    async logsOfBlock(hash) {
      await budget.take(1);
      return client.request({ method: 'eth_getLogs', params: [{ ...wanted, blockHash: hash as Hex }] });
    },

    async logsOfRange(from, to) {
      await budget.take(1);
      const range = { ...wanted, fromBlock: toHex(from), toBlock: toHex(to) };
      // Asking again for what is too much would only take time.
      return client.request({ method: 'eth_getLogs', params: [range] }, { retryCount: 0 });
    },

    async close() {
      if (!overSocket) return;
      const { getRpcClient } = client.transport as unknown as { getRpcClient(): Promise<{ close(): void }> };
      await getRpcClient().then(
        (socket) => socket.close(),
        // A socket that cannot be opened need not be closed.
        () => {},
      );
    },
  };
}

/** What providers say when a range holds too much (venue page, section 9). */
const RANGE_TOO_LARGE =
  /block range|query exceeds|response size|too many (results|logs|blocks)|more than \d+ (results|logs)|limit exceeded|range (is )?too (large|wide)|exceeds? (the )?(max|limit)/i;
const LIMIT_EXCEEDED = -32_005;
const CONTENT_TOO_LARGE = 413;

/** Whether half the range may succeed where the whole was refused. */
export function isRangeError(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  if (RANGE_TOO_LARGE.test(`${error.details ?? ''} ${error.shortMessage}`)) return true;
  const cause = error.walk(
    (inner) =>
      inner instanceof TimeoutError ||
      (inner instanceof HttpRequestError && inner.status === CONTENT_TOO_LARGE) ||
      (typeof inner === 'object' && inner !== null && 'code' in inner && inner.code === LIMIT_EXCEEDED),
  );
  return cause !== null;
}

const toHex = (number: number): Hex => `0x${number.toString(16)}`;
