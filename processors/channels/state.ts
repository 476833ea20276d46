import type { Trade } from '#schemas/topics/normalised';
import { createMergedEvents, type MergedEvents } from '../shared/merged-events.ts';
import type { ChannelSeqs } from '../shared/tell-frame.ts';

/** What was told of a trade that may be told again. */
export interface ToldTrade {
  readonly reverted: boolean;
  /** Its event's channel had it; false while its market was not known. */
  readonly event: boolean;
}

/** Bounded by the events there ever were, whose channels go on counting, and by the trades remembered. */
export interface ChannelsState extends MergedEvents {
  readonly seqs: ChannelSeqs;
  /** Event of each linked market, by `provider|marketId`. */
  readonly eventOf: Map<string, string>;
  /** Markets of each event, by which a market that left is noticed. */
  readonly marketsOf: Map<string, readonly string[]>;
  /** Trades that may be told again, the oldest first; a bounded number. */
  readonly told: Map<Trade['id'], ToldTrade>;
}

export function createChannelsState(): ChannelsState {
  return {
    seqs: new Map(),
    eventOf: new Map(),
    marketsOf: new Map(),
    ...createMergedEvents(),
    told: new Map(),
  };
}

export function marketKey(provider: string, marketId: string): string {
  return `${provider}|${marketId}`;
}
