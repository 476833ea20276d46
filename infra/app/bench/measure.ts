/** Measures subject and baseline in alternating rounds, so that a machine that slows down affects both. */
import type { BenchResult, Unit } from './bench.ts';
import { median } from './statistics.ts';

/** Does some work once and returns its units and duration. */
export type Measured = () => Measurement | Promise<Measurement>;

export interface Measurement {
  readonly units: number;
  readonly ms: number;
}

export interface AlternateOptions {
  readonly rounds: number;
  /** Initial rounds that are not counted: compilation, first pages of a file, full socket buffers. */
  readonly warmups: number;
  readonly onProgress: (share: number) => void;
  /** No further round starts after this time; at least one is measured. */
  readonly budgetMs?: number;
}

const BUDGET_MS = 20_000;

/** Runs A B A B … and returns the median rates in units per second. */
export async function alternate(
  subject: Measured,
  baseline: Measured,
  { rounds, warmups, onProgress, budgetMs = BUDGET_MS }: AlternateOptions,
): Promise<{ readonly subject: number; readonly baseline: number }> {
  const rates: { readonly subject: number[]; readonly baseline: number[] } = { subject: [], baseline: [] };
  const deadline = performance.now() + budgetMs;
  for (let round = 0; round < warmups + rounds; round += 1) {
    if (rates.subject.length > 0 && performance.now() > deadline) break;
    const [a, b] = [rateOf(await subject()), rateOf(await baseline())];
    onProgress((round + 1) / (warmups + rounds));
    if (round < warmups) continue;
    rates.subject.push(a);
    rates.baseline.push(b);
  }
  return { subject: median(rates.subject), baseline: median(rates.baseline) };
}

/** Calculates units per second. Throws a `RangeError` for zero units or zero time. */
export function rateOf({ units, ms }: Measurement): number {
  if (!(units > 0 && ms > 0)) throw new RangeError(`cannot calculate a rate from ${units} units in ${ms} ms`);
  return (units * 1_000) / ms;
}

/** Measures synchronous work. */
export function timed(work: () => number): Measurement {
  const startedAt = performance.now();
  const units = work();
  return { units, ms: performance.now() - startedAt };
}

/** Measures asynchronous work. */
export async function timedAsync(work: () => Promise<number>): Promise<Measurement> {
  const startedAt = performance.now();
  const units = await work();
  return { units, ms: performance.now() - startedAt };
}

/** Builds the result of a rate and its baseline. */
export function rateResult(name: string, unit: Unit, rates: { subject: number; baseline: number | null }): BenchResult {
  const { subject, baseline } = rates;
  return { name, value: subject, unit, baseline, ratio: baseline === null ? null : subject / baseline };
}

/** Builds the result of a latency: the milliseconds that the subject adds to the baseline. */
export function latencyResult(name: string, ms: { subject: number; baseline: number }): BenchResult {
  const { subject, baseline } = ms;
  return { name, value: subject - baseline, unit: 'ms', baseline, ratio: subject / baseline };
}

/** Builds that result, and one of the subject alone, whose name ends with `-p99`. @param ms p99 of the latencies. */
export function latencyResults(name: string, ms: { subject: number; baseline: number }): BenchResult[] {
  return [latencyResult(name, ms), { name: `${name}-p99`, value: ms.subject, unit: 'ms', baseline: null, ratio: null }];
}
