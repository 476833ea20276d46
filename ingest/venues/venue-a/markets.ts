/** Reads the markets to watch from the venue's lists (venue page, sections 2.1 and 3). */
import { asList, asObject, asText, type JsonObject } from '#schemas/domain/json-fields';
import { asMagnitude } from '../../feed/json.ts';

/** A perpetual of the main dex, a contract of a builder dex, or a spot pair. */
export interface Market {
  readonly coin: string;
  /** Notional of the last day, for ranking. */
  readonly dayNotional: number;
}

/** Answers and a frame that list markets and their volumes. */
export interface MarketLists {
  /** `metaAndAssetCtxs`. */
  readonly perps: unknown;
  /** `allPerpMetas`. */
  readonly dexes: unknown;
  /** `spotMetaAndAssetCtxs`. */
  readonly pairs: unknown;
  /** The newest `allDexsAssetCtxs` frame, the only one that has volumes of contracts; null before the first one. */
  readonly contexts: unknown;
}

/** The lists that are answers. */
export type AnsweredLists = Omit<MarketLists, 'contexts'>;

/** Orders markets by falling daily notional. */
export const byVolume = (a: Market, b: Market) => b.dayNotional - a.dayNotional || (a.coin < b.coin ? -1 : 1);

/** All tradable markets except outcomes, by falling daily notional. */
export function readMarkets({ perps, dexes, pairs, contexts }: MarketLists): Market[] {
  const markets = [...readPerps(perps), ...readContracts(dexes, contexts), ...readPairs(pairs)];
  return markets.sort(byVolume);
}

/**
 * Lists in which an answer that lists nothing is replaced by the previous one: contracts and pairs never all end between
 * two lists, so such an answer is wrong, and must end no subscription.
 */
export function replaceEmptyLists(lists: AnsweredLists, previous: AnsweredLists | null): AnsweredLists {
  if (previous === null) return lists;
  return {
    perps: lists.perps,
    // The first one is the main dex.
    dexes: asList(lists.dexes).length > 0 ? lists.dexes : previous.dexes,
    pairs: readPairs(lists.pairs).length > 0 ? lists.pairs : previous.pairs,
  };
}

/** The names of all markets but outcomes that lists contain, those that they flag as delisted too. */
export function readNames({ perps, dexes, pairs }: AnsweredLists): Set<string> {
  const metas = [perps, pairs].map((answer) => asList(answer)[0]);
  const entries = [...metas, ...asList(dexes).map(metaOf)].flatMap((meta) => asList(asObject(meta).universe));
  return new Set(entries.flatMap((entry) => asText(asObject(entry).name) ?? []));
}

/** In some documents an entry of a dex is the pair of `meta` and contexts. */
const metaOf = (entry: unknown): unknown => (Array.isArray(entry) ? entry[0] : entry);

/** Tradable perps of the main dex. */
export function readPerps(answer: unknown): Market[] {
  const [meta, contexts] = asList(answer);
  return readUniverse(meta, contexts);
}

/** Tradable contracts of all builder dexes, whose volumes are 0 while no frame has reported them. */
function readContracts(answer: unknown, frame: unknown): Market[] {
  const contexts = new Map(
    asList(asObject(asObject(frame).data).ctxs).map((entry) => {
      const [dex, ofDex] = asList(entry);
      return [dex, ofDex] as const;
    }),
  );
  // The first one is the main dex.
  return asList(answer)
    .slice(1)
    .flatMap((entry) => {
      const meta = asObject(metaOf(entry));
      const [first] = asList(meta.universe);
      return readUniverse(meta, contexts.get(dexOf(asText(asObject(first).name))));
    });
}

/** Contexts belong to the coin at the same position. */
function readUniverse(meta: unknown, contexts: unknown): Market[] {
  const ctxs = asList(contexts);
  return asList(asObject(meta).universe).flatMap((entry, index) => {
    const { name, isDelisted } = asObject(entry);
    const coin = asText(name);
    return coin === null || isDelisted === true ? [] : [marketOf(coin, asObject(ctxs[index]))];
  });
}

/** Spot pairs, whose contexts name their coin. */
function readPairs(answer: unknown): Market[] {
  const [meta] = asList(answer);
  const contexts = spotContexts(answer);
  return asList(asObject(meta).universe).flatMap((entry) => {
    const coin = asText(asObject(entry).name);
    return coin === null ? [] : [marketOf(coin, contexts.get(coin) ?? {})];
  });
}

/**
 * The markets of outcome coins. Their volumes are 0 where the spot contexts do not contain them.
 * @param pairs `spotMetaAndAssetCtxs`.
 */
export function readOutcomeMarkets(coins: readonly string[], pairs: unknown): Market[] {
  const contexts = spotContexts(pairs);
  return coins.map((coin) => marketOf(coin, contexts.get(coin) ?? {}));
}

function spotContexts(answer: unknown): Map<unknown, JsonObject> {
  return new Map(asList(asList(answer)[1]).map((entry) => [asObject(entry).coin, asObject(entry)]));
}

function marketOf(coin: string, context: JsonObject): Market {
  return { coin, dayNotional: asMagnitude(context.dayNtlVlm) };
}

/** The dex of a contract, the text before its first colon. */
function dexOf(coin: string | null): string {
  return coin?.split(':', 1)[0] ?? '';
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
const STAY_RATIO = 1.5;

/** The coins that the setting lists; null if it is a number of coins. */
export function listedBookCoins(setting: string): string[] | null {
  return /^\d+$/.test(setting) ? null : [...new Set(setting.split(',').filter((coin) => coin !== ''))];
}

/**
 * Chooses the coins whose books are watched besides those of outcome coins.
 * @param markets by falling daily notional.
 * @param setting the number of largest coins, or a comma-separated list of coins.
 * @param watched coins whose books are watched now. They are retained while they are nearly large enough, so that coins of
 * similar size do not alternate.
 */
export function chooseBookCoins(markets: readonly Market[], setting: string, watched: ReadonlySet<string>): string[] {
  const listed = listedBookCoins(setting);
  if (listed) return listed;
  const limit = Number(setting);
  const largest = markets.slice(0, limit).map(({ coin }) => coin);
  const near = markets.slice(limit, Math.floor(limit * STAY_RATIO)).map(({ coin }) => coin);
  return [...largest, ...near.filter((coin) => watched.has(coin))];
}
