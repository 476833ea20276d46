/** Everything the normaliser of venue_b remembers. Plain data: it is snapshotted with `v8.serialize`. */

import { type ChannelSeqs, createChannelSeqs } from '../../shared/channel-seqs.ts';
import { createLivenessState, type LivenessState } from '../shared/liveness.ts';
import { type CatalogState, createCatalogState } from './catalog-state.ts';
import { type ChainView, createChainView } from './chain-view.ts';
import { createLateFills, type LateFills } from './late-fills.ts';
import type { OrderFilled } from './order-filled.ts';
import type { TokenBook } from './token-books.ts';
import { createToldPhases, type ToldPhases } from './told-phases.ts';
import type { ToldResolutions } from './told-resolutions.ts';
import { createToldTrades, type ToldTrades } from './told-trades.ts';

/** A maker leg that waits for the taker leg of its match. */
export interface OpenLeg {
  readonly transactionHash: string;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly logIndex: number;
  readonly receivedAt: number;
  readonly order: OrderFilled;
}

/** The transaction whose logs are coming in; logs of one transaction come together, so there is one at most. */
export interface OpenTransaction {
  readonly transactionHash: string;
  readonly blockHash: string;
  /** Receive time of the newest leg. */
  receivedAt: number;
  legs: OpenLeg[];
}

export interface VenueBState {
  readonly chain: ChainView;
  openTransaction: OpenTransaction | null;
  readonly told: ToldTrades;
  /** Missing in snapshots from before there were backfills; `lateOf` makes it. */
  late?: LateFills;
  readonly phases: ToldPhases;
  readonly resolutions: ToldResolutions;
  readonly catalog: CatalogState;
  /** Books by token, the one whose snapshot is oldest first. */
  readonly books: Map<string, TokenBook>;
  readonly liveness: LivenessState;
  readonly channelSeqs: ChannelSeqs;
}

export function createVenueBState(): VenueBState {
  return {
    chain: createChainView(),
    openTransaction: null,
    told: createToldTrades(),
    late: createLateFills(),
    phases: createToldPhases(),
    resolutions: new Map(),
    catalog: createCatalogState(),
    books: new Map(),
    liveness: createLivenessState(),
    channelSeqs: createChannelSeqs(),
  };
}

/** What is known of fills from before the chain was followed. */
export function lateOf(state: VenueBState): LateFills {
  state.late ??= createLateFills();
  return state.late;
}
