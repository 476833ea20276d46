/** Requests of a backfill to the chain's node, with retries and with ranges that the node accepts. */
import type { RpcLog } from 'viem';
import { isTransient, retry } from '#infra/runtime/retry';
import { CHAIN_EVENTS, EXCHANGES } from '#schemas/venues/venue-b/contracts';
import { type ChainRpc, ChainRpcError, type PositionFilter } from '../chain/chain-rpc.ts';

const ATTEMPTS_MAX = 5;
const EXCHANGE_ADDRESSES = Object.values(EXCHANGES);
const ORDER_FILLED = [CHAIN_EVENTS.orderFilledV1, CHAIN_EVENTS.orderFilledV2];

/** A log of a node; some nodes add the time of its block. */
export type HistoryLog = RpcLog;

/** Matches orders by account: owned by any of `makers`, filled against any of `takers`; null matches anyone. */
export interface OrdersOf {
  readonly makers: readonly string[] | null;
  readonly takers: readonly string[] | null;
}

export class HistoryNode {
  private readonly rpc: Pick<ChainRpc, 'header' | 'logsWith'>;
  private readonly signal: AbortSignal;

  constructor(rpc: Pick<ChainRpc, 'header' | 'logsWith'>, signal: AbortSignal) {
    this.rpc = rpc;
    this.signal = signal;
  }

  /** The header of a block. Rejects with a `ChainRpcError` if the node does not have it. */
  async header(block: number | 'latest') {
    const header = await this.withRetry(() => this.rpc.header(block));
    if (!header) throw new ChainRpcError(`the node does not have block ${block}`, false);
    return header;
  }

  /** `OrderFilled` logs of all exchanges in these blocks, sorted by number and index, each once. */
  async orders(of: OrdersOf, from: number, to: number): Promise<HistoryLog[]> {
    const topics = [ORDER_FILLED, null, of.makers?.map(accountTopic) ?? null, of.takers?.map(accountTopic) ?? null];
    const logs = await this.inParts({ addresses: EXCHANGE_ADDRESSES, topics }, from, to);
    const byId = new Map(logs.filter(({ removed }) => !removed).map((log) => [logId(log), log]));
    return [...byId.values()].sort(
      (a, b) => Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex),
    );
  }

  /** Halves the range until the node accepts it. */
  private async inParts(filter: PositionFilter, from: number, to: number): Promise<HistoryLog[]> {
    try {
      return await this.withRetry(() => this.rpc.logsWith(filter, from, to));
    } catch (error) {
      if (from === to || !(error instanceof ChainRpcError && error.rangeTooLarge)) throw error;
      const middle = Math.floor((from + to) / 2);
      return [...(await this.inParts(filter, from, middle)), ...(await this.inParts(filter, middle + 1, to))];
    }
  }

  private withRetry<T>(request: () => Promise<T>): Promise<T> {
    const { signal } = this;
    return retry(
      () => {
        signal.throwIfAborted();
        return request();
      },
      {
        canRetry: (error, failures) =>
          failures < ATTEMPTS_MAX &&
          !signal.aborted &&
          isTransient(error) &&
          !(error instanceof ChainRpcError && error.rangeTooLarge),
        signal,
      },
    );
  }
}

/** Identifies a log across answers. */
export const logId = ({ transactionHash, logIndex }: RpcLog) => `${transactionHash} ${logIndex}`;

/** Encodes an account as an indexed topic. */
function accountTopic(account: string): string {
  return `0x${account.slice(2).padStart(64, '0')}`;
}

/** Decodes the account of an indexed topic, lower case. */
export function accountIn(log: RpcLog, position: 2 | 3): string {
  return `0x${(log.topics[position] ?? '').slice(-40).toLowerCase()}`;
}
