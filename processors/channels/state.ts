import type { Trade } from '#schemas/topics/normalised';
import { type ChannelSeqs, createChannelSeqs } from '../shared/channel-seqs.ts';
import { createOracleState, type OracleState } from '../shared/oracle-state.ts';
import type { EmittedState } from '../shared/detect-change.ts';

/** Bounded as `OracleState` says, by the trades remembered, and for the channels' numbers as `ChannelSeqs` says. */
export interface ChannelsState extends OracleState {
  readonly seqs: ChannelSeqs;
  /** Trades that may be told again, the oldest first; a bounded number. */
  readonly emittedTrades: Map<Trade['id'], EmittedState>;
}

export function createChannelsState(): ChannelsState {
  return { seqs: createChannelSeqs(), ...createOracleState(), emittedTrades: new Map() };
}
