/**
 * Measures how long arbitrage lasts (contract, Arb-decay). A signal is a run of evaluations of one kind and pair of
 * markets with a net edge above zero. A pair is evaluated whenever a record comes that can change its net edge: a book,
 * a status, the event, the size. A tick changes none of these, so its evaluation equals the one before: it is neither a
 * new peak, since the first of equal edges is the peak, nor a first decay.
 *
 * The peak is the largest edge of the complete run, so a new peak cancels a decay that was emitted before: the decay is
 * the first evaluation at half the peak or less after the final peak. A run ends with the first evaluation at zero or
 * below, or without a record, which is also its decay if there was none.
 */
import { hash } from 'node:crypto';
import type { Emit } from '#infra/stages/stage';
import type { ArbitrageKind } from '#schemas/domain/arbitrage/pair';
import { perShare } from '#schemas/domain/arbitrage/walk';
import { type Decimal, formatDecimal, ZERO } from '#schemas/domain/decimal';
import { arbitrageSignalTopic } from '#schemas/topics/arbitrage-signals';
import type { QuotedPair } from './best-arbitrage.ts';
import type { EventState, SignalState } from './state.ts';

const ID_HEX_DIGITS = 24;

/** The pairs of a kind that an evaluation found to be profitable. */
export interface ProfitablePairs {
  readonly kind: ArbitrageKind;
  /** Pairs whose net amount is above zero. */
  readonly positive: readonly QuotedPair[];
  readonly size: Decimal;
  readonly receivedAt: number;
}

/** Starts, updates and ends the signals of a kind according to an evaluation, and emits their changes. */
export function updateSignals(
  event: EventState,
  { kind, positive, size, receivedAt }: ProfitablePairs,
  emit: Emit,
): void {
  if (positive.length === 0 && event.signals.length === 0) return;
  const live: SignalState[] = [];
  for (const pair of positive) {
    const edge = perShare(pair.net, size);
    // Compared as emitted: an edge that rounds to zero is not above zero.
    if (edge <= ZERO) continue;
    const known = event.signals.find((signal) => isSignalOf(signal, kind, pair));
    if (known) updateSignal(event, known, edge, receivedAt, emit);
    live.push(known ?? startSignal(event, kind, pair, edge, receivedAt, emit));
  }
  for (const signal of event.signals) {
    if (signal.kind !== kind) live.push(signal);
    else if (!live.includes(signal)) endSignal(event, signal, receivedAt, emit);
  }
  event.signals = live;
}

/** Ends all signals of an event that is not evaluated any more. */
export function endSignals(event: EventState, receivedAt: number, emit: Emit): void {
  for (const signal of event.signals) endSignal(event, signal, receivedAt, emit);
  event.signals = [];
}

function startSignal(
  event: EventState,
  kind: ArbitrageKind,
  { first, second }: QuotedPair,
  peak: Decimal,
  at: number,
  emit: Emit,
): SignalState {
  const { signalStarts } = event;
  event.signalStarts = { at, count: signalStarts.at === at ? signalStarts.count + 1 : 1 };
  const pair = {
    kind,
    firstProvider: first.leg.provider,
    firstMarketId: first.leg.marketId,
    secondProvider: second.leg.provider,
    secondMarketId: second.leg.marketId,
  };
  const identity = [event.universalId, ...Object.values(pair), at, event.signalStarts.count];
  const digest = hash('sha256', identity.join('\n'), 'hex');
  const id = `sig_${digest.slice(0, ID_HEX_DIGITS)}`;
  const signal: SignalState = { id, ...pair, beganAt: at, peak, peakAt: at, decayedAt: null };
  emitSignal(event, signal, at, null, emit);
  return signal;
}

function updateSignal(event: EventState, signal: SignalState, edge: Decimal, at: number, emit: Emit): void {
  const wasDecayed = signal.decayedAt !== null;
  if (edge > signal.peak) {
    signal.peak = edge;
    signal.peakAt = at;
    signal.decayedAt = null;
    // A peak after another peak is not emitted: only the state of the run at its decay or end counts.
    if (wasDecayed) emitSignal(event, signal, at, null, emit);
  } else if (!wasDecayed && edge * 2n <= signal.peak) {
    signal.decayedAt = at;
    emitSignal(event, signal, at, null, emit);
  }
}

function endSignal(event: EventState, signal: SignalState, at: number, emit: Emit): void {
  signal.decayedAt ??= at;
  emitSignal(event, signal, at, at, emit);
}

function emitSignal(
  event: EventState,
  signal: SignalState,
  receivedAt: number,
  endedAt: number | null,
  emit: Emit,
): void {
  const { peak, ...rest } = signal;
  const { universalId } = event;
  emit(arbitrageSignalTopic, universalId, {
    ...rest,
    universalId,
    receivedAt,
    peakNetEdge: formatDecimal(peak),
    endedAt,
  });
}

function isSignalOf(signal: SignalState, kind: ArbitrageKind, { first, second }: QuotedPair): boolean {
  return (
    signal.kind === kind &&
    signal.firstMarketId === first.leg.marketId &&
    signal.secondMarketId === second.leg.marketId &&
    signal.firstProvider === first.leg.provider &&
    signal.secondProvider === second.leg.provider
  );
}
