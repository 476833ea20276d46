/**
 * Stateless pseudo-randomness: every random value of the simulated world is a hash of the seed and of what it is about,
 * so that any time can be computed without simulating earlier times.
 */

const TWO_32 = 4_294_967_296;

/** Four hex digits of every 16-bit number: the fastest way to format many hashes. */
const HEX = Array.from({ length: 65_536 }, (_, bits) => bits.toString(16).padStart(4, '0'));

/** Independent streams of hashes. Values of two streams with the same seed are unrelated. */
export const STREAM = {
  coin: 1,
  price: 2,
  context: 3,
  ladderLevel: 4,
  ladderTop: 5,
  ladderTrade: 6,
  shuffle: 7,
  deviationA: 8,
  deviationB: 9,
  outcomeLevel: 10,
  outcomeTop: 11,
  outcomeTrade: 12,
  questionLevel: 13,
  questionTop: 14,
  match: 15,
  account: 16,
  hex: 17,
  settlement: 18,
  block: 19,
  reorg: 20,
  fate: 21,
  fault: 22,
  catalog: 23,
  basis: 24,
  builder: 25,
  settlementPlan: 26,
  oracle: 27,
  leaderboard: 28,
  kline: 29,
  move: 30,
  flow: 31,
} as const;

/** One round of MurmurHash3 (32 bit). */
function fold(state: number, word: number): number {
  let k = Math.imul(word, 0xcc9e2d51);
  k = (k << 15) | (k >>> 17);
  let h = state ^ Math.imul(k, 0x1b873593);
  h = (h << 13) | (h >>> 19);
  return (Math.imul(h, 5) + 0xe6546b64) | 0;
}

/** MurmurHash3's finaliser. */
function finish(state: number): number {
  let h = state;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

function begin(seed: number, stream: number, a: number, b: number): number {
  // `|0` returns the low 32 bits of an integer below 2^53; the high ones are folded separately.
  return fold(fold(fold(fold(seed | 0, stream), a | 0), (a / TWO_32) | 0), b | 0);
}

/** 32-bit hash, 0 to 2^32 - 1, of the integers `a` (below 2^53) and `b` (below 2^32). */
export function hashOf(seed: number, stream: number, a: number, b = 0): number {
  return finish(begin(seed, stream, a, b));
}

/** Like `hashOf`, but from 0 inclusive to 1 exclusive. */
export function uniformOf(seed: number, stream: number, a: number, b = 0): number {
  return finish(begin(seed, stream, a, b)) / TWO_32;
}

/**
 * Maps a uniform value to a trade's share of the largest size: most trades are small or large, few in between. Since
 * sizes are bounded, sums of a few trades stay within some deviations of their mean.
 */
export function boundedSize(uniform: number): number {
  return uniform * uniform * (3 - 2 * uniform);
}

/** `0x` and `bytes` (a multiple of 4) bytes of lowercase hex: hashes, addresses, order ids. */
export function hexOf(seed: number, stream: number, a: number, b: number, bytes: number): string {
  const state = begin(seed, stream, a, b);
  let text = '0x';
  for (let word = 0; word < bytes / 4; word += 1) {
    const bits = finish(fold(state, word));
    text += HEX[bits >>> 16]! + HEX[bits & 0xffff]!;
  }
  return text;
}
