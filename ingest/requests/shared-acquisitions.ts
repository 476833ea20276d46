/** Acquisitions of the accounts of a venue: one of each account at a time, whatever caused it. */
import type { AcquisitionResult } from '#schemas/requests/account-acquisition';

/** Why an account is acquired. */
export type AcquisitionCause = 'read' | 'snapshot' | 'check';

/** How an acquisition is sent. */
export interface AcquisitionTerms {
  readonly cause: AcquisitionCause;
  /** Priority within the limits of the venue. */
  readonly priority: number;
  /** Who spends the weight; nobody by default. */
  readonly payers?: ReadonlySet<string>;
  /** Until when it waits for room within the limits, unix ms. */
  readonly roomUntil: number;
  readonly signal: AbortSignal;
  /** True to join no acquisition that has ended. */
  readonly fresh?: boolean;
}

/** Requests and publishes everything about an account. Rejects with an `UpstreamError`. */
export type Acquire = (address: string, terms: AcquisitionTerms) => Promise<AcquisitionResult>;

/** A request within this time of the end of an acquisition gets its result. */
const LIFETIME_MS = 15_000;

export class SharedAcquisitions {
  private readonly now: () => number;
  private readonly running = new Map<string, Promise<AcquisitionResult>>();
  /** Those of the last 15 s, oldest first. */
  private readonly ended = new Map<string, { readonly at: number; readonly result: AcquisitionResult }>();

  /** @param now monotonic ms. */
  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  /** The acquisition of an account that runs or, unless `fresh`, has just ended; null without one. */
  current(address: string, fresh = false): Promise<AcquisitionResult> | null {
    this.dropOld();
    const ended = fresh ? undefined : this.ended.get(address);
    return this.running.get(address) ?? (ended ? Promise.resolve(ended.result) : null);
  }

  /** Runs an acquisition whose weight is reserved, or joins the current one. */
  run(address: string, acquire: () => Promise<AcquisitionResult>, fresh = false): Promise<AcquisitionResult> {
    const current = this.current(address, fresh);
    if (current) return current;
    const running = this.complete(address, acquire);
    this.running.set(address, running);
    return running;
  }

  private async complete(address: string, acquire: () => Promise<AcquisitionResult>): Promise<AcquisitionResult> {
    try {
      const result = await acquire();
      this.ended.delete(address);
      this.ended.set(address, { at: this.now(), result });
      return result;
    } finally {
      this.running.delete(address);
    }
  }

  private dropOld(): void {
    for (const [address, { at }] of this.ended) {
      if (this.now() - at <= LIFETIME_MS) return;
      this.ended.delete(address);
    }
  }
}
