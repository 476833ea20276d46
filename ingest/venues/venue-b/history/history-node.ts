/** Requests of a backfill to the chain's node, with retries and with ranges that the node accepts. */
import type { RpcLog } from 'viem';
import { isTransient, retry } from '#infra/runtime/retry';
import {
  CHAIN_EVENTS,
  COLLATERAL_ADAPTERS,
  COLLATERAL_TOKENS,
  CONDITIONAL_TOKENS,
  EXCHANGES,
  NEG_RISK_ADAPTER,
} from '#schemas/venues/venue-b/contracts';
import { type ChainRpc, ChainRpcError, type PositionFilter } from '../chain/chain-rpc.ts';

const ATTEMPTS_MAX = 5;
const EXCHANGE_ADDRESSES = Object.values(EXCHANGES);
const ORDER_FILLED = [CHAIN_EVENTS.orderFilledV1, CHAIN_EVENTS.orderFilledV2];
const POSITION_ACTIONS: readonly string[] = [
  CHAIN_EVENTS.positionSplit,
  CHAIN_EVENTS.positionsMerge,
  CHAIN_EVENTS.negRiskSplit,
  CHAIN_EVENTS.negRiskMerge,
  CHAIN_EVENTS.positionsConverted,
];
const TOKEN_TRANSFERS: readonly string[] = [CHAIN_EVENTS.transferSingle, CHAIN_EVENTS.transferBatch];
const WALLET_EVENTS = [...ORDER_FILLED, ...POSITION_ACTIONS, ...TOKEN_TRANSFERS, CHAIN_EVENTS.transfer];
const WALLET_CONTRACTS = [
  ...EXCHANGE_ADDRESSES,
  CONDITIONAL_TOKENS,
  NEG_RISK_ADAPTER,
  ...Object.values(COLLATERAL_TOKENS),
];

/** What a log states. */
export function kindOf({ topics: [event] }: RpcLog): 'order' | 'action' | 'transfer' | 'collateral' {
  if (event === CHAIN_EVENTS.transfer) return 'collateral';
  if (POSITION_ACTIONS.includes(event as string)) return 'action';
  return TOKEN_TRANSFERS.includes(event as string) ? 'transfer' : 'order';
}

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
  async header(block: number) {
    const header = await this.withRetry(() => this.rpc.header(block));
    if (!header) throw new ChainRpcError(`the node does not have block ${block}`, false);
    return header;
  }

  /** The newest header. Rejects with a `ChainRpcError` if the node is behind a block. */
  head(atLeast: number) {
    return this.withRetry(async () => {
      const header = await this.rpc.header('latest');
      if (!header || Number(header.number) < atLeast)
        throw new ChainRpcError(`the node does not have block ${atLeast} yet`, false);
      return header;
    });
  }

  /** `OrderFilled` logs of all exchanges in these blocks, sorted by number and index, each once. */
  orders(of: OrdersOf, from: number, to: number): Promise<HistoryLog[]> {
    const topics = [ORDER_FILLED, null, of.makers?.map(accountTopic) ?? null, of.takers?.map(accountTopic) ?? null];
    return this.sorted({ addresses: EXCHANGE_ADDRESSES, topics }, from, to);
  }

  /** Logs of trades, splits, merges, conversions, tokens and collateral that name an account at a position of their topics. */
  logsNaming(account: string, position: 1 | 2 | 3, from: number, to: number): Promise<HistoryLog[]> {
    const topics: (readonly string[] | null)[] = [WALLET_EVENTS, null, null, null];
    topics[position] = [accountTopic(account)];
    return this.sorted({ addresses: WALLET_CONTRACTS, topics: topics.slice(0, position + 1) }, from, to);
  }

  /** Splits, merges and conversions by the collateral adapters. */
  adapterActions(from: number, to: number): Promise<HistoryLog[]> {
    const topics = [POSITION_ACTIONS, COLLATERAL_ADAPTERS.map(accountTopic)];
    return this.sorted({ addresses: [CONDITIONAL_TOKENS, NEG_RISK_ADAPTER], topics }, from, to);
  }

  /** Resolutions of these conditions. */
  resolutions(conditions: readonly string[], from: number, to: number): Promise<HistoryLog[]> {
    const topics = [[CHAIN_EVENTS.conditionResolution], conditions];
    return this.sorted({ addresses: [CONDITIONAL_TOKENS], topics }, from, to);
  }

  private async sorted(filter: PositionFilter, from: number, to: number): Promise<HistoryLog[]> {
    const logs = await this.inParts(filter, from, to);
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
export function accountIn(log: RpcLog, position: 1 | 2 | 3): string {
  return `0x${(log.topics[position] ?? '').slice(-40).toLowerCase()}`;
}
