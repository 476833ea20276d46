/** Emits the heads of arbitrage at every change, and the profitable records for the channel. */
import type { Emit } from '#infra/stages/stage';
import { ARBITRAGE_KINDS, type ArbitrageKind } from '#schemas/domain/arbitrage/pair';
import { sameWalk } from '#schemas/domain/arbitrage/walk';
import type { Decimal } from '#schemas/domain/decimal';
import { type Arbitrage, arbitrageHeadTopic, arbitrageTopic } from '#schemas/topics/derived';
import { evaluatePairs, isSameRecord, olderBookAt, type QuotedPair, toRecord } from './best-arbitrage.ts';
import { endSignals, updateSignals } from './signals.ts';
import type { BestState, EventState, LegState, SpreadsState } from './state.ts';

/** Evaluates the arbitrage of an event after a change, and emits the records that differ from the ones before. */
export function emitArbitrage(
  state: SpreadsState,
  event: EventState,
  size: Decimal,
  receivedAt: number,
  cause: LegState | null,
  emit: Emit,
): void {
  for (const kind of ARBITRAGE_KINDS) {
    const { best: pair, positive } = evaluatePairs(event, kind, size);
    updateSignals(event, { kind, positive, size, receivedAt }, emit);
    const before = event.best[kind];
    if (pair === null) {
      if (before !== null) emit.remove(arbitrageHeadTopic, headKey(event, kind));
      event.best[kind] = null;
      continue;
    }
    if (before !== null && hasSameInputs(before, pair, size)) {
      state.outdatedAges.add(event.universalId);
      continue;
    }
    const record = toRecord(state, event, kind, pair, size, receivedAt, cause);
    if (before !== null && isSameRecord(before.record, record)) {
      state.outdatedAges.add(event.universalId);
      continue;
    }
    const { instrument: first, walk: firstWalk } = pair.first;
    const { instrument: second, walk: secondWalk } = pair.second;
    const profitable = isAboveZero(record.netEdge);
    const emittedBookAt = olderBookAt(state, first, second);
    event.best[kind] = { record, profitable, first, second, size, firstWalk, secondWalk, emittedBookAt };
    emit(arbitrageHeadTopic, headKey(event, kind), record);
    if (profitable) emit(arbitrageTopic, event.universalId, record);
  }
  if (ARBITRAGE_KINDS.some((kind) => event.best[kind]?.profitable)) state.profitable.add(event.universalId);
  else state.profitable.delete(event.universalId);
}

/** True if a pair gives the existing record, checked without building a new one: nearly all evaluations end here. */
function hasSameInputs(before: BestState, pair: QuotedPair, size: Decimal): boolean {
  const { record, first, second, firstWalk, secondWalk } = before;
  return (
    sameWalk(firstWalk, pair.first.walk) &&
    sameWalk(secondWalk, pair.second.walk) &&
    first === pair.first.instrument &&
    second === pair.second.instrument &&
    record.firstMarketId === pair.first.leg.marketId &&
    record.secondMarketId === pair.second.leg.marketId &&
    before.size === size
  );
}

/** Emits, at a tick, every profitable record with its current age, and the heads whose books were confirmed since. */
export function emitArbitrageTick(state: SpreadsState, receivedAt: number, emit: Emit): void {
  for (const universalId of state.profitable) {
    for (const best of bestsOf(state, universalId)) {
      if (best.profitable) emit(arbitrageTopic, universalId, atTick(state, best, receivedAt));
    }
  }
  for (const universalId of state.outdatedAges) {
    for (const best of bestsOf(state, universalId)) {
      const bookAt = olderBookAt(state, best.first, best.second);
      if (bookAt === best.emittedBookAt) continue;
      best.emittedBookAt = bookAt;
      emit(arbitrageHeadTopic, `${universalId}:${best.record.kind}`, atTick(state, best, receivedAt));
    }
  }
  state.outdatedAges.clear();
}

/** Removes the heads of a removed event and ends its signals. */
export function removeArbitrage(state: SpreadsState, event: EventState, receivedAt: number, emit: Emit): void {
  endSignals(event, receivedAt, emit);
  for (const kind of ARBITRAGE_KINDS)
    if (event.best[kind] !== null) emit.remove(arbitrageHeadTopic, headKey(event, kind));
  event.best = { cross_provider: null, negation_pair: null };
  state.profitable.delete(event.universalId);
  state.outdatedAges.delete(event.universalId);
}

function bestsOf(state: SpreadsState, universalId: string): BestState[] {
  const { best } = state.events.get(universalId)!;
  return ARBITRAGE_KINDS.flatMap((kind) => best[kind] ?? []);
}

function atTick(state: SpreadsState, { record, first, second }: BestState, receivedAt: number): Arbitrage {
  const quoteAgeMs = receivedAt - olderBookAt(state, first, second);
  return { ...record, receivedAt, quoteAgeMs, causeProvider: null, causeMarketId: null };
}

function headKey(event: EventState, kind: ArbitrageKind): string {
  return `${event.universalId}:${kind}`;
}

/** True for a canonical decimal above zero. */
function isAboveZero(text: string): boolean {
  return text !== '0' && !text.startsWith('-');
}
