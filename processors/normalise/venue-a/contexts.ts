/**
 * The newest figures of coins: mids, contexts (venue page, sections 3.1 and 7). A record always carries the newest known
 * value of each field, whichever message told it, and is told again only when one of them changed.
 */
import type { Emit } from '#infra/stages/stage';
import { type AssetContext, contextTopics } from '#schemas/topics/normalised';
import { providerOf } from './coins.ts';
import { type Fields, readAmount, readDecimal, readList, readObject, readText } from './fields.ts';
import { FieldError, placed } from './malformed-error.ts';
import type { VenueAState } from './state.ts';

/** The figures of a context; undefined where a message does not speak of it, null where it says that there is none. */
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
];

/** Reads one `ctx`. Throws `FieldError`. @param field where it stands, for messages. */
export function readContext(value: unknown, field: string): Figures {
  const context = readObject(value, field);
  const figures: { -readonly [F in FigureName]?: Exclude<Figures[F], undefined> } = {};
  try {
    for (const [name, written, read] of FIGURES) {
      const figure = context[written];
      if (figure !== undefined) figures[name] = figure === null ? null : read(figure, written);
    }
  } catch (error) {
    throw placed(error, field);
  }
  return figures;
}

/** Figures of some coins, checked. */
export type CoinFigures = readonly (readonly [coin: string, figures: Figures])[];

/** `{coin, ctx}` of `activeAssetCtx` and `activeSpotAssetCtx`. Throws `FieldError`. */
export function readActiveContext(data: unknown): CoinFigures {
  const { coin, ctx } = readObject(data, 'data');
  return [[readText(coin, 'data.coin'), readContext(ctx, 'data.ctx')]];
}

/** Contexts in the order of a universe. Throws `FieldError` when they are not as many as its coins. */
export function readAlignedContexts(universe: readonly string[], value: unknown, field: string): CoinFigures {
  const contexts = readList(value, field);
  if (contexts.length !== universe.length) {
    throw new FieldError(field, `${universe.length} contexts, one for each coin`, contexts.length);
  }
  return contexts.map((context, at) => [universe[at]!, readContext(context, `${field}[${at}]`)]);
}

/** Spot contexts, which name their coin; their order means nothing. Throws `FieldError`. */
export function readSpotContexts(value: unknown, field: string): CoinFigures {
  return readList(value, field).map((context, at) => {
    const { coin } = readObject(context, `${field}[${at}]`);
    return [readText(coin, `${field}[${at}].coin`), readContext(context, `${field}[${at}]`)];
  });
}

export function tellContexts(state: VenueAState, contexts: CoinFigures, receivedAt: number, emit: Emit): void {
  for (const [coin, figures] of contexts) tellContext(state, coin, figures, receivedAt, emit);
}

/** The mids that differ from those of the last such message, checked. */
export type NewMids = readonly (readonly [coin: string, written: string, mid: string])[];

/** Reads `{coin: mid}`; a mid that stands as it stood is not looked at again. Throws `FieldError`. */
export function readMids(state: VenueAState, mids: Fields, field: string): NewMids {
  const changed: (readonly [string, string, string])[] = [];
  try {
    for (const coin of Object.keys(mids)) {
      const written = mids[coin];
      if (state.allMids.get(coin) !== written) changed.push([coin, written as string, readAmount(written, coin)]);
    }
  } catch (error) {
    throw placed(error, field);
  }
  return changed;
}

/**
 * For a coin whose book lacks a side the venue puts the price of the last trade here, while its context says that there
 * is no mid. So after a context without a mid this one counts only from its first change on.
 */
export function tellMids(state: VenueAState, mids: NewMids, receivedAt: number, emit: Emit): void {
  for (const [coin, written, midPrice] of mids) {
    const isFirst = !state.allMids.has(coin);
    state.allMids.set(coin, written);
    if (isFirst && state.contexts.get(coin)?.midPrice === null) continue;
    tellContext(state, coin, { midPrice }, receivedAt, emit);
  }
}

function tellContext(state: VenueAState, coin: string, figures: Figures, receivedAt: number, emit: Emit): void {
  const before = state.contexts.get(coin);
  if (before && !tellsNews(before, figures)) return;
  const context = { ...(before ?? emptyContext(coin)), ...figures, receivedAt };
  state.contexts.set(coin, context);
  emit(contextTopics.venue_a, coin, context);
}

function tellsNews(before: AssetContext, figures: Figures): boolean {
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
  };
}
