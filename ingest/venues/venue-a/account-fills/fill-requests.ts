/**
 * Which fills of followed accounts are requested next. A request continues where the records of the load say, so what is
 * open after a restart follows from the log. Pure.
 */
import { type BackoffBounds, backoffMs } from '#infra/runtime/retry';
import { FILL_LISTS, type FillList, type FillLoad } from '#schemas/topics/account-fills';
import { REST_PRIORITIES } from '../declaration.ts';

/** Time between two reads of a list of a loaded account that no trade named. */
export const TURN_MS = 240_000;
/** The same after a trade, of an account that trades all the time. */
export const TRADED_TURN_MS = 40_000;
/** For how long the stage may take to process a response before the request is repeated. */
const PROCESSED_WITHIN_MS = 30_000;
const FAILED: BackoffBounds = { firstMs: 2_000, longestMs: 60_000 };

/** A request that is due. */
export interface FillRequest {
  readonly account: string;
  readonly user: string;
  readonly list: FillList;
  readonly from: number;
  readonly priority: number;
}

interface Account {
  load: FillLoad;
  /** When a request for each list was sent last, unix ms. */
  readonly sentAt: Record<FillList, number>;
  running: FillRequest | null;
  /** No request is due before, unix ms. */
  notBefore: number;
  failures: number;
}

const fromOf = (load: FillLoad, list: FillList) => (list === 'orders' ? load.ordersFrom : load.twapsFrom);
const completeAtOf = (load: FillLoad, list: FillList) =>
  list === 'orders' ? load.ordersCompleteAt : load.twapsCompleteAt;

export class FillRequests {
  private readonly accounts = new Map<string, Account>();
  private readonly random: () => number;

  constructor(random: () => number = Math.random) {
    this.random = random;
  }

  /** Processes a record of the topic, also one that was processed before. */
  record(load: FillLoad): void {
    const known = this.accounts.get(load.account);
    if (known?.load.ledger !== load.ledger) {
      const sentAt = { orders: 0, twaps: 0 };
      this.accounts.set(load.account, { load, sentAt, running: null, notBefore: 0, failures: 0 });
      return;
    }
    const hasAdvanced = FILL_LISTS.some(
      (list) =>
        fromOf(load, list) !== fromOf(known.load, list) || completeAtOf(load, list) !== completeAtOf(known.load, list),
    );
    known.load = load;
    if (hasAdvanced) known.notBefore = 0;
  }

  /** Forgets an account that no binding names any more. */
  forget(account: string): void {
    this.accounts.delete(account);
  }

  /** Returns the requests that are due, at most one for each account: the most important first, then the longest waiting. */
  due(now: number): FillRequest[] {
    const due: { readonly request: FillRequest; readonly since: number }[] = [];
    for (const account of this.accounts.values()) {
      const next = nextOf(account, now);
      if (next) due.push(next);
    }
    return due
      .sort((a, b) => a.request.priority - b.request.priority || a.since - b.since)
      .map(({ request }) => request);
  }

  /** Records that a request is sent, or waits to be sent. */
  begin(request: FillRequest): void {
    const account = this.accounts.get(request.account);
    if (account) account.running = request;
  }

  /** Records that a response was published. The stage states what it contained. */
  answered(request: FillRequest, now: number): void {
    const account = this.end(request);
    if (!account) return;
    account.failures = 0;
    account.sentAt[request.list] = now;
    account.notBefore = now + PROCESSED_WITHIN_MS;
  }

  /** Records that a request got no response. */
  failed(request: FillRequest, now: number): void {
    const account = this.end(request);
    if (!account) return;
    account.notBefore = now + backoffMs(account.failures, this.random, FAILED);
    account.failures += 1;
  }

  private end(request: FillRequest): Account | null {
    const account = this.accounts.get(request.account);
    if (account?.running !== request) return null;
    account.running = null;
    return account;
  }
}

function nextOf(account: Account, now: number): { request: FillRequest; since: number } | null {
  const { load, running, notBefore, sentAt } = account;
  if (running || now < notBefore) return null;
  const open = FILL_LISTS.filter((list) => completeAtOf(load, list) === null);
  // Both lists advance together, so that the stage retains few fills of the one that is ahead.
  const list = (open.length > 0 ? open : [...FILL_LISTS]).reduce((a, b) => {
    const isLater =
      open.length > 0 ? fromOf(load, a) > fromOf(load, b) : completeAtOf(load, a)! > completeAtOf(load, b)!;
    return isLater ? b : a;
  });
  const since = completeAtOf(load, list) ?? load.ledger;
  const request = { account: load.account, user: load.user, list, from: fromOf(load, list) };
  if (open.length > 0) return { request: { ...request, priority: REST_PRIORITIES.fillLoads }, since };
  const waited = now - Math.max(since, sentAt[list]);
  const isTraded = load.tradedAt !== null && load.tradedAt > since;
  if (isTraded && waited >= TRADED_TURN_MS)
    return { request: { ...request, priority: REST_PRIORITIES.tradedFills }, since };
  if (waited >= TURN_MS) return { request: { ...request, priority: REST_PRIORITIES.others }, since };
  return null;
}
