/**
 * The raw feeds of venue_a (specification, "Raw upstream feeds"; contract, "WebSocket"): all mids on
 * `svc:stream:venue_a_perp:*`, the book of a coin on `svc:stream:venue_a_perp:<coin>`, and all frames that name coins
 * of outcomes on `svc:stream:venue_a_outcome:*`. The payload is the frame's `data` as the venue wrote it.
 */

import type { Emit } from '#infra/stages/stage';
import type { Provider } from '#schemas/domain/providers';
import { formatChannel } from '#schemas/stream/channel-names';
import { channelTopics } from '#schemas/topics/channels';
import { marketOf, providerOf } from '#schemas/venues/venue-a/coin-market';
import { isOutcomeCoin } from '#schemas/venues/venue-a/outcome-coin';
import { emitRaw, type RawEvent, type RawSource, type TextPiece } from '../../../shared/emit-raw.ts';
import type { VenueAState } from './state.ts';

const ALL_MIDS = formatChannel({ kind: 'raw', provider: 'venue_a_perp', instrument: '*' });
const ALL_OUTCOMES = formatChannel({ kind: 'raw', provider: 'venue_a_outcome', instrument: '*' });

/** A frame of the socket: its record, the position of its data, and the destination of its events. */
export interface FrameSource {
  readonly state: VenueAState;
  readonly record: RawSource;
  readonly piece: TextPiece;
  readonly emit: Emit;
}

/** Emits a book on the channel of its coin, or on the channel of all outcomes. */
export function emitBookFrame(source: FrameSource, coin: string): void {
  const channel = isOutcomeCoin(coin)
    ? ALL_OUTCOMES
    : formatChannel({ kind: 'raw', provider: 'venue_a_perp', instrument: coin });
  write(source, { channel, provider: providerOf(coin), marketId: marketOf(coin) });
}

/** Emits all mids, of the main dex with its spot coins or of one builder dex. */
export function emitMidsFrame(source: FrameSource, provider: Provider, coins: readonly string[]): void {
  write(source, { channel: ALL_MIDS, provider, marketId: null });
  if (coins.some(isOutcomeCoin)) write(source, { channel: ALL_OUTCOMES, provider: 'venue_a_outcome', marketId: null });
}

/** Emits any other frame that names coins of outcomes, with their market if there is only one. */
export function emitOutcomeFrame(source: FrameSource, named: readonly { readonly coin: string }[]): void {
  let market: string | null = null;
  let isOnly = true;
  for (const { coin } of named) {
    if (!isOutcomeCoin(coin)) continue;
    isOnly &&= market === null || market === marketOf(coin);
    market = marketOf(coin);
  }
  if (market === null) return;
  write(source, { channel: ALL_OUTCOMES, provider: 'venue_a_outcome', marketId: isOnly ? market : null });
}

function write({ state, record, piece, emit }: FrameSource, event: Omit<RawEvent, 'piece'>): void {
  emitRaw(state.channelSeqs, channelTopics.venue_a, emit, record, { ...event, piece });
}
