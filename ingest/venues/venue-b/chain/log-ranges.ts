/** Adapts the ranges of `eth_getLogs` to the node: halved when it refuses, slowly increased while it answers. */
import type { RpcLog } from 'viem';
import { type ChainRpc, ChainRpcError } from './chain-rpc.ts';

const GROWTH = 1.25;

export class LogRanges {
  private readonly rpc: Pick<ChainRpc, 'logsOfRange'>;
  private readonly blocksMax: number;
  private blocks: number;

  constructor(rpc: Pick<ChainRpc, 'logsOfRange'>, limits: { readonly first: number; readonly max: number }) {
    this.rpc = rpc;
    this.blocks = limits.first;
    this.blocksMax = limits.max;
  }

  /** Reads logs from block `from` to the returned block, at most `to`. Rejects if even a single block is too large. */
  async next(from: number, to: number): Promise<{ readonly logs: RpcLog[]; readonly to: number }> {
    for (;;) {
      const end = Math.min(to, from + this.blocks - 1);
      try {
        const logs = await this.rpc.logsOfRange(from, end);
        this.blocks = Math.min(this.blocksMax, Math.ceil(this.blocks * GROWTH));
        return { logs, to: end };
      } catch (error) {
        if (end === from || !(error instanceof ChainRpcError && error.rangeTooLarge)) throw error;
        this.blocks = Math.max(1, Math.floor((end - from + 1) / 2));
      }
    }
  }
}
