/** Builds records of logs about positions, for tests. */
import { toHex } from 'viem';
import type { EmittedLog } from '#schemas/venues/venue-b/oracle-logs';
import { type AnyRecord, blockAt, hashOf, raw } from './venue-b.fixture.ts';

export interface PlacedAt {
  readonly block?: number;
  readonly fork?: string;
  readonly tx?: string;
  readonly logIndex: number;
  readonly removed?: boolean;
}

/** A log in JSON-RPC encoding at a place in the chain. */
export function placed(log: EmittedLog, { block = 100, fork = 'a', tx = 'tx', logIndex, removed = false }: PlacedAt) {
  return {
    ...log,
    blockNumber: toHex(block),
    blockHash: hashOf(`${block}${fork}`),
    transactionHash: hashOf(tx),
    transactionIndex: '0x0',
    logIndex: toHex(logIndex),
    removed,
  };
}

/** Records of logs of one transaction, with consecutive log indexes from `logIndex` on. */
export function logsOf(logs: readonly EmittedLog[], at: Partial<PlacedAt> = {}): AnyRecord[] {
  const { block = 100, logIndex = 0 } = at;
  return logs.map((log, nth) =>
    raw('rpc', blockAt(block), { log: placed(log, { ...at, block, logIndex: logIndex + nth }) }),
  );
}
