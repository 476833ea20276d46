/**
 * Measures how far the reducer may be behind the log. A reader that returns nothing may have read everything, or may
 * have no broker. So the offset of the newest command is queried at intervals; the reducer was up to date at the time
 * of a query once it has processed the command at that offset.
 */
import { pause } from '../runtime/pause.ts';

/**
 * How long a reducer may be behind and still accept keys: for this long a key that was revoked elsewhere may be
 * accepted.
 */
export const STALE_AFTER_MS = 30_000;
/** Queries within that time, so that one that fails does not make a node stale. */
const CHECKS = 6;

export interface ReplicaLagOptions {
  /** Offset of the newest command in the log; -1 when there is none. */
  readonly newest: () => Promise<number>;
  /** Called with the error when a query fails, and with null when one succeeds again. */
  readonly onProblem: (error: unknown) => void;
  readonly staleAfterMs?: number;
  /** Monotonic ms. */
  readonly now?: () => number;
}

export class ReplicaLag {
  private readonly options: ReplicaLagOptions;
  private readonly staleAfterMs: number;
  private readonly now: () => number;
  /** Time up to which everything in the log was processed. */
  private knownAt: number;
  /** The newest command at the last query; null once it was processed. */
  private pendingCheck: { readonly offset: number; readonly at: number } | null = null;
  private position = -1;

  /** @param options created when the reducer starts to read, which then has `staleAfterMs` to catch up. */
  constructor(options: ReplicaLagOptions) {
    this.options = options;
    this.staleAfterMs = options.staleAfterMs ?? STALE_AFTER_MS;
    this.now = options.now ?? (() => performance.now());
    this.knownAt = this.now();
  }

  get isCurrent(): boolean {
    return this.now() - this.knownAt < this.staleAfterMs;
  }

  /** Records that the reducer has processed everything up to this offset. */
  reached(offset: number): void {
    this.position = offset;
    if (!this.pendingCheck || this.position < this.pendingCheck.offset) return;
    this.knownAt = this.pendingCheck.at;
    this.pendingCheck = null;
  }

  /**
   * Queries the log at intervals until the signal aborts. The first query runs at once: the reducer's start may have
   * taken longer than it may be behind.
   */
  async watch(signal: AbortSignal): Promise<void> {
    let hasProblem = false;
    do {
      try {
        await this.check();
        if (hasProblem) this.options.onProblem(null);
        hasProblem = false;
      } catch (error) {
        hasProblem = true;
        this.options.onProblem(error);
      }
    } while (await pause(this.staleAfterMs / CHECKS, signal));
  }

  /**
   * Runs one query. Does nothing while the reducer has not reached the offset of the previous query: a newer offset would
   * be a later target, and the node would count as stale for longer.
   */
  async check(): Promise<void> {
    if (this.pendingCheck) return;
    const at = this.now();
    const offset = await this.options.newest();
    this.pendingCheck = { offset, at };
    this.reached(this.position);
  }
}
