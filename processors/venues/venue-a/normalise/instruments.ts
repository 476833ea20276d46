/** Coins: `meta`, `allPerpMetas` and `spotMeta` (venue page, sections 2.1 and 3.1). */

import type { Emit } from '#infra/stages/stage';
import { readInteger, readList, readObject, readText } from '#schemas/domain/json-fields';
import { type Instrument, instrumentTopics } from '#schemas/topics/normalised';
import { providerOf } from './coins.ts';
import type { VenueAState } from './state.ts';

/** A validated coin of a universe. */
export type InstrumentMessage = Omit<Instrument, 'receivedAt'>;

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
    };
  });
}

/** Reads the pairs of `spotMeta`. A pair names tokens by their index field, not by position. Throws `FieldError`. */
export function readSpots(meta: unknown, field: string): readonly InstrumentMessage[] {
  const { tokens, universe } = readObject(meta, field);
  const decimals = new Map<number, number>();
  for (const [at, value] of readList(tokens, `${field}.tokens`).entries()) {
    const place = `${field}.tokens[${at}]`;
    const token = readObject(value, place);
    decimals.set(readInteger(token.index, `${place}.index`), readInteger(token.szDecimals, `${place}.szDecimals`));
  }
  return readList(universe, `${field}.universe`).flatMap((value, at) => {
    const place = `${field}.universe[${at}]`;
    const pair = readObject(value, place);
    const coin = readText(pair.name, `${place}.name`);
    const index = readInteger(pair.index, `${place}.index`);
    const base = readInteger(readList(pair.tokens, `${place}.tokens`)[0], `${place}.tokens[0]`);
    const sizeDecimals = decimals.get(base);
    // The token is listed later, or an excerpt lacks it: only that pair is left out.
    if (sizeDecimals === undefined) return [];
    return [
      { provider: providerOf(coin), coin, kind: 'spot', sizeDecimals, maxLeverage: null, delisted: false, index },
    ];
  });
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
    if (before && isSame(before, instrument)) continue;
    const record: Instrument = { ...instrument, receivedAt };
    state.instruments.set(instrument.coin, record);
    emit(instrumentTopics.venue_a, instrument.coin, record);
  }
}

function isSame(a: InstrumentMessage, b: InstrumentMessage): boolean {
  return (
    a.sizeDecimals === b.sizeDecimals &&
    a.maxLeverage === b.maxLeverage &&
    a.delisted === b.delisted &&
    a.index === b.index &&
    a.kind === b.kind
  );
}
