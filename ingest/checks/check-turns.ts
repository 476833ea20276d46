/**
 * Which ledger is compared next with the positions of its venue: 30 to 90 s after it last changed, and an hour after its
 * last comparison. Pure.
 */
import { type BackoffBounds, backoffMs } from '#infra/runtime/retry';
import { type LedgerChange, VENUE_LAG_MS } from '#schemas/topics/ledger-checks';

/** Comparisons of ledgers that changed together are spread over this time. They need some of the 60 s themselves. */
const SPREAD_MS = 30_000;
const EVERY_MS = 3_600_000;
/** For how long the stage may take to compare before the acquisition is repeated. */
const COMPARED_WITHIN_MS = 60_000;
const FAILED: BackoffBounds = { firstMs: 5_000, longestMs: 300_000 };

interface Ledger {
  dueAt: number;
  failures: number;
}

export class CheckTurns {
  /** By account. */
  private readonly ledgers = new Map<string, Ledger>();
  private readonly random: () => number;

  constructor(random: () => number = Math.random) {
    this.random = random;
  }

  /** Processes a record about a ledger, also one that was processed before. */
  record({ account, ledger, changedAt, checkedAt }: LedgerChange): void {
    // A ledger that changes all the time is compared every hour, too.
    const hourlyAt = (checkedAt ?? ledger) + EVERY_MS;
    const afterChangeAt = changedAt === null ? hourlyAt : changedAt + VENUE_LAG_MS + this.random() * SPREAD_MS;
    this.ledgers.set(account, { dueAt: Math.min(hourlyAt, afterChangeAt), failures: 0 });
  }

  /** Forgets an account that no binding names any more. */
  forget(account: string): void {
    this.ledgers.delete(account);
  }

  /** Returns the account that has been due for longest, null if there is none. It is due again unless a record follows. */
  next(now: number): string | null {
    let earliest = now;
    let next: string | null = null;
    for (const [account, { dueAt }] of this.ledgers) if (dueAt <= earliest) [earliest, next] = [dueAt, account];
    if (next !== null) this.ledgers.get(next)!.dueAt = now + COMPARED_WITHIN_MS;
    return next;
  }

  /** Records that an account could not be acquired. */
  failed(account: string, now: number): void {
    const ledger = this.ledgers.get(account);
    if (!ledger) return;
    ledger.dueAt = now + backoffMs(ledger.failures, this.random, FAILED);
    ledger.failures += 1;
  }
}
