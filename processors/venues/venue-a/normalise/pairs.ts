/** Spot pairs: `spotMeta` (venue page, sections 2.1 and 3.1). */
import type { Emit } from '#infra/stages/stage';
import { readInteger, readList, readObject, readText } from '#schemas/domain/json-fields';
import { emitGone, emitInstruments, type InstrumentMessage, instrumentMessage } from './instruments.ts';
import type { VenueAState } from './state.ts';

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
      instrumentMessage({
        coin,
        kind: 'spot',
        sizeDecimals: base.decimals,
        delisted: false,
        index,
        base: base.name,
        quote: quote.name,
        quoteDecimals: quote.decimals,
      }),
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

/** Emits the pairs of a complete list, and those that are gone from the lists as delisted: the venue flags no pair. */
export function emitPairs(
  state: VenueAState,
  pairs: readonly InstrumentMessage[],
  receivedAt: number,
  emit: Emit,
): void {
  emitInstruments(state, pairs, receivedAt, emit);
  emitGone(state, 'pairs', ({ kind }) => kind === 'spot', pairs, receivedAt, emit);
}
