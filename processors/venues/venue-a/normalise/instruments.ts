/** Instruments: `meta`, `allPerpMetas` and `spotMeta` (venue page, sections 2.1 and 3.1). */
import type { Emit } from '#infra/stages/stage';
import { readInteger, readList, readObject, readText } from '#schemas/domain/json-fields';
import { type Instrument, instrumentTopics } from '#schemas/topics/normalised';
import { providerOf } from './coins.ts';
import type { VenueAState } from './state.ts';

/** A validated instrument of a universe. Which pairs are canonical also depends on their volumes (`canonical-pairs.ts`). */
export type InstrumentMessage = Omit<Instrument, 'receivedAt' | 'canonical'>;

/** Reads `meta` of the main dex or of a builder dex, whose names carry its prefix. Throws `FieldError`. */
export function readPerps(meta: unknown, field: string): readonly InstrumentMessage[] {
  const { universe } = readObject(meta, field);
  return readList(universe, `${field}.universe`).map((value, index) => {
    const place = `${field}.universe[${index}]`;
    const { name, szDecimals, maxLeverage, isDelisted } = readObject(value, place);
    const coin = readText(name, `${place}.name`);
    return {
      provider: providerOf(coin),
      coin,
      kind: 'perp',
      sizeDecimals: readInteger(szDecimals, `${place}.szDecimals`),
      maxLeverage: readInteger(maxLeverage, `${place}.maxLeverage`),
      // A delisted coin keeps its index, since contexts are matched by position.
      delisted: isDelisted === true,
      index,
      dex: dexOf(coin) || null,
      base: null,
      quote: null,
      quoteDecimals: null,
    };
  });
}

/** A token of the spot universe. */
interface Token {
  readonly name: string;
  readonly decimals: number;
}

/** Reads the pairs of `spotMeta`. A pair names tokens by their index field, not by position. Throws `FieldError`. */
export function readSpots(meta: unknown, field: string): readonly InstrumentMessage[] {
  const { tokens, universe } = readObject(meta, field);
  const byIndex = readTokens(tokens, `${field}.tokens`);
  return readList(universe, `${field}.universe`).flatMap((value, at) => {
    const place = `${field}.universe[${at}]`;
    const pair = readObject(value, place);
    const coin = readText(pair.name, `${place}.name`);
    const index = readInteger(pair.index, `${place}.index`);
    const named = readList(pair.tokens, `${place}.tokens`);
    const base = byIndex.get(readInteger(named[0], `${place}.tokens[0]`));
    const quote = byIndex.get(readInteger(named[1], `${place}.tokens[1]`));
    // A token is listed later, or an excerpt lacks it: only that pair is left out.
    if (!base || !quote) return [];
    return [
      {
        provider: providerOf(coin),
        coin,
        kind: 'spot',
        sizeDecimals: base.decimals,
        maxLeverage: null,
        delisted: false,
        index,
        dex: null,
        base: base.name,
        quote: quote.name,
        quoteDecimals: quote.decimals,
      },
    ];
  });
}

function readTokens(value: unknown, field: string): ReadonlyMap<number, Token> {
  const byIndex = new Map<number, Token>();
  for (const [at, entry] of readList(value, field).entries()) {
    const place = `${field}[${at}]`;
    const { index, name, szDecimals } = readObject(entry, place);
    const token = { name: readText(name, `${place}.name`), decimals: readInteger(szDecimals, `${place}.szDecimals`) };
    byIndex.set(readInteger(index, `${place}.index`), token);
  }
  return byIndex;
}

/** Returns the dex of a builder coin, the text before its first colon; `` for a coin of the main dex. */
export function dexOf(coin: string): string {
  return coin.slice(0, Math.max(0, coin.indexOf(':')));
}

/** Stores the order of a dex's coins, in which the venue lists their contexts. */
export function storeUniverse(state: VenueAState, dex: string, coins: readonly InstrumentMessage[]): void {
  state.universes.set(
    dex,
    coins.map(({ coin }) => coin),
  );
}

/** Emits the instruments that are new or changed. */
export function emitInstruments(
  state: VenueAState,
  instruments: readonly InstrumentMessage[],
  receivedAt: number,
  emit: Emit,
): void {
  for (const instrument of instruments) {
    const before = state.instruments.get(instrument.coin);
    emitIfChanged(state, { ...instrument, canonical: before?.canonical ?? false, receivedAt }, emit);
  }
}

/** Emits the pairs of a complete list, and those that it no longer contains as delisted: the venue flags no pair. */
export function emitPairs(
  state: VenueAState,
  pairs: readonly InstrumentMessage[],
  receivedAt: number,
  emit: Emit,
): void {
  emitInstruments(state, pairs, receivedAt, emit);
  // An empty list is a wrong answer, and ends none of them.
  if (pairs.length === 0) return;
  const listed = new Set(pairs.map(({ coin }) => coin));
  for (const instrument of state.instruments.values()) {
    if (instrument.kind !== 'spot' || listed.has(instrument.coin)) continue;
    emitIfChanged(state, { ...instrument, delisted: true, receivedAt }, emit);
  }
}

/** Emits an instrument unless it equals the emitted one in everything but its time. */
export function emitIfChanged(state: VenueAState, instrument: Instrument, emit: Emit): void {
  const before = state.instruments.get(instrument.coin);
  if (before && isSame(before, instrument)) return;
  state.instruments.set(instrument.coin, instrument);
  emit(instrumentTopics.venue_a, instrument.coin, instrument);
}

function isSame(a: Instrument, b: Instrument): boolean {
  return (Object.keys(b) as (keyof Instrument)[]).every((field) => field === 'receivedAt' || a[field] === b[field]);
}
