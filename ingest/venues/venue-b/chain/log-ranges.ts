/** Ranges of `eth_getLogs` as large as the node bears: halved when it refuses, grown slowly while it answers. */
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

  /** Logs from block `from` on, up to a block that it says, at most `to`. Rejects when not even one block is answered. */
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
