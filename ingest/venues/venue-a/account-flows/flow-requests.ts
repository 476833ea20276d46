/**
 * Which ledger updates and prices of followed accounts are requested next. The records of the coverage say where each
 * account continues, so what is open after a restart follows from the log. Pure.
 */
import { type BackoffBounds, backoffMs } from '#infra/runtime/retry';
import { HOUR_MS, hourOf, SNAPSHOT_WITHIN_MS } from '#schemas/domain/returns/snapshot-hour';
import type { FlowCoverage } from '#schemas/topics/account-flows';

/**
 * For how long the stage may take to process a response before the request is repeated. One that cannot be read never
 * advances the flows, so the wait grows.
 */
const ANSWERED: BackoffBounds = { firstMs: 30_000, longestMs: 900_000 };
/** Waits after requests without a response. */
const FAILED: BackoffBounds = { firstMs: 5_000, longestMs: 5 * 60_000 };
/** A price that the venue did not have is requested again as often as updates are. */
const PRICE_AGAIN_MS = HOUR_MS;

/** A request that is due: for updates from a time on, or for the price of a coin at a time. */
export type FlowRequest = { readonly account: string } & (
  | { readonly from: number }
  | { readonly coin: string; readonly ts: number }
);

interface Account {
  coverage: FlowCoverage;
  running: boolean;
  /** No request is due before, unix ms. */
  notBefore: number;
  /** Requests since the flows advanced: some without a response, some with one that did not advance them. */
  count: number;
  /** When a price was requested last, unix ms, by coin and time. */
  readonly prices: Map<string, number>;
}

export class FlowRequests {
  private readonly accounts = new Map<string, Account>();
  private readonly random: () => number;

  constructor(random: () => number = Math.random) {
    this.random = random;
  }

  /** Processes a record of the topic, also one that was processed before. */
  record(coverage: FlowCoverage): void {
    const known = this.accounts.get(coverage.account);
    if (known?.coverage.ledger !== coverage.ledger) {
      const entry = { coverage, running: false, notBefore: 0, count: 0, prices: new Map() };
      this.accounts.set(coverage.account, entry);
      return;
    }
    if (hasAdvanced(known.coverage, coverage)) Object.assign(known, { notBefore: 0, count: 0 });
    known.coverage = coverage;
  }

  /** Forgets an account that no binding names any more. */
  forget(account: string): void {
    this.accounts.delete(account);
  }

  /** Where the updates of an account continue, ms; null for one that is not followed. */
  fromOf(account: string): number | null {
    return this.accounts.get(account)?.coverage.requestFrom ?? null;
  }

  /** Returns the request that waits longest: of updates once an hour, after its snapshots; then of prices. */
  next(now: number): FlowRequest | null {
    const mark = hourOf(now - SNAPSHOT_WITHIN_MS) + SNAPSHOT_WITHIN_MS;
    let next: FlowRequest | null = null;
    let oldest = mark;
    for (const [account, { coverage, running, notBefore, prices }] of this.accounts) {
      if (running || now < notBefore) continue;
      const { knownThrough, requestFrom, wantedPrices } = coverage;
      if ((knownThrough ?? 0) < oldest) {
        oldest = knownThrough ?? 0;
        next = { account, from: requestFrom ?? 0 };
      } else if (next === null || !('from' in next)) {
        const wanted = wantedPrices.find((price) => now - (prices.get(keyOf(price)) ?? 0) >= PRICE_AGAIN_MS);
        if (wanted) next ??= { account, ...wanted };
      }
    }
    return next;
  }

  /** Records that a request is sent, or waits to be sent. */
  begin({ account }: FlowRequest): void {
    const known = this.accounts.get(account);
    if (known) known.running = true;
  }

  /** Records that a response was published. The stage states what it contained. */
  answered(request: FlowRequest, now: number): void {
    const known = this.accounts.get(request.account);
    if (!known) return;
    known.running = false;
    if ('coin' in request) this.storePrice(known, request, now);
    else this.wait(known, now, ANSWERED);
  }

  /** Records that a request got no response. */
  failed({ account }: FlowRequest, now: number): void {
    const known = this.accounts.get(account);
    if (!known) return;
    known.running = false;
    this.wait(known, now, FAILED);
  }

  private wait(account: Account, now: number, bounds: BackoffBounds): void {
    account.notBefore = now + backoffMs(account.count, this.random, bounds);
    account.count += 1;
  }

  private storePrice({ coverage, prices }: Account, request: { coin: string; ts: number }, now: number): void {
    const wanted = new Set(coverage.wantedPrices.map(keyOf));
    for (const key of prices.keys()) if (!wanted.has(key)) prices.delete(key);
    prices.set(keyOf(request), now);
  }
}

function hasAdvanced(before: FlowCoverage, after: FlowCoverage): boolean {
  return before.knownThrough !== after.knownThrough || before.requestFrom !== after.requestFrom;
}

const keyOf = ({ coin, ts }: { readonly coin: string; readonly ts: number }): string => `${coin} ${ts}`;
