/** Perpetuals of all dexes: `meta` and `allPerpMetas` (venue page, sections 2.1 and 3.1). */
import { readInteger, readList, readObject, readText } from '#schemas/domain/json-fields';
import { type InstrumentMessage, instrumentMessage } from './instruments.ts';
import type { VenueAState } from './state.ts';

/** Reads `meta` of the main dex or of a builder dex, whose names carry its prefix. Throws `FieldError`. */
export function readPerps(meta: unknown, field: string): readonly InstrumentMessage[] {
  const { universe } = readObject(meta, field);
  return readList(universe, `${field}.universe`).map((value, index) => {
    const place = `${field}.universe[${index}]`;
    const { name, szDecimals, maxLeverage, isDelisted } = readObject(value, place);
    const coin = readText(name, `${place}.name`);
    return instrumentMessage({
      coin,
      kind: 'perp',
      sizeDecimals: readInteger(szDecimals, `${place}.szDecimals`),
      maxLeverage: readInteger(maxLeverage, `${place}.maxLeverage`),
      // A delisted coin keeps its index, since contexts are matched by position.
      delisted: isDelisted === true,
      index,
      dex: dexOf(coin) || null,
    });
  });
}

/** Returns the dex of a builder coin, the text before its first colon; `` for a coin of the main dex. */
export function dexOf(coin: string): string {
  return coin.slice(0, Math.max(0, coin.indexOf(':')));
}

/**
 * Stores the order of a dex's coins, in which the venue lists their contexts. A universe never becomes shorter, so the
 * beginning of the stored one is from a node that lags behind, and changes nothing.
 */
export function storeUniverse(state: VenueAState, dex: string, coins: readonly InstrumentMessage[]): void {
  const known = state.universes.get(dex) ?? [];
  const isBeginning = coins.length < known.length && coins.every(({ coin }, at) => coin === known[at]);
  if (coins.length > 0 && isBeginning) return;
  state.universes.set(
    dex,
    coins.map(({ coin }) => coin),
  );
}
