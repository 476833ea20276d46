/** Whether the prices of an instrument can be relied on, as markets, legs and channels state it. */

/** From best to worst. An event or a channel shows the worst of its instruments. */
export const PRICE_STATES = ['live', 'recovering', 'stale', 'venue_down'] as const;
export type PriceState = (typeof PRICE_STATES)[number];

export function isWorse(one: PriceState, other: PriceState): boolean {
  return PRICE_STATES.indexOf(one) > PRICE_STATES.indexOf(other);
}

/** The state to show while the figures lag behind what was received: nothing better than stale. */
export function whileLagging(state: PriceState): PriceState {
  return isWorse('stale', state) ? 'stale' : state;
}
