/**
 * The raw feeds of venue_a (specification, "Raw upstream feeds"; contract, "WebSocket"): all mids on
 * `svc:stream:venue_a_perp:*`, the book of a coin on `svc:stream:venue_a_perp:<coin>`, and whatever speaks of coins of
 * outcomes on `svc:stream:venue_a_outcome:*`. The payload is the frame's `data` as the venue wrote it.
 */
import type { Emit } from '#infra/stages/stage';
import type { Provider } from '#schemas/domain/providers';
import { formatChannel } from '#schemas/stream/channel-names';
import { channelTopics } from '#schemas/topics/channels';
import { isOutcomeCoin } from '#schemas/venues/venue-a/outcome-coin';
import { tellRaw } from '../../shared/tell-raw.ts';
import { marketOf, providerOf } from './coins.ts';
import type { VenueAState } from './state.ts';

const ALL_MIDS = formatChannel({ kind: 'raw-mids' });
const ALL_OUTCOMES = formatChannel({ kind: 'raw-outcomes' });

/** A book, on the channel of its coin, or with the outcomes. */
export function tellBookFrame(state: VenueAState, coin: string, payload: string, receivedAt: number, emit: Emit): void {
  const channel = isOutcomeCoin(coin) ? ALL_OUTCOMES : formatChannel({ kind: 'raw-coin', coin });
  const event = { channel, provider: providerOf(coin), marketId: marketOf(coin), receivedAt, payload };
  tellRaw(state.channelSeqs, channelTopics.venue_a, emit, event);
}

/** All mids, of the main dex with its spot coins or of one builder dex. */
export function tellMidsFrame(
  state: VenueAState,
  provider: Provider,
  payload: string,
  receivedAt: number,
  emit: Emit,
): void {
  const event = { channel: ALL_MIDS, provider, marketId: null, receivedAt, payload };
  tellRaw(state.channelSeqs, channelTopics.venue_a, emit, event);
  // In a map of coins to decimals only the name of a coin can begin so.
  if (!payload.includes('"#')) return;
  const outcomes = { channel: ALL_OUTCOMES, provider: 'venue_a_outcome', marketId: null, receivedAt, payload };
  tellRaw(state.channelSeqs, channelTopics.venue_a, emit, outcomes);
}

/** Any other frame, when it names coins of outcomes; with their market when it is the only one. */
export function tellOutcomeFrame(
  state: VenueAState,
  named: readonly { readonly coin: string }[],
  payload: string,
  receivedAt: number,
  emit: Emit,
): void {
  let market: string | null = null;
  let isOnly = true;
  for (const { coin } of named) {
    if (!isOutcomeCoin(coin)) continue;
    isOnly &&= market === null || market === marketOf(coin);
    market = marketOf(coin);
  }
  if (market === null) return;
  const marketId = isOnly ? market : null;
  const event = { channel: ALL_OUTCOMES, provider: 'venue_a_outcome', marketId, receivedAt, payload };
  tellRaw(state.channelSeqs, channelTopics.venue_a, emit, event);
}
