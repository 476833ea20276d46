/** Emits the heads of spreads at every change, and the debounced records for the channel. */
import type { Emit } from '#infra/stages/stage';
import { parseDecimal } from '#schemas/domain/decimal';
import { type Spread, spreadHeadTopic, spreadTopic } from '#schemas/topics/derived';
import type { EventState, LegState, SpreadsState } from './state.ts';

/** A spread is published if the mid price of a leg moved by this much (specification, WebSocket stream). */
const MOVED = parseDecimal('0.005');

/** Emits the newest spread of an event. */
export function emitHead(
  state: SpreadsState,
  event: EventState,
  receivedAt: number,
  cause: LegState | null,
  emit: Emit,
): void {
  emit(spreadHeadTopic, event.universalId, toSpread(state, event, receivedAt, cause));
}

/** Publishes the spread if the mid price of a leg moved enough since the last time, or became known or unknown. */
export function publishIfMoved(
  state: SpreadsState,
  event: EventState,
  receivedAt: number,
  cause: LegState | null,
  emit: Emit,
): void {
  if (!hasMoved(event)) return;
  event.published = event.legs.map((leg) => leg.mid);
  state.unpublished.delete(event.universalId);
  emit(spreadTopic, event.universalId, toSpread(state, event, receivedAt, cause));
}

function hasMoved({ published, legs }: EventState): boolean {
  // The first time there is nothing to publish until a mid price is known.
  if (published === null) return legs.some((leg) => leg.mid !== null);
  return legs.some(({ mid }, at) => {
    const before = published[at]!;
    if (mid === null || before === null) return mid !== before;
    return mid - before >= MOVED || before - mid >= MOVED;
  });
}

function toSpread(state: SpreadsState, event: EventState, receivedAt: number, cause: LegState | null): Spread {
  return {
    universalId: event.universalId,
    receivedAt,
    legs: event.legs.map((leg) => ({
      provider: leg.provider,
      marketId: leg.marketId,
      yesBid: leg.bidText,
      yesAsk: leg.askText,
      yesMid: leg.midText,
      live: leg.live,
      bookAt: state.instruments.get(leg.yes)?.bookAt ?? null,
      state: leg.marketState === 'open' ? leg.bookState : leg.marketState,
    })),
    causeProvider: cause?.provider ?? null,
    causeMarketId: cause?.marketId ?? null,
  };
}
