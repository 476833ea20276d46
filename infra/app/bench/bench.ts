/** Types of a benchmark. Each file of `benches/` declares one. */

/** Higher is better for rates per second, lower for everything else. */
export type Unit =
  | 'frames/s'
  | 'records/s'
  | 'events/s'
  | 'acquisitions/s'
  | 'rows/s'
  | 'requests/s'
  | 'deliveries/s'
  | 'ms'
  | '%'
  | 's/1,000 records'
  | 'events'
  | 'bytes'
  | 'MiB'
  | 'MiB/min';

/** One line of the report, or one entry of `results` with `--json`. */
export interface BenchResult {
  readonly name: string;
  /** A rate, or for latency the milliseconds added to the baseline. */
  readonly value: number;
  readonly unit: Unit;
  /** The baseline's own value; null if there is none. */
  readonly baseline: number | null;
  /** For rates `value / baseline`; for latency the total latency divided by the baseline's. Null without a baseline. */
  readonly ratio: number | null;
}

/** Target value of a result. */
export type Aim =
  | { readonly ratioMin: number }
  | { readonly ratioMax: number }
  | { readonly valueMaxMs: number }
  /** In the unit of the result. */
  | { readonly valueMax: number };

export interface BenchContext {
  /** An empty folder of its own; deleted afterwards. */
  readonly folder: string;
  /** Reports progress as a share from 0 to 1. */
  readonly onProgress: (share: number) => void;
}

export interface Bench {
  /** Names of its results, each with its aim; null for none. */
  readonly aims: Readonly<Record<string, Aim | null>>;
  /** Milliseconds after which it is killed; by default 3 minutes. */
  readonly limitMs?: number;
  /** Measures. Should take about 30 s, or a few minutes if it measures that much work. */
  readonly run: (context: BenchContext) => Promise<BenchResult[]>;
}
