/**
 * Markets of venue_a that are listed for some hours, and dexes that exist for a day. They follow each other in rotations
 * that are an hour apart, so at every whole hour one market is listed and one is delisted. A market and a dex are known by
 * the number of the hour or day of their listing, which their names contain, so any of them can be calculated.
 */
import type { Asset } from './coins.ts';
import { hashOf, STREAM, uniformOf } from './hash.ts';
import { type BuilderDex, type Ladder, ladderOf, type SpotListing } from './ladders.ts';
import { DAY_MS, HOUR_MS, ORIGIN_MS } from './time.ts';

/** Markets of one kind, of which one is listed at any time. */
interface Rotation {
  readonly kind: Ladder['kind'];
  /** The dex of its perpetuals; null for pairs, and for a new dex with each of them. */
  readonly dex: string | null;
  /** How long a market is listed, ms. */
  readonly periodMs: number;
  /** When its market 0 is listed, after the origin of the simulated time, ms. */
  readonly phaseMs: number;
  /** So many of its newest perpetuals are in the universe: the listed one, and delisted ones. */
  readonly shown: number;
}

/** Hours for which a market is listed. */
const HOURS = 6;
const KINDS = [
  { kind: 'perp', dex: '' },
  { kind: 'spot', dex: null },
  { kind: 'builder', dex: 'lun' },
] as const;
const HOURLY: readonly Rotation[] = Array.from({ length: HOURS }, (_, hour) => ({
  ...KINDS[hour % KINDS.length]!,
  periodMs: HOURS * HOUR_MS,
  phaseMs: hour * HOUR_MS,
  shown: 4,
}));
/** A dex appears each day at noon (UTC), with one contract, which is delisted a day later; the dex ends after two days. */
const DAILY: Rotation = { kind: 'builder', dex: null, periodMs: DAY_MS, phaseMs: 12 * HOUR_MS, shown: 2 };
export const ROTATIONS: readonly Rotation[] = [...HOURLY, DAILY];
/** Relative share of the events of a rotation. */
export const TEMPORARY_WEIGHT = 0.05;

/** Added to the number of a market: its key in hashes, and the index of a pair and its token. Above those of other markets. */
const FIRST_KEY = 5_000;
const FIRST_INDEX = 1_000;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** Characters of a number in a symbol: enough for 50 years. */
const DIGITS = 4;
const NEW_DEX_SYMBOL = 'GOLD';

/** Q and the number in base 26. No other symbol begins with a Q. */
function symbolOf(number: number): string {
  const digitAt = (place: number) => Math.floor(number / ALPHABET.length ** place) % ALPHABET.length;
  const digits = Array.from({ length: DIGITS }, (_, nth) => ALPHABET[digitAt(DIGITS - 1 - nth)]);
  return `Q${digits.join('')}`;
}

function numberOfSymbol(symbol: string): number {
  return [...symbol.slice(1)].reduce((number, digit) => number * ALPHABET.length + ALPHABET.indexOf(digit), 0);
}

/** The number of the market that is listed at a time, from 0, within its rotation. */
function generationAt({ periodMs, phaseMs }: Rotation, atMs: number): number {
  return Math.floor((atMs - ORIGIN_MS - phaseMs) / periodMs);
}

const dexNameOf = (day: number) => `d${day}`;

/** The dex of a day, by the number of the day since the origin. */
function dexOf(day: number): BuilderDex {
  return { name: dexNameOf(day), fullName: `Dex of day ${day}`, key: FIRST_KEY + day, assets: [] };
}

export interface TemporaryLadders {
  /** The ladder of a rotation that is listed at a time. */
  at(rotation: number, atMs: number): Ladder;
  /** Perpetuals of the universe of a dex at a time, each at a place that it keeps, also when it is delisted. */
  universe(dex: string, atMs: number): readonly Ladder[];
  /** The dexes of a time, each at a place that it keeps. */
  dexes(atMs: number): readonly BuilderDex[];
  /** The ladder of a coin, whenever it is listed; null if the coin is none of theirs. */
  find(coin: string): Ladder | null;
}

/** More ladders are not stored; they are calculated again. */
const STORED_MAX = 500;

/** @param firstIndex index of the ladder of the first rotation. */
export function createTemporaryLadders(seed: number, firstIndex: number): TemporaryLadders {
  const stored = new Map<string, Ladder>();

  const make = (nth: number, generation: number): Ladder => {
    const rotation = ROTATIONS[nth]!;
    const { kind, periodMs, phaseMs } = rotation;
    const number = rotation === DAILY ? generation : generation * HOURS + nth;
    const symbol = rotation === DAILY ? NEW_DEX_SYMBOL : symbolOf(number);
    const dex = rotation === DAILY ? dexNameOf(number) : rotation.dex;
    const asset = rotation === DAILY ? assetOf(seed, symbol, FIRST_KEY - 1) : assetOf(seed, symbol, FIRST_KEY + number);
    const pair = kind === 'spot' ? pairOf(symbol, FIRST_INDEX + number) : null;
    const listedAtMs = ORIGIN_MS + phaseMs + generation * periodMs;
    const coin = pair?.pair.name ?? (dex === '' ? symbol : `${dex}:${symbol}`);
    return ladderOf(
      { coin, kind, dex, asset, listedAtMs, delistedAtMs: listedAtMs + periodMs, spot: pair },
      firstIndex + nth,
    );
  };
  const of = (nth: number, generation: number): Ladder => {
    const key = `${nth} ${generation}`;
    const known = stored.get(key);
    if (known) return known;
    if (stored.size >= STORED_MAX) stored.clear();
    const ladder = make(nth, generation);
    stored.set(key, ladder);
    return ladder;
  };
  /** The newest markets of a rotation. Each has the place of the one that it replaces. */
  const shownOf = (nth: number, atMs: number): readonly Ladder[] => {
    const rotation = ROTATIONS[nth]!;
    const newest = generationAt(rotation, atMs);
    return Array.from({ length: rotation.shown }, (_, place) => of(nth, newest - ((newest - place) % rotation.shown)));
  };
  const daily = ROTATIONS.indexOf(DAILY);

  return {
    at: (nth, atMs) => of(nth, generationAt(ROTATIONS[nth]!, atMs)),
    universe(dex, atMs) {
      const ofDay = shownOf(daily, atMs).filter((ladder) => ladder.dex === dex);
      const hourly = HOURLY.flatMap((rotation, nth) => (rotation.dex === dex ? shownOf(nth, atMs) : []));
      return [...hourly, ...ofDay];
    },
    dexes(atMs) {
      const newest = generationAt(DAILY, atMs);
      return Array.from({ length: DAILY.shown }, (_, place) => dexOf(newest - ((newest - place) % DAILY.shown)));
    },
    find(coin) {
      const [, day] = /^d(\d{1,5}):/.exec(coin) ?? [];
      const [, index] = /^@(\d{4,7})$/.exec(coin) ?? [];
      const [, symbol] = /^(?:lun:)?(Q[A-Z]{4})$/.exec(coin) ?? [];
      if (day === undefined && index === undefined && symbol === undefined) return null;
      const number = index === undefined ? numberOfSymbol(symbol ?? '') : Number(index) - FIRST_INDEX;
      const ladder = day === undefined ? of(number % HOURS, Math.floor(number / HOURS)) : of(daily, Number(day));
      return ladder.coin === coin ? ladder : null;
    },
  };
}

function assetOf(seed: number, symbol: string, key: number): Asset {
  const basePx = 10 ** (uniformOf(seed, STREAM.coin, key) * 4 - 2);
  const volatility = 1 + (hashOf(seed, STREAM.coin, key, 1) % 100) / 80;
  return { symbol, name: symbol, basePx, volatility, weight: TEMPORARY_WEIGHT, key };
}

/** A pair of a token of its own with USDC. */
function pairOf(symbol: string, index: number): SpotListing {
  const base = { name: symbol, index, szDecimals: 2, weiDecimals: 8, fullName: null, isCanonical: false };
  return { pair: { name: `@${index}`, index, base: index, quote: 0 }, base };
}
