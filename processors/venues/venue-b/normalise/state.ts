/** State of the normaliser of venue_b. It is plain data, since snapshots serialize it with `v8.serialize`. */

import { type ChannelSeqs, createChannelSeqs } from '../../../shared/channel-seqs.ts';
import { type AcquiredParts, createAcquiredParts } from '../../shared/acquired-parts.ts';
import { createLivenessState, type LivenessState } from '../../shared/liveness.ts';
import { type BackfilledTrades, createBackfilledTrades } from './backfilled-trades.ts';
import { type CatalogState, createCatalogState } from './catalog-state.ts';
import { type ChainView, createChainView } from './chain-view.ts';
import { type Collateral, createCollateral } from './collateral.ts';
import { createEmittedMoves, type EmittedMoves } from './emitted-moves.ts';
import { createEmittedPhases, type EmittedPhases } from './emitted-phases.ts';
import type { EmittedResolutions } from './emitted-resolutions.ts';
import { createEmittedTrades, type EmittedTrades } from './emitted-trades.ts';
import type { OrderFilled } from './order-filled.ts';
import type { PositionLog } from './position-logs.ts';
import type { TokenBook } from './token-books.ts';

/** A maker leg that waits for the taker leg of its match. */
export interface OpenLeg {
  readonly transactionHash: string;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly logIndex: number;
  readonly receivedAt: number;
  readonly order: OrderFilled;
}

/** The transaction whose logs are being received. Logs of one transaction come together, so there is one at most. */
export interface OpenTransaction {
  readonly transactionHash: string;
  readonly blockHash: string;
  /** Receive time of the newest leg. */
  receivedAt: number;
  legs: OpenLeg[];
}

/** Logs about positions of the transaction that is being received; what they mean shows when all of them are there. */
export interface OpenMoves {
  readonly transactionHash: string;
  readonly blockNumber: number;
  readonly blockHash: string;
  /** Receive time of the newest log. */
  receivedAt: number;
  /** By log index. */
  readonly logs: Map<number, PositionLog>;
}

/** The text of a page of positions, or the result of a call with its block. */
export interface AccountResponse {
  readonly text: string;
  readonly block: number | null;
  /** When the oldest response of its acquisition was received, unix ms; null if the record does not state it. */
  readonly oldestAt: number | null;
}

export interface VenueBState {
  readonly chain: ChainView;
  openTransaction: OpenTransaction | null;
  /** The transaction whose logs about positions are being received. */
  openMoves: OpenMoves | null;
  readonly trades: EmittedTrades;
  readonly moves: EmittedMoves;
  readonly collateral: Collateral;
  /** Trades from before the chain was followed. */
  readonly backfilled: BackfilledTrades;
  readonly phases: EmittedPhases;
  readonly resolutions: EmittedResolutions;
  readonly catalog: CatalogState;
  /** Books by token, the one whose snapshot is oldest first. */
  readonly books: Map<string, TokenBook>;
  /** Responses about accounts that wait for the others of their acquisition. */
  readonly acquiredParts: AcquiredParts<AccountResponse>;
  readonly liveness: LivenessState;
  readonly channelSeqs: ChannelSeqs;
}

export function createVenueBState(): VenueBState {
  return {
    chain: createChainView(),
    openTransaction: null,
    openMoves: null,
    trades: createEmittedTrades(),
    moves: createEmittedMoves(),
    collateral: createCollateral(),
    backfilled: createBackfilledTrades(),
    phases: createEmittedPhases(),
    resolutions: new Map(),
    catalog: createCatalogState(),
    books: new Map(),
    acquiredParts: createAcquiredParts(),
    liveness: createLivenessState(),
    channelSeqs: createChannelSeqs(),
  };
}
