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

/** Logs of any of these addresses whose topics are, position by position, among these; null is any. */
export interface PositionFilter {
  readonly addresses: readonly string[];
  readonly topics: readonly (readonly string[] | null)[];
}

/** Why the node gave no answer. Says nothing of its address, which often carries a key, and so keeps no cause either. */
export class ChainRpcError extends Error {
  override name = 'ChainRpcError';
  readonly code = 'chain_unavailable';
  readonly canRetry = true;
  /** Half the range may succeed where the whole was refused. */
  readonly rangeTooLarge: boolean;
  constructor(message: string, rangeTooLarge: boolean) {
    super(message);
    this.rangeTooLarge = rangeTooLarge;
  }
}

/** Every question rejects with a `ChainRpcError`. */
export interface ChainRpc {
  /** A header by number, or the newest or newest final one; null when the node has none. */
  header(block: number | 'latest' | 'finalized'): Promise<ChainBlock | null>;
  /** Logs of exactly this block. A node that does not have it fails, where a question by number would get an empty list. */
  logsOfBlock(hash: string): Promise<RpcLog[]>;
  /** Logs of blocks `from` to `to`, both included, that pass another filter. Rejects as `logsOfRange`. */
  logsWith(filter: PositionFilter, from: number, to: number): Promise<RpcLog[]>;
  /** Logs of blocks `from` to `to`, both included. Rejects with `rangeTooLarge` when that is too much. */
  logsOfRange(from: number, to: number): Promise<RpcLog[]>;
  close(): Promise<void>;
}

export interface ChainRpcOptions {
  readonly url: string;
  /** Of `logsOfBlock` and `logsOfRange`, which ask one question for each. */
  readonly filters: readonly PositionFilter[];
  readonly budget: Pick<Budget, 'take'>;
  readonly timeoutMs: number;
}

export function openChainRpc(options: ChainRpcOptions): ChainRpc {
  const { url, filters, budget, timeoutMs } = options;
  const overSocket = url.startsWith('ws');
  const timing = { timeout: timeoutMs, retryCount: RETRIES, retryDelay: RETRY_DELAY_MS };
  const transport: Transport = overSocket ? webSocket(url, timing) : http(url, timing);
  const client = createClient({ transport });
  const ask = async <T>(question: () => Promise<T>): Promise<T> => {
    await budget.take(1);
    try {
      return await question();
    } catch (error) {
      throw tidy(error, url);
    }
  };

  const inRange = (filter: PositionFilter, from: number, to: number) =>
    ask(() =>
      client.request(
        { method: 'eth_getLogs', params: [{ ...wanted(filter), fromBlock: toHex(from), toBlock: toHex(to) }] },
        // Asking again for what is too much would only take time.
        { retryCount: 0 },
      ),
    );

  /** One question for each filter, at once; each log once, also of a node that lets more through than it was asked. */
  const ofAll = async (question: (filter: PositionFilter) => Promise<RpcLog[]>): Promise<RpcLog[]> => {
    const logs = (await Promise.all(filters.map(question))).flat();
    return [...new Map(logs.map((log) => [`${log.blockHash} ${log.logIndex}`, log])).values()];
  };

  return {
    async header(block) {
      const which = typeof block === 'number' ? toHex(block) : block;
      const found = await ask(() => client.request({ method: 'eth_getBlockByNumber', params: [which, false] }));
      // Between two blocks a node may know one that has no number or hash yet.
      if (!found?.number || !found.hash) return null;
      const { number, hash, parentHash, timestamp } = found;
      return { number, hash, parentHash, timestamp };
    },

    logsOfBlock: (hash) =>
      ofAll((filter) =>
        ask(() => client.request({ method: 'eth_getLogs', params: [{ ...wanted(filter), blockHash: hash as Hex }] })),
      ),

    logsOfRange: (from, to) => ofAll((filter) => inRange(filter, from, to)),
    logsWith: inRange,

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
const MESSAGE_CHARACTERS = 200;

function tidy(error: unknown, url: string): ChainRpcError {
  if (!(error instanceof BaseError))
    return new ChainRpcError(error instanceof Error ? error.message : String(error), false);
  const http = error.walk((inner) => inner instanceof HttpRequestError);
  const status = http instanceof HttpRequestError && http.status ? ` (${http.status})` : '';
  const words = [error.shortMessage, error.details]
    .filter((part) => part)
    .join(' ')
    .replaceAll(url, 'the node');
  return new ChainRpcError(`${words.replaceAll(/\s+/g, ' ').slice(0, MESSAGE_CHARACTERS)}${status}`, isTooMuch(error));
}

function isTooMuch(error: BaseError): boolean {
  if (RANGE_TOO_LARGE.test(`${error.details ?? ''} ${error.shortMessage}`)) return true;
  const cause = error.walk(
    (inner) =>
      inner instanceof TimeoutError ||
      (inner instanceof HttpRequestError && inner.status === CONTENT_TOO_LARGE) ||
      (typeof inner === 'object' && inner !== null && 'code' in inner && inner.code === LIMIT_EXCEEDED),
  );
  return cause !== null;
}

/** A filter as the node takes it. */
const wanted = ({ addresses, topics }: PositionFilter) => ({ address: addresses as Hex[], topics: topics as Hex[][] });

const toHex = (number: number): Hex => `0x${number.toString(16)}`;
