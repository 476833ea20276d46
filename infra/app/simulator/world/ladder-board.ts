/** The ladders of a world: those that are always listed, and those that are listed for some hours. */
import { BUILDER_DEXES, type BuilderDex, type Ladder, makePermanentLadders } from './ladders.ts';
import { createTemporaryLadders, ROTATIONS, TEMPORARY_WEIGHT } from './temporary-ladders.ts';

export interface LadderBoard {
  /** Those that are always listed: the coins of the main dex, then those of the builders, then the spot pairs. */
  readonly permanent: readonly Ladder[];
  /** Relative shares of the events, by index of the ladder. */
  readonly weights: readonly number[];
  /** The ladder of an index that is listed at a time. */
  at(index: number, atMs: number): Ladder;
  /** All that are listed at a time. */
  listed(atMs: number): readonly Ladder[];
  /** The universe of a dex, also those that are delisted; null for an unknown dex. The main dex is ``. */
  universe(dex: string, atMs: number): readonly Ladder[] | null;
  /** The dexes of builders, in the venue's order. */
  dexes(atMs: number): readonly BuilderDex[];
  /** Names of all dexes in the venue's order, the main one first. */
  dexNames(atMs: number): readonly string[];
  /** The ladder of a coin that is listed or was before; null for none. */
  find(coin: string, atMs: number): Ladder | null;
}

export const isListed = ({ listedAtMs, delistedAtMs }: Ladder, atMs: number): boolean =>
  listedAtMs <= atMs && atMs < delistedAtMs;

export function createLadderBoard(seed: number, coins: number): LadderBoard {
  const permanent = makePermanentLadders(seed, coins);
  const byCoin = new Map(permanent.map((ladder) => [ladder.coin, ladder]));
  const temporary = createTemporaryLadders(seed, permanent.length);
  const dexes = (atMs: number) => [...BUILDER_DEXES, ...temporary.dexes(atMs)];
  const dexNames = (atMs: number) => ['', ...dexes(atMs).map(({ name }) => name)];
  return {
    permanent,
    weights: [...permanent.map(({ asset }) => asset.weight), ...ROTATIONS.map(() => TEMPORARY_WEIGHT)],
    at: (index, atMs) => permanent[index] ?? temporary.at(index - permanent.length, atMs),
    listed: (atMs) => [...permanent, ...ROTATIONS.map((_, nth) => temporary.at(nth, atMs))],
    universe(dex, atMs) {
      if (!dexNames(atMs).includes(dex)) return null;
      return [...permanent.filter((ladder) => ladder.dex === dex), ...temporary.universe(dex, atMs)];
    },
    dexes,
    dexNames,
    find(coin, atMs) {
      const ladder = byCoin.get(coin) ?? temporary.find(coin);
      return ladder && ladder.listedAtMs <= atMs ? ladder : null;
    },
  };
}
