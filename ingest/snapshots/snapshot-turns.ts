/**
 * Which account is acquired next for the snapshot of an hour: within the ten minutes after its mark, those that have gone
 * longest without a snapshot first. Pure.
 */
import { type BackoffBounds, backoffMs } from '#infra/runtime/retry';
import { hourOf, SNAPSHOT_WITHIN_MS } from '#schemas/domain/returns/snapshot-hour';

/** The clock of a venue may be behind ours: a state of before the mark is the snapshot of no hour, ms. */
const AFTER_MARK_MS = 1_000;
/** For how long the stage may take to value an acquisition before it is repeated. */
const VALUED_WITHIN_MS = 30_000;
const FAILED: BackoffBounds = { firstMs: 5_000, longestMs: 60_000 };

/** `late`: acquired, but it has no value within the ten minutes. */
export type SnapshotOutcome = 'taken' | 'late' | 'failed' | 'no_room';

/** An account whose turn it is. */
export interface SnapshotTurn {
  readonly account: string;
  /** Until when its acquisition counts, unix ms. */
  readonly until: number;
}

interface Account {
  /** The mark of its newest snapshot, ms; null before the first one. */
  hour: number | null;
  /** What became of its last attempt in this hour; null before the first one. */
  last: Exclude<SnapshotOutcome, 'taken'> | null;
  failures: number;
}

export class SnapshotTurns {
  private readonly accounts = new Map<string, Account>();
  private readonly random: () => number;
  /** The mark of the current hour, ms. */
  private hour = 0;
  /** Accounts of which this hour has no attempt, in their order, from `next` on. */
  private waiting: string[] = [];
  private at = 0;
  /** Accounts whose attempt did not lead to a snapshot, with the time of the next one, unix ms. */
  private readonly again = new Map<string, number>();

  constructor(random: () => number = Math.random) {
    this.random = random;
  }

  /** Processes a record about an account, also one that was processed before. @param hour the mark of its newest snapshot. */
  record(account: string, hour: number | null): void {
    const known = this.accounts.get(account);
    if (known) known.hour = hour;
    else {
      this.accounts.set(account, { hour, last: null, failures: 0 });
      this.waiting.push(account);
    }
    if (hour === this.hour) this.again.delete(account);
  }

  /** Forgets an account that no binding names any more. */
  forget(account: string): void {
    this.accounts.delete(account);
    this.again.delete(account);
  }

  /**
   * Returns the account whose turn it is, null if there is none, and counts an attempt of it. First accounts without an
   * attempt, then those whose attempt failed.
   */
  next(now: number): SnapshotTurn | null {
    if (hourOf(now) !== this.hour) this.beginHour(hourOf(now));
    const until = this.hour + SNAPSHOT_WITHIN_MS;
    if (now < this.hour + AFTER_MARK_MS || now >= until) return null;
    const account = this.nextWaiting() ?? this.nextAgain(now);
    if (account === null) return null;
    this.again.delete(account);
    return { account, until };
  }

  /** How many accounts have no snapshot of the hour and wait for a turn; some of them may have it by now. */
  get left(): number {
    return this.waiting.length - this.at + this.again.size;
  }

  /** Records that an acquisition was published; the stage states whether it has a value. */
  acquired({ account }: SnapshotTurn, now: number): void {
    this.attempted(account, 'late', now + VALUED_WITHIN_MS);
  }

  failed({ account }: SnapshotTurn, outcome: 'failed' | 'no_room', now: number): void {
    const known = this.accounts.get(account);
    if (!known) return;
    this.attempted(account, outcome, now + backoffMs(known.failures, this.random, FAILED));
    known.failures += 1;
  }

  /** Returns what became of the accounts in the hour with this mark, which must be over or nearly so. */
  *outcomesOf(hour: number): Iterable<SnapshotOutcome> {
    for (const { hour: newest, last } of this.accounts.values())
      yield newest !== null && newest >= hour ? 'taken' : (last ?? 'no_room');
  }

  /** Sorting 100,000 accounts takes a tenth of a second, once an hour. */
  private beginHour(hour: number): void {
    this.hour = hour;
    this.again.clear();
    for (const account of this.accounts.values()) {
      account.last = null;
      account.failures = 0;
    }
    this.waiting = [...this.accounts].sort(([, a], [, b]) => (a.hour ?? 0) - (b.hour ?? 0)).map(([account]) => account);
    this.at = 0;
  }

  private nextWaiting(): string | null {
    for (; this.at < this.waiting.length; ) {
      const account = this.waiting[this.at]!;
      this.at += 1;
      // A read of a client may have led to its snapshot.
      if (this.isWithout(account)) return account;
    }
    return null;
  }

  private nextAgain(now: number): string | null {
    let earliest = now;
    let next: string | null = null;
    for (const [account, at] of this.again) if (at <= earliest) [earliest, next] = [at, account];
    return next;
  }

  private isWithout(account: string): boolean {
    const known = this.accounts.get(account);
    return known !== undefined && (known.hour ?? 0) < this.hour;
  }

  private attempted(account: string, outcome: Exclude<SnapshotOutcome, 'taken'>, againAt: number): void {
    const known = this.accounts.get(account);
    if (!known) return;
    known.last = outcome;
    if (this.isWithout(account)) this.again.set(account, againAt);
  }
}
