/** Which coins there are to watch, read from the venue's metadata (venue page, sections 2.1 and 3). */
import { asList, asMagnitude, asObject, asText } from '../../feed/json.ts';

export interface Perp {
  readonly coin: string;
  /** Notional of the last day, to rank by. */
  readonly dayNotional: number;
}

/** Tradable main perps out of a `metaAndAssetCtxs` answer, largest day first. */
export function readPerps(answer: unknown): Perp[] {
  const [meta, contexts] = asList(answer);
  const ctxs = asList(contexts);
  return asList(asObject(meta).universe)
    .flatMap((entry, index) => {
      const { name, isDelisted } = asObject(entry);
      const coin = asText(name);
      if (coin === null || isDelisted === true) return [];
      return [{ coin, dayNotional: asMagnitude(asObject(ctxs[index]).dayNtlVlm) }];
    })
    .sort((a, b) => b.dayNotional - a.dayNotional || (a.coin < b.coin ? -1 : 1));
}

/** Ids of the live outcomes out of an `outcomeMeta` answer. */
export function readOutcomes(answer: unknown): number[] {
  return asList(asObject(answer).outcomes).flatMap((entry) => {
    const { outcome } = asObject(entry);
    return Number.isSafeInteger(outcome) ? [Number(outcome)] : [];
  });
}

/** Coins of outcome markets: `#E` with E = 10 × outcome + side, both sides. */
export function outcomeCoins(outcomes: readonly number[]): string[] {
  return outcomes.flatMap((outcome) => [`#${outcome * 10}`, `#${outcome * 10 + 1}`]);
}

/** A coin that is watched stays so until it has fallen this far behind the last place. */
const STAY_SHARE = 1.5;

/**
 * The coins whose books are watched beside those of outcome coins.
 * @param setting so many of the largest, or a comma list of coins.
 * @param watched whose books are watched now; they stay while they are nearly large enough, so that coins of the same
 * size do not take turns.
 */
export function chooseBookCoins(perps: readonly Perp[], setting: string, watched: ReadonlySet<string>): string[] {
  if (!/^\d+$/.test(setting)) return [...new Set(setting.split(',').filter((coin) => coin !== ''))];
  const places = Number(setting);
  const largest = perps.slice(0, places).map(({ coin }) => coin);
  const near = perps.slice(places, Math.floor(places * STAY_SHARE)).map(({ coin }) => coin);
  return [...largest, ...near.filter((coin) => watched.has(coin))];
}
