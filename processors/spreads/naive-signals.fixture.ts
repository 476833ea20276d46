/** Naive arbitrage signals, calculated afterwards from all evaluations of an event, for comparison in tests. */
import type { ArbitrageSignal } from '#schemas/topics/arbitrage-signals';
import { type NaivePair, Ratio } from './naive-arbitrage.fixture.ts';

/** Every pair that could be quoted at one evaluation of an event. */
export interface NaiveEvaluation {
  readonly at: number;
  readonly pairs: readonly NaivePair[];
}

/** The expected last record of a signal. */
export type NaiveSignal = Omit<ArbitrageSignal, 'id' | 'universalId' | 'receivedAt'>;

interface Point {
  readonly at: number;
  readonly edge: Ratio;
}

const NONE = new Ratio(0n);
const HALF = new Ratio(1n, 2n);

/** Returns the runs of positive net edges of every pair. */
export function naiveSignals(evaluations: readonly NaiveEvaluation[]): NaiveSignal[] {
  const names = new Set(evaluations.flatMap(({ pairs }) => pairs.map(nameOf)));
  return [...names].flatMap((name) => {
    const points = evaluations.map(({ at, pairs }) => {
      const pair = pairs.find((one) => nameOf(one) === name);
      return { at, edge: pair ? Ratio.of(pair.fields.netEdge!) : NONE };
    });
    return runsOf(points).map((run) => signalOf(name, run));
  });
}

/** Returns the figures of signals that all started in the window. */
export function naiveDecay(signals: readonly Pick<ArbitrageSignal, 'peakAt' | 'decayedAt'>[]) {
  const halfLives = signals.flatMap(({ peakAt, decayedAt }) => (decayedAt === null ? [] : [decayedAt - peakAt]));
  halfLives.sort((a, b) => a - b);
  const { length } = halfLives;
  const [low, high] = [halfLives[Math.floor((length - 1) / 2)]!, halfLives[Math.floor(length / 2)]!];
  return {
    signalsConsidered: signals.length,
    decayedSignals: length,
    medianHalfLifeMs: length === 0 ? null : Math.round((low + high) / 2),
  };
}

/** Returns the runs above zero, each with the point that ended it, if any. */
function runsOf(points: readonly Point[]): Point[][] {
  const runs: Point[][] = [];
  let open = false;
  for (const point of points) {
    const isAbove = NONE.below(point.edge);
    if (isAbove && !open) runs.push([]);
    if (isAbove || open) runs.at(-1)!.push(point);
    open = isAbove;
  }
  return runs;
}

function signalOf(name: string, run: readonly Point[]): NaiveSignal {
  const largest = run.reduce((most, { edge }) => (most.below(edge) ? edge : most), NONE);
  const peak = run.findIndex(({ edge }) => !edge.below(largest));
  const decay = run.slice(peak).find(({ edge }) => !largest.times(HALF).below(edge));
  const last = run.at(-1)!;
  const [kind, firstProvider, firstMarketId, secondProvider, secondMarketId] = name.split('|');
  return {
    kind: kind as ArbitrageSignal['kind'],
    firstProvider: firstProvider!,
    firstMarketId: firstMarketId!,
    secondProvider: secondProvider!,
    secondMarketId: secondMarketId!,
    beganAt: run[0]!.at,
    peakAt: run[peak]!.at,
    peakNetEdge: largest.text(),
    decayedAt: decay?.at ?? null,
    endedAt: NONE.below(last.edge) ? null : last.at,
  };
}

function nameOf({ kind, fields }: NaivePair): string {
  return [kind, fields.firstProvider, fields.firstMarketId, fields.secondProvider, fields.secondMarketId].join('|');
}
