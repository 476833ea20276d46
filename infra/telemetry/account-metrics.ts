/** Metrics of followed accounts and their ledgers. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** An account that is followed. */
export interface FollowedAccount {
  readonly venue: string;
  /** Up to when its fills have arrived, unix ms; null while that is unknown, and where fills need no requests. */
  readonly fillsThrough: number | null;
}

/** How many accounts have a snapshot of each hour. */
export interface AccountsFit {
  readonly venue: string;
  readonly clients: 'idle' | 'busy';
  readonly accounts: number;
}

/** Declares them. `accounts.read` is set where followed accounts are known, `accountsFit.read` where they are acquired. */
export function createAccountMetrics(registers: Registry[], now: () => number = Date.now) {
  const accounts: { read: (() => readonly FollowedAccount[]) | null } = { read: null };
  new Gauge({
    name: 'parallax_accounts_followed',
    help: 'Accounts that a live binding names.',
    labelNames: ['venue'],
    registers,
    collect() {
      this.reset();
      for (const { venue } of accounts.read?.() ?? []) this.inc({ venue });
    },
  });
  const accountsFit: { read: (() => readonly AccountsFit[]) | null } = { read: null };
  new Gauge({
    name: 'parallax_accounts_fit',
    help: 'Accounts that have a snapshot within ten minutes of each hour mark, as far as the limits of the venue allow, while clients read little (`idle`) and as much as they may (`busy`).',
    labelNames: ['venue', 'clients'],
    registers,
    collect() {
      this.reset();
      for (const { venue, clients, accounts: count } of accountsFit.read?.() ?? []) this.set({ venue, clients }, count);
    },
  });
  new Histogram({
    name: 'parallax_account_fills_age_seconds',
    help: 'Time up to which all fills of an account have arrived, until now; one observation for each account whose fills are requested and loaded.',
    labelNames: ['venue'],
    buckets: [10, 30, 60, 120, 300, 600, 1_800, 3_600],
    registers,
    collect() {
      this.reset();
      for (const { venue, fillsThrough } of accounts.read?.() ?? [])
        if (fillsThrough !== null) this.observe({ venue }, Math.max(0, now() - fillsThrough) / 1_000);
    },
  });
  return {
    accounts,
    accountsFit,
    accountAcquisitions: new Counter({
      name: 'parallax_account_acquisitions_total',
      help: 'Acquisitions of accounts by cause and outcome: `complete`, `failed`, or `no_room` within the limits of the venue.',
      labelNames: ['venue', 'cause', 'outcome'],
      registers,
    }),
    navSnapshots: new Counter({
      name: 'parallax_nav_snapshots_total',
      help: 'Hourly snapshots of followed accounts by outcome: `taken`; `late`: acquired, but without a value within ten minutes of the mark; `failed`; `no_room` within the limits of the venue. Counted eleven minutes after the mark.',
      labelNames: ['venue', 'outcome'],
      registers,
    }),
    ledgerRebuilds: new Counter({
      name: 'parallax_ledger_rebuilds_total',
      help: 'Books that were written because a late, corrected or removed event changed the effects of events of their account.',
      labelNames: ['venue'],
      registers,
    }),
    ledgerEvents: new Counter({
      name: 'parallax_ledger_events_total',
      help: 'Effects of events on books of ledgers that were written, by kind; one that a late event changes counts again.',
      labelNames: ['venue', 'kind'],
      registers,
    }),
  };
}
