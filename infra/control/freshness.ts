/**
 * How far a reducer may be behind. A reader that brings nothing may have nothing to bring, or nobody to bring it from;
 * so the log is asked at intervals what its newest command is, and the reducer was up to date at the moment of a
 * question once it has taken the command that the answer names.
 */
import { pause } from '../pause.ts';

/** The longest that a reducer may be behind and still vouch for keys: for so long a revoked key may be good elsewhere. */
export const STALE_AFTER_MS = 30_000;
/** Questions within that time, so that one that fails does not make a node stale. */
const CHECKS = 6;

export interface FreshnessOptions {
  /** Offset of the newest command in the log; -1 when there is none. */
  readonly newest: () => Promise<number>;
  /** The log could not be asked (the error says why), or could again (null). */
  readonly onTrouble: (error: unknown) => void;
  readonly staleAfterMs?: number;
  /** Monotonic ms. */
  readonly now?: () => number;
}

export class Freshness {
  private readonly options: FreshnessOptions;
  private readonly staleAfterMs: number;
  private readonly now: () => number;
  /** Everything that the log held then is taken. */
  private knownAt: number;
  /** What the log held when it was last asked; null once that is taken. */
  private asked: { readonly offset: number; readonly at: number } | null = null;
  private position = -1;

  /** @param options made when the reducer begins to read: from then on it has the time to get there. */
  constructor(options: FreshnessOptions) {
    this.options = options;
    this.staleAfterMs = options.staleAfterMs ?? STALE_AFTER_MS;
    this.now = options.now ?? (() => performance.now());
    this.knownAt = this.now();
  }

  get isFresh(): boolean {
    return this.now() - this.knownAt < this.staleAfterMs;
  }

  /** The reducer has taken everything up to this offset. */
  reached(offset: number): void {
    this.position = offset;
    if (!this.asked || this.position < this.asked.offset) return;
    this.knownAt = this.asked.at;
    this.asked = null;
  }

  /**
   * Asks at intervals until the signal ends it. The first question comes at once: the reducer's start may have taken
   * longer than it may be behind.
   */
  async watch(signal: AbortSignal): Promise<void> {
    let troubled = false;
    do {
      try {
        await this.check();
        if (troubled) this.options.onTrouble(null);
        troubled = false;
      } catch (error) {
        troubled = true;
        this.options.onTrouble(error);
      }
    } while (await pause(this.staleAfterMs / CHECKS, signal));
  }

  /** One question; none while the answer to the last is not reached, which would put off when it is. */
  async check(): Promise<void> {
    if (this.asked) return;
    const at = this.now();
    const offset = await this.options.newest();
    this.asked = { offset, at };
    this.reached(this.position);
  }
}
