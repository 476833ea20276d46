/**
 * Milliseconds between two reads of each part of the page of an event. All parts together stay below 30 reads a minute,
 * so that the quota of a free plan is enough for two open pages. Channels deliver what moves most at once.
 */
export const EVERY_MS = {
  spread: 10_000,
  arbitrage: 10_000,
  /** No channel publishes the books or the ladders of an event. */
  books: 12_000,
  ladder: 15_000,
  health: 60_000,
  decay: 60_000,
  candles: 60_000,
  history: 60_000,
  trades: 60_000,
  /** Channels announce each of these. */
  anomalies: 120_000,
  disputes: 120_000,
  settlements: 120_000,
} as const;
