/**
 * Milliseconds between two reads of each part of the page of a market. All parts together stay below 30 reads a minute,
 * also without channels, so that the quota of a free plan is enough for two open pages.
 */
export const EVERY_MS = {
  /** No channel has these figures. */
  figures: 10_000,
  history: 15_000,
  daily: 60_000,
  /** Names change rarely; a read that failed is tried again. */
  pairs: 300_000,
  book: { alone: 5_000, besideChannel: 20_000 },
  trades: { alone: 10_000, besideChannel: 60_000 },
} as const;
