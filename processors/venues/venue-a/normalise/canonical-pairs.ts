/**
 * Canonical pairs: several pairs can have the same names, since tokens share tickers. A name means the pair with the
 * largest volume of a day, of equal ones the one with the lowest index (contract, Names). It is chosen when volumes of
 * the name's pairs are first reported, and again at each UTC day mark, so a name keeps its meaning within a day.
 */
import type { Emit } from '#infra/stages/stage';
import { type Decimal, parseDecimal } from '#schemas/domain/decimal';
import type { Instrument } from '#schemas/topics/normalised';
import { emitIfChanged } from './instruments.ts';
import type { VenueAState } from './state.ts';

/** Chooses the pair of each name that has none yet. Call it after instruments or contexts of pairs were emitted. */
export function chooseNewNames(state: VenueAState, receivedAt: number, emit: Emit): void {
  choose(state, receivedAt, emit, (pairs) => !pairs.some(({ canonical }) => canonical));
}

/** Chooses the pair of every name again. */
export function chooseAllNames(state: VenueAState, receivedAt: number, emit: Emit): void {
  choose(state, receivedAt, emit, () => true);
}

function choose(
  state: VenueAState,
  receivedAt: number,
  emit: Emit,
  isDue: (pairs: readonly Instrument[]) => boolean,
): void {
  for (const pairs of pairsByName(state)) {
    if (!isDue(pairs)) continue;
    const best = largest(state, pairs);
    // Without a listed pair whose volume is known, the name keeps its meaning, or has none yet.
    if (!best) continue;
    for (const pair of pairs) emitIfChanged(state, { ...pair, canonical: pair === best, receivedAt }, emit);
  }
}

function pairsByName(state: VenueAState): Iterable<readonly Instrument[]> {
  const byName = new Map<string, Instrument[]>();
  for (const instrument of state.instruments.values()) {
    if (instrument.kind !== 'spot') continue;
    const name = JSON.stringify([instrument.base, instrument.quote]);
    const pairs = byName.get(name);
    if (pairs) pairs.push(instrument);
    else byName.set(name, [instrument]);
  }
  return byName.values();
}

function largest(state: VenueAState, pairs: readonly Instrument[]): Instrument | null {
  let best: { readonly pair: Instrument; readonly volume: Decimal } | null = null;
  for (const pair of pairs) {
    const reported = pair.delisted ? null : (state.contexts.get(pair.coin)?.dayNotionalVolume ?? null);
    if (reported === null) continue;
    const volume = parseDecimal(reported);
    const isLarger = !best || volume > best.volume || (volume === best.volume && pair.index < best.pair.index);
    if (isLarger) best = { pair, volume };
  }
  return best?.pair ?? null;
}
