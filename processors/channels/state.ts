import type { Trade } from '#schemas/topics/normalised';
import { createOracleState, type OracleState } from '../shared/oracle-state.ts';
import type { ChannelSeqs } from '../shared/tell-frame.ts';
import type { Told } from '../shared/what-is-new.ts';

/**
 * Bounded as `OracleState` says, by the trades remembered, and for the channels' numbers, which go on counting, by the
 * events and markets that ever had a frame: an entry of some hundred bytes each.
 */
export interface ChannelsState extends OracleState {
  readonly seqs: ChannelSeqs;
  /** Trades that may be told again, the oldest first; a bounded number. */
  readonly told: Map<Trade['id'], Told>;
}

export function createChannelsState(): ChannelsState {
  return { seqs: new Map(), ...createOracleState(), told: new Map() };
}
