/** The questions of a backfill to the chain's node: patient with the node, in ranges that it bears. */
import type { RpcLog } from 'viem';
import { isTransient, retry } from '#infra/retry';
import { CHAIN_EVENTS, EXCHANGES } from '#schemas/venues/venue-b/contracts';
import { type ChainRpc, ChainRpcError, type PositionFilter } from '../chain/chain-rpc.ts';

const ATTEMPTS_MAX = 5;
const EXCHANGE_ADDRESSES = Object.values(EXCHANGES);
const ORDER_FILLED = [CHAIN_EVENTS.orderFilledV1, CHAIN_EVENTS.orderFilledV2];

/** A log as nodes give it; some add the time of its block. */
export type HistoryLog = RpcLog;

/** Which accounts an order has: any of these as its owner, any of these as what it was filled against; null is anyone. */
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

  /** Rejects with a `ChainRpcError` when the node does not have it. */
  async header(block: number | 'latest') {
    const header = await this.patiently(() => this.rpc.header(block));
    if (!header) throw new ChainRpcError(`the node does not know block ${block}`, false);
    return header;
  }

  /** `OrderFilled` logs of all exchanges in these blocks, by number and index, each once. */
  async orders(of: OrdersOf, from: number, to: number): Promise<HistoryLog[]> {
    const topics = [ORDER_FILLED, null, of.makers?.map(accountTopic) ?? null, of.takers?.map(accountTopic) ?? null];
    const logs = await this.inParts({ addresses: EXCHANGE_ADDRESSES, topics }, from, to);
    const byPlace = new Map(logs.filter(({ removed }) => !removed).map((log) => [placeOf(log), log]));
    return [...byPlace.values()].sort(
      (a, b) => Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex),
    );
  }

  /** Halves the range as often as the node finds it too large. */
  private async inParts(filter: PositionFilter, from: number, to: number): Promise<HistoryLog[]> {
    try {
      return await this.patiently(() => this.rpc.logsWith(filter, from, to));
    } catch (error) {
      if (from === to || !(error instanceof ChainRpcError && error.rangeTooLarge)) throw error;
      const middle = Math.floor((from + to) / 2);
      return [...(await this.inParts(filter, from, middle)), ...(await this.inParts(filter, middle + 1, to))];
    }
  }

  private patiently<T>(question: () => Promise<T>): Promise<T> {
    const { signal } = this;
    return retry(
      () => {
        signal.throwIfAborted();
        return question();
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

/** What makes a log the same in two answers. */
export const placeOf = ({ transactionHash, logIndex }: RpcLog) => `${transactionHash} ${logIndex}`;

/** An address as an indexed topic. */
function accountTopic(account: string): string {
  return `0x${account.slice(2).padStart(64, '0')}`;
}

/** The account in an indexed topic, lower case. */
export function accountIn(log: RpcLog, position: 2 | 3): string {
  return `0x${(log.topics[position] ?? '').slice(-40).toLowerCase()}`;
}
