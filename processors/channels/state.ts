import type { Trade } from '#schemas/topics/normalised';
import { type ChannelSeqs, createChannelSeqs } from '../shared/channel-seqs.ts';
import type { EmittedState } from '../shared/detect-change.ts';
import { createOracleState, type OracleState } from '../shared/oracle-state.ts';

/** Bounded like `OracleState` and `ChannelSeqs`, and by the number of trades remembered. */
export interface ChannelsState extends OracleState {
  readonly seqs: ChannelSeqs;
  /** Emitted trades whose record may come again, the oldest first; a bounded number. */
  readonly emittedTrades: Map<Trade['id'], EmittedState>;
}

export function createChannelsState(): ChannelsState {
  return { seqs: createChannelSeqs(), ...createOracleState(), emittedTrades: new Map() };
}
