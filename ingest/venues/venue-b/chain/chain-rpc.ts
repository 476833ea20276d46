/** A JSON-RPC client of a chain's node. Answers stay in the JSON-RPC encoding (hex quantities). */
import { setMaxListeners } from 'node:events';
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
import { untilAborted } from '#infra/runtime/until-aborted';
import type { ChainBlock } from '#schemas/domain/recording';
import type { Budget } from '../../../feed/budget.ts';

/** Retries of short failures; the reader handles longer ones. */
const RETRIES = 2;
const RETRY_DELAY_MS = 150;

/** Matches logs of these addresses whose topics are, position by position, among these; null matches any. */
export interface PositionFilter {
  readonly addresses: readonly string[];
  readonly topics: readonly (readonly string[] | null)[];
}

/** Why a request to the node failed. It omits the node's URL, which may contain a key, and therefore the cause too. */
export class ChainRpcError extends Error {
  override name = 'ChainRpcError';
  readonly code = 'chain_unavailable';
  readonly canRetry = true;
  /** True if a smaller range may succeed. */
  readonly rangeTooLarge: boolean;
  constructor(message: string, rangeTooLarge: boolean) {
    super(message);
    this.rangeTooLarge = rangeTooLarge;
  }
}

/** Every request rejects with a `ChainRpcError` on failure. */
export interface ChainRpc {
  /** The header of a block by number, or of the latest or finalized one; null if the node has none. */
  header(block: number | 'latest' | 'finalized'): Promise<ChainBlock | null>;
  /** Logs of exactly this block. Fails if the node does not have it; a request by number would return an empty list. */
  logsOfBlock(hash: string): Promise<RpcLog[]>;
  /** Like `logsOfRange`, but with another filter. */
  logsWith(filter: PositionFilter, from: number, to: number): Promise<RpcLog[]>;
  /** Logs of blocks `from` to `to`, both included. Rejects with `rangeTooLarge` if the range is too large. */
  logsOfRange(from: number, to: number): Promise<RpcLog[]>;
  /** The result of a call of a contract as of a block. */
  call(call: { readonly to: string; readonly data: string }, block: number): Promise<string>;
  /** Rejects running requests, so that a slow node does not delay the end. */
  close(): Promise<void>;
}

export interface ChainRpcOptions {
  readonly url: string;
  /** Filters of `logsOfBlock` and `logsOfRange`, which send one request for each. */
  readonly filters: readonly PositionFilter[];
  /** Further ones, which may change. */
  readonly moreFilters?: () => readonly PositionFilter[];
  readonly budget: Pick<Budget, 'acquire'>;
  readonly timeoutMs: number;
}

export function openChainRpc(options: ChainRpcOptions): ChainRpc {
  const { url, filters, moreFilters, budget, timeoutMs } = options;
  const usesSocket = url.startsWith('ws');
  const timing = { timeout: timeoutMs, retryCount: RETRIES, retryDelay: RETRY_DELAY_MS };
  const closing = new AbortController();
  // Each running request listens to it.
  setMaxListeners(0, closing.signal);
  const onFetchRequest = (_: Request, { signal, ...init }: RequestInit) => ({
    ...init,
    signal: AbortSignal.any(signal ? [signal, closing.signal] : [closing.signal]),
  });
  const transport: Transport = usesSocket ? webSocket(url, timing) : http(url, { ...timing, onFetchRequest });
  const client = createClient({ transport });
  const send = async <T>(request: () => Promise<T>): Promise<T> => {
    try {
      await budget.acquire(1, closing.signal);
      return await untilAborted(request(), closing.signal);
    } catch (error) {
      throw toChainRpcError(error, url);
    }
  };

  const inRange = (filter: PositionFilter, from: number, to: number) =>
    send(() =>
      client.request(
        { method: 'eth_getLogs', params: [{ ...toRpcFilter(filter), fromBlock: toHex(from), toBlock: toHex(to) }] },
        // A retry of a range that is too large would fail again.
        { retryCount: 0 },
      ),
    );

  /** Sends one request for each filter concurrently. Returns each log once, even if a node returns more than it should. */
  const withEachFilter = async (request: (filter: PositionFilter) => Promise<RpcLog[]>): Promise<RpcLog[]> => {
    const logs = (await Promise.all([...filters, ...(moreFilters?.() ?? [])].map(request))).flat();
    return [...new Map(logs.map((log) => [`${log.blockHash} ${log.logIndex}`, log])).values()];
  };

  return {
    async header(block) {
      const which = typeof block === 'number' ? toHex(block) : block;
      const found = await send(() => client.request({ method: 'eth_getBlockByNumber', params: [which, false] }));
      // A pending block has no number or hash yet.
      if (!found?.number || !found.hash) return null;
      const { number, hash, parentHash, timestamp } = found;
      return { number, hash, parentHash, timestamp };
    },

    logsOfBlock: (hash) =>
      withEachFilter((filter) =>
        send(() =>
          client.request({ method: 'eth_getLogs', params: [{ ...toRpcFilter(filter), blockHash: hash as Hex }] }),
        ),
      ),

    logsOfRange: (from, to) => withEachFilter((filter) => inRange(filter, from, to)),
    logsWith: inRange,

    call: ({ to, data }, block) =>
      send(() => client.request({ method: 'eth_call', params: [{ to: to as Hex, data: data as Hex }, toHex(block)] })),

    async close() {
      closing.abort(new Error('the client was closed'));
      if (!usesSocket) return;
      const { getRpcClient } = client.transport as unknown as { getRpcClient(): Promise<{ close(): void }> };
      await getRpcClient().then(
        (socket) => socket.close(),
        // A socket that could not be opened need not be closed.
        () => {},
      );
    },
  };
}

/** Error messages of providers for a range that is too large (venue page, section 9). */
const RANGE_TOO_LARGE =
  /block range|query exceeds|response size|too many (results|logs|blocks)|more than \d+ (results|logs)|limit exceeded|range (is )?too (large|wide)|exceeds? (the )?(max|limit)/i;
const LIMIT_EXCEEDED = -32_005;
const CONTENT_TOO_LARGE = 413;
const MESSAGE_CHARACTERS = 200;

function toChainRpcError(error: unknown, url: string): ChainRpcError {
  if (!(error instanceof BaseError))
    return new ChainRpcError(error instanceof Error ? error.message : String(error), false);
  const http = error.walk((inner) => inner instanceof HttpRequestError);
  const status = http instanceof HttpRequestError && http.status ? ` (${http.status})` : '';
  const words = [error.shortMessage, error.details]
    .filter((part) => part)
    .join(' ')
    .replaceAll(url, 'the node');
  return new ChainRpcError(
    `${words.replaceAll(/\s+/g, ' ').slice(0, MESSAGE_CHARACTERS)}${status}`,
    isRangeTooLarge(error),
  );
}

function isRangeTooLarge(error: BaseError): boolean {
  if (RANGE_TOO_LARGE.test(`${error.details ?? ''} ${error.shortMessage}`)) return true;
  const cause = error.walk(
    (inner) =>
      inner instanceof TimeoutError ||
      (inner instanceof HttpRequestError && inner.status === CONTENT_TOO_LARGE) ||
      (typeof inner === 'object' && inner !== null && 'code' in inner && inner.code === LIMIT_EXCEEDED),
  );
  return cause !== null;
}

/** Converts a filter to the parameters of `eth_getLogs`. */
const toRpcFilter = ({ addresses, topics }: PositionFilter) => ({
  address: addresses as Hex[],
  topics: topics as Hex[][],
});

const toHex = (number: number): Hex => `0x${number.toString(16)}`;
