/** Queries of a route with limits from 1 to 200 (50 by default), and the limit that each one means. */
export const LIMIT_CASES = [
  ['', 50],
  ['?limit=1', 1],
  ['?limit=0', 1],
  ['?limit=200', 200],
  ['?limit=201', 200],
] as const;
