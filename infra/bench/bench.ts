/** What a benchmark is. Each file of `benches/` declares one. */

/** Higher is better for what is done a second, lower for everything else. */
export type Unit =
  | 'frames/s'
  | 'records/s'
  | 'events/s'
  | 'rows/s'
  | 'requests/s'
  | 'deliveries/s'
  | 'ms'
  | 's/1,000 records'
  | 'events'
  | 'bytes'
  | 'MiB'
  | 'MiB/min';

/** One line of the report, and one entry of `results` with `--json`. */
export interface BenchResult {
  readonly name: string;
  /** A rate, or for latency the milliseconds added over the baseline. */
  readonly value: number;
  readonly unit: Unit;
  /** The same measured on the bare baseline; null where there is none. */
  readonly baseline: number | null;
  /** For rates `value / baseline`; for latency the whole latency over the baseline's. Null without a baseline. */
  readonly ratio: number | null;
}

/** What a first release should reach. */
export type Aim =
  | { readonly ratioMin: number }
  | { readonly ratioMax: number }
  | { readonly valueMaxMs: number }
  /** In the unit of the result. */
  | { readonly valueMax: number };

export interface BenchContext {
  /** An empty folder of its own; deleted afterwards. */
  readonly folder: string;
  /** Tells how far it is: a share from 0 to 1. */
  readonly onProgress: (share: number) => void;
}

export interface Bench {
  /** The results that it gives, with what each should reach; null where nothing is asked. */
  readonly aims: Readonly<Record<string, Aim | null>>;
  /** Milliseconds after which it is killed; 3 minutes when left out. */
  readonly limitMs?: number;
  /** Measures; must end by itself, within about 30 s, or a few minutes where so much work is what is measured. */
  readonly run: (context: BenchContext) => Promise<BenchResult[]>;
}
