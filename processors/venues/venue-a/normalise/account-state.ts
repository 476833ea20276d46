/** The part of the state of venue_a's normaliser that concerns accounts. */
import { asObject, readInteger, readList, readObject, readText } from '#schemas/domain/json-fields';

/** A response about an account. */
export interface AccountResponse {
  readonly body: unknown;
  readonly fromNode: boolean;
}

interface PairTokens {
  readonly index: number;
  readonly base: number;
  readonly quote: number;
}

/** What the lists of the venue state for prices of accounts. */
export interface AccountMarkets {
  /** All dexes of the newest list, the main one (``) first; null before the first list. */
  dexes: readonly string[] | null;
  /** Index of the collateral token by dex. */
  readonly collateralTokens: Map<string, number>;
  /** Tokens of each spot pair, by coin. */
  readonly pairTokens: Map<string, PairTokens>;
  /** When the context of each outcome coin was last received. */
  readonly outcomeReports: Map<string, number>;
  /** When all mids were last received. */
  midsAt: number;
}

export function createAccountMarkets(): AccountMarkets {
  return { dexes: null, collateralTokens: new Map(), pairTokens: new Map(), outcomeReports: new Map(), midsAt: 0 };
}

/** Stores the collateral token of a dex from its `meta`; early answers state none. */
export function setCollateralToken({ collateralTokens }: AccountMarkets, dex: string, meta: unknown): void {
  const { collateralToken } = asObject(meta);
  if (typeof collateralToken === 'number') collateralTokens.set(dex, collateralToken);
}

/** Stores the tokens of the pairs of `spotMeta`, which was read before. */
export function setPairTokens({ pairTokens }: AccountMarkets, meta: unknown): void {
  for (const value of readList(readObject(meta, 'answer').universe, 'universe')) {
    const { name, index, tokens } = readObject(value, 'universe');
    const [base, quote] = readList(tokens, 'tokens');
    pairTokens.set(readText(name, 'name'), {
      index: readInteger(index, 'index'),
      base: readInteger(base, 'tokens[0]'),
      quote: readInteger(quote, 'tokens[1]'),
    });
  }
}
