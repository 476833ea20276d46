import type { Trade } from '#schemas/topics/normalised';

/** What was told of a trade that may be told again. */
export interface ToldTrade {
  readonly reverted: boolean;
  /** Its event's channel had it; false while its market was not known. */
  readonly event: boolean;
}

/** Bounded by the events there ever were, whose channels go on counting, and by the trades remembered. */
export interface ChannelsState {
  /** Newest `seq` of each channel. */
  readonly seqs: Map<string, number>;
  /** Event of each linked market, by `provider|marketId`. */
  readonly eventOf: Map<string, string>;
  /** Markets of each event, by which a market that left is noticed. */
  readonly marketsOf: Map<string, readonly string[]>;
  /** Survivor of each merged event. */
  readonly survivors: Map<string, string>;
  /** Events merged into each survivor. */
  readonly absorbed: Map<string, string[]>;
  /** Trades that may be told again, the oldest first; a bounded number. */
  readonly told: Map<Trade['id'], ToldTrade>;
}

export function createChannelsState(): ChannelsState {
  return {
    seqs: new Map(),
    eventOf: new Map(),
    marketsOf: new Map(),
    survivors: new Map(),
    absorbed: new Map(),
    told: new Map(),
  };
}

export function marketKey(provider: string, marketId: string): string {
  return `${provider}|${marketId}`;
}

/** An event and those that were merged into it: their channels carry the same. */
export function audienceOf(state: ChannelsState, universalId: string): readonly string[] {
  const survivor = state.survivors.get(universalId) ?? universalId;
  return [survivor, ...(state.absorbed.get(survivor) ?? [])];
}
