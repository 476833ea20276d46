import { readBalanceCall } from '#schemas/venues/venue-b/balance-call';
import { runInTurns } from '../../turns.ts';
import { type Chain, FINALITY_BLOCKS, type PlacedLog } from './chain.ts';
import { CHAIN_ID } from './contracts.ts';
import type { Holdings } from './holdings.ts';
import {
  accountsOf,
  type LogFilter,
  namesAdapters,
  namesMarketEvents,
  passesFilter,
  readLogFilter,
  takersOf,
} from './log-filter.ts';
import { blockText, logText } from './rpc-text.ts';

/**
 * Limits of one `eth_getLogs`: blocks, and logs of its answer. Beyond them the answer is an error (venue page, section
 * 9).
 */
const MAX_BLOCKS = 2_000;
const MAX_LOGS = 20_000;
/** Longest time for an answer in one turn of the event loop. */
const TURN_MS = 10;
/** Most calls of one batch. */
const MAX_CALLS = 100;

/** A JSON-RPC error. */
class RpcError extends Error {
  override name = 'RpcError';
  readonly code: number;
  readonly canRetry: boolean;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
    this.canRetry = code === LIMIT_EXCEEDED;
  }
}
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const UNKNOWN_METHOD = -32_601;
const INVALID_PARAMS = -32_602;
const LIMIT_EXCEEDED = -32_005;

type Json = Readonly<Record<string, unknown>>;
type Params = readonly unknown[];

/** The state of the chain as of a call. */
export interface RpcMoment {
  /** Newest block. */
  readonly head: number;
}

export interface Rpc {
  /** Answers a request body with one call or a batch. Long answers yield to the event loop. */
  answer(body: string, moment: RpcMoment): Promise<string>;
}

function readTag(tag: unknown, head: number): number {
  if (tag === undefined || tag === 'latest' || tag === 'pending') return head;
  if (tag === 'finalized' || tag === 'safe') return head - FINALITY_BLOCKS;
  if (tag === 'earliest') return 0;
  if (typeof tag !== 'string' || !/^0x[0-9a-f]{1,12}$/i.test(tag))
    throw new RpcError(INVALID_PARAMS, 'invalid block number');
  return Number(tag);
}

/** JSON text of an error answer. */
function errorText(id: unknown, error: RpcError): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id ?? null)},"error":${JSON.stringify({ code: error.code, message: error.message })}}`;
}

/** JSON text of an answer. */
export function resultText(id: unknown, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id ?? null)},"result":${result}}`;
}

/**
 * Creates the simulated node, which answers JSON-RPC from the chain. `repeats` returns how often each log is included.
 */
export function createRpc(chain: Chain, holdings: Pick<Holdings, 'balanceOf'>, repeats: () => number): Rpc {
  const everyLog = (number: number, head: number): readonly PlacedLog[] => {
    const block = chain.block(number, head);
    return block.logs.map((log) => ({ block, log }));
  };
  /** The fastest search of a block that finds every log that passes the filter. */
  const searchOf = (wanted: LogFilter): ((number: number, head: number) => readonly PlacedLog[]) => {
    if (namesMarketEvents(wanted)) return chain.logsOfMarkets;
    if (namesAdapters(wanted)) return chain.logsOfAdapters;
    const takers = takersOf(wanted);
    if (takers) return (number, head) => chain.logsOfTakers(number, head, takers);
    const accounts = accountsOf(wanted);
    return accounts ? (number, head) => chain.logsInvolving(number, head, accounts) : everyLog;
  };
  /** Yields logs that may pass the filter, block by block. */
  function* candidates(filter: Json, wanted: LogFilter, head: number): Generator<readonly PlacedLog[]> {
    if (typeof filter.blockHash === 'string') {
      const block = chain.byHash(filter.blockHash.toLowerCase(), head);
      if (!block) throw new RpcError(-32_000, 'unknown block');
      yield block.logs.map((log) => ({ block, log }));
      return;
    }
    const from = readTag(filter.fromBlock, head);
    const to = Math.min(readTag(filter.toBlock, head), head);
    if (readTag(filter.toBlock, head) < from) throw new RpcError(INVALID_PARAMS, 'invalid block range params');
    if (to - from + 1 > MAX_BLOCKS) {
      throw new RpcError(LIMIT_EXCEEDED, `query exceeds max block range ${MAX_BLOCKS}`);
    }
    const search = searchOf(wanted);
    for (let number = Math.max(0, from); number <= to; number += 1) yield search(number, head);
  }
  const logs = async (filter: Json, head: number): Promise<string> => {
    const wanted = readLogFilter(filter);
    const texts: string[] = [];
    const times = repeats();
    let turnEnds = performance.now() + TURN_MS;
    for (const ofBlock of candidates(filter, wanted, head)) {
      if (performance.now() > turnEnds) {
        await new Promise((resolve) => setImmediate(resolve));
        turnEnds = performance.now() + TURN_MS;
      }
      for (const { block, log } of ofBlock) {
        if (!passesFilter(wanted, log)) continue;
        if (texts.length >= MAX_LOGS) {
          throw new RpcError(
            LIMIT_EXCEEDED,
            `too many results: query exceeds ${MAX_LOGS} logs, use a smaller block range`,
          );
        }
        const text = logText(block, log, false);
        for (let nth = 0; nth < times; nth += 1) texts.push(text);
      }
    }
    return `[${texts.join(',')}]`;
  };
  const block = (number: number, head: number) =>
    number < 0 || number > head ? 'null' : blockText(chain.block(number, head));

  const methods: Readonly<Record<string, (params: Params, moment: RpcMoment) => string | Promise<string>>> = {
    eth_chainId: () => `"0x${CHAIN_ID.toString(16)}"`,
    net_version: () => `"${CHAIN_ID}"`,
    web3_clientVersion: () => '"parallax-simulator/1"',
    eth_syncing: () => 'false',
    eth_gasPrice: () => '"0x6fc23ac00"',
    eth_blockNumber: (_params, { head }) => `"0x${head.toString(16)}"`,
    eth_getBlockByNumber: ([tag], { head }) => block(readTag(tag, head), head),
    eth_getBlockByHash([hash], { head }) {
      const found = chain.byHash(String(hash).toLowerCase(), head);
      return found ? blockText(found) : 'null';
    },
    eth_getLogs: ([filter], { head }) => logs((filter ?? {}) as Json, head),
    async eth_call([call, tag], { head }) {
      const { to, data } = (call ?? {}) as Json;
      const balance = readBalanceCall({ to, data, block: 0 });
      const block = Math.min(readTag(tag, head), head);
      // All other balances, and all payouts, are zero.
      const units = balance ? await runInTurns(holdings.balanceOf(balance.token, balance.account, block)) : 0n;
      return `"0x${units.toString(16).padStart(64, '0')}"`;
    },
  };
  const call = async (method: string, params: Params, moment: RpcMoment): Promise<string> => {
    const handler = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (!handler) throw new RpcError(UNKNOWN_METHOD, `the method ${method} does not exist/is not available`);
    return handler(params, moment);
  };
  const one = async (request: unknown, moment: RpcMoment): Promise<string> => {
    const { id, method, params } = (request ?? {}) as Json;
    try {
      if (typeof method !== 'string') throw new RpcError(INVALID_REQUEST, 'invalid request');
      return resultText(id, await call(method, Array.isArray(params) ? params : [], moment));
    } catch (error) {
      if (error instanceof RpcError) return errorText(id, error);
      throw error;
    }
  };
  return {
    async answer(body, moment) {
      let request: unknown;
      try {
        request = JSON.parse(body);
      } catch {
        return errorText(null, new RpcError(PARSE_ERROR, 'parse error'));
      }
      if (!Array.isArray(request)) return one(request, moment);
      if (request.length === 0 || request.length > MAX_CALLS) {
        return errorText(null, new RpcError(INVALID_REQUEST, `a batch holds 1 to ${MAX_CALLS} calls`));
      }
      const answers: string[] = [];
      for (const entry of request) answers.push(await one(entry, moment));
      return `[${answers.join(',')}]`;
    },
  };
}
