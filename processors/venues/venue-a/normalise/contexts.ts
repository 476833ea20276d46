/**
 * The newest figures of coins, from mids and contexts (venue page, sections 3.1 and 7). A record always has the newest
 * known value of each field, whichever message contained it, and is emitted again only when one of them changed.
 */

import type { Emit } from '#infra/stages/stage';
import {
  type JsonObject,
  readAmount,
  readDecimal,
  readList,
  readObject,
  readText,
  withPath,
} from '#schemas/domain/json-fields';
import { type AssetContext, contextTopics } from '#schemas/topics/normalised';
import { providerOf } from '#schemas/venues/venue-a/coin-market';
import type { VenueAState } from './state.ts';

/** Figures of a context; undefined where a message does not contain it, null where it states that there is none. */
export type Figures = Partial<Omit<AssetContext, 'provider' | 'coin' | 'receivedAt'>>;
type FigureName = keyof Figures;
type Reader = (value: unknown, field: string) => string;

/** The venue's name of each figure. `funding` alone can be below zero. */
const FIGURES: readonly (readonly [FigureName, string, Reader])[] = [
  ['markPrice', 'markPx', readAmount],
  ['oraclePrice', 'oraclePx', readAmount],
  ['midPrice', 'midPx', readAmount],
  ['funding', 'funding', readDecimal],
  ['openInterest', 'openInterest', readAmount],
  ['dayNotionalVolume', 'dayNtlVlm', readAmount],
  ['dayBaseVolume', 'dayBaseVlm', readAmount],
  ['previousDayPrice', 'prevDayPx', readAmount],
  ['circulatingSupply', 'circulatingSupply', readAmount],
];

/** Reads one `ctx`. Throws `FieldError`. @param field its path, for error messages. */
function readContext(value: unknown, field: string): Figures {
  const context = readObject(value, field);
  const figures: { -readonly [F in FigureName]?: Exclude<Figures[F], undefined> } = {};
  try {
    for (const [name, written, read] of FIGURES) {
      const figure = context[written];
      if (figure !== undefined) figures[name] = figure === null ? null : read(figure, written);
    }
  } catch (error) {
    throw withPath(error, field);
  }
  return figures;
}

/** Validated figures of some coins. */
export type CoinFigures = readonly (readonly [coin: string, figures: Figures])[];

/** Reads `{coin, ctx}` of `activeAssetCtx` and `activeSpotAssetCtx`. Throws `FieldError`. */
export function readActiveContext(data: unknown): CoinFigures {
  const { coin, ctx } = readObject(data, 'data');
  return [[readText(coin, 'data.coin'), readContext(ctx, 'data.ctx')]];
}

/**
 * Reads contexts in the order of a universe, as far as both reach: a universe only grows, and a new coin can be in one
 * of them first. Throws `FieldError`.
 */
export function readAlignedContexts(universe: readonly string[], value: unknown, field: string): CoinFigures {
  return readList(value, field)
    .slice(0, universe.length)
    .map((context, at) => [universe[at]!, readContext(context, `${field}[${at}]`)]);
}

/** Reads contexts that name their coin, such as those of pairs; their order has no meaning. Throws `FieldError`. */
export function readNamedContexts(value: unknown, field: string): CoinFigures {
  return readList(value, field).map((context, at) => {
    const { coin } = readObject(context, `${field}[${at}]`);
    return [readText(coin, `${field}[${at}].coin`), readContext(context, `${field}[${at}]`)];
  });
}

export function emitContexts(state: VenueAState, contexts: CoinFigures, receivedAt: number, emit: Emit): void {
  for (const [coin, figures] of contexts) {
    if (figures.midPrice === null) state.withoutMid.add(coin);
    else if (figures.midPrice !== undefined) state.withoutMid.delete(coin);
    emitContext(state, coin, figures, receivedAt, emit);
  }
}

/** Validated mids that differ from those of the previous message. */
export type ChangedMids = readonly (readonly [coin: string, written: string, mid: string])[];

/** Reads `{coin: mid}`; unchanged mids are not checked again. Throws `FieldError`. */
export function readMids(state: VenueAState, mids: JsonObject, field: string): ChangedMids {
  const changed: (readonly [string, string, string])[] = [];
  try {
    for (const coin of Object.keys(mids)) {
      const written = mids[coin];
      if (state.allMids.get(coin) !== written) changed.push([coin, written as string, readAmount(written, coin)]);
    }
  } catch (error) {
    throw withPath(error, field);
  }
  return changed;
}

/**
 * Emits the figures of coins whose mid changed. For a coin whose book lacks a side, the venue sends the price of the
 * last trade as mid, while its context states that there is none. So while the newest context of a coin states that, its
 * mids from here are not used.
 */
export function emitMids(state: VenueAState, mids: ChangedMids, receivedAt: number, emit: Emit): void {
  state.accountMarkets.midsAt = receivedAt;
  for (const [coin, written, midPrice] of mids) {
    state.allMids.set(coin, written);
    if (!state.withoutMid.has(coin)) emitContext(state, coin, { midPrice }, receivedAt, emit);
  }
}

function emitContext(state: VenueAState, coin: string, figures: Figures, receivedAt: number, emit: Emit): void {
  const before = state.contexts.get(coin);
  if (before && !hasChanged(before, figures)) return;
  const context = { ...(before ?? emptyContext(coin)), ...figures, receivedAt };
  state.contexts.set(coin, context);
  emit(contextTopics.venue_a, coin, context);
}

function hasChanged(before: AssetContext, figures: Figures): boolean {
  for (const [name] of FIGURES) if (figures[name] !== undefined && figures[name] !== before[name]) return true;
  return false;
}

function emptyContext(coin: string): Omit<AssetContext, 'receivedAt'> {
  return {
    provider: providerOf(coin),
    coin,
    markPrice: null,
    oraclePrice: null,
    midPrice: null,
    funding: null,
    openInterest: null,
    dayNotionalVolume: null,
    dayBaseVolume: null,
    previousDayPrice: null,
    circulatingSupply: null,
  };
}
