/** Reads the coins to watch from the venue's metadata (venue page, sections 2.1 and 3). */
import { asList, asObject, asText } from '#schemas/domain/json-fields';
import { asMagnitude } from '../../feed/json.ts';

export interface Perp {
  readonly coin: string;
  /** Notional of the last day, for ranking. */
  readonly dayNotional: number;
}

/** Tradable main perps of a `metaAndAssetCtxs` answer, by falling daily notional. */
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

/** Ids of the listed outcomes of an `outcomeMeta` answer. */
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

/** A watched coin is retained while its rank is at most this multiple of the limit. */
const STAY_SHARE = 1.5;

/**
 * Chooses the coins whose books are watched besides those of outcome coins.
 * @param setting the number of largest coins, or a comma-separated list of coins.
 * @param watched coins whose books are watched now. They are retained while they are nearly large enough, so that coins of
 * similar size do not alternate.
 */
export function chooseBookCoins(perps: readonly Perp[], setting: string, watched: ReadonlySet<string>): string[] {
  if (!/^\d+$/.test(setting)) return [...new Set(setting.split(',').filter((coin) => coin !== ''))];
  const limit = Number(setting);
  const largest = perps.slice(0, limit).map(({ coin }) => coin);
  const near = perps.slice(limit, Math.floor(limit * STAY_SHARE)).map(({ coin }) => coin);
  return [...largest, ...near.filter((coin) => watched.has(coin))];
}
