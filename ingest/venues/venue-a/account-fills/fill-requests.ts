/**
 * Which fills of followed accounts are requested next. A request continues where the records of the load say, so what is
 * open after a restart follows from the log. Pure.
 */
import { type BackoffBounds, backoffMs } from '#infra/runtime/retry';
import { FILL_LISTS, type FillList, type FillLoad } from '#schemas/topics/account-fills';
import { REST_PRIORITIES } from '../declaration.ts';

/** Time between two reads of a list of a loaded account that no trade named. */
export const TURN_MS = 240_000;
/** The same while a recorded trade is missing among the fills, of an account that trades all the time. */
export const TRADED_TURN_MS = 40_000;
/** For how long another source may take to bring the fill of a trade before it is requested. */
export const ARRIVES_WITHIN_MS = 3_000;
/**
 * For how long the stage may take to process a response before the request is repeated. One that cannot be read never
 * advances the load, so the wait grows.
 */
const ANSWERED: BackoffBounds = { firstMs: 30_000, longestMs: 900_000 };
/** Waits after requests without a response. */
const FAILED: BackoffBounds = { firstMs: 2_000, longestMs: 60_000 };

/** A request that is due. */
export interface FillRequest {
  readonly account: string;
  readonly user: string;
  readonly list: FillList;
  readonly from: number;
  readonly priority: number;
}

/** The known state of the requests for one list of an account. */
interface Attempts {
  /** When the newest response was received, unix ms; 0 before the first. */
  answeredAt: number;
  /** No request is due before, unix ms. */
  notBefore: number;
  /** Requests since the list advanced: some without a response, some with one that did not advance it. */
  count: number;
}

interface Account {
  load: FillLoad;
  readonly lists: Readonly<Record<FillList, Attempts>>;
  running: FillRequest | null;
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
      const lists = { orders: createAttempts(), twaps: createAttempts() };
      this.accounts.set(load.account, { load, lists, running: null });
      return;
    }
    for (const list of FILL_LISTS)
      if (hasAdvanced(known.load, load, list)) Object.assign(known.lists[list], { notBefore: 0, count: 0 });
    known.load = load;
  }

  /** Forgets an account that no binding names any more. */
  forget(account: string): void {
    this.accounts.delete(account);
  }

  /**
   * Returns the requests that are due, at most one for each account: the most important first, then the longest waiting.
   * @param lowest the lowest priority that counts.
   */
  due(now: number, lowest: number = REST_PRIORITIES.others): FillRequest[] {
    const due: Due[] = [];
    for (const account of this.accounts.values()) {
      const next = nextOf(account, now);
      if (next && next.request.priority <= lowest) due.push(next);
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
    const attempts = this.end(request);
    if (!attempts) return;
    attempts.answeredAt = now;
    this.wait(attempts, now, ANSWERED);
  }

  /** Records that a request got no response. */
  failed(request: FillRequest, now: number): void {
    const attempts = this.end(request);
    if (attempts) this.wait(attempts, now, FAILED);
  }

  /** Records that a request ended before it was sent. */
  withdrawn(request: FillRequest): void {
    this.end(request);
  }

  /** True if the account of a request that is not sent yet would be requested as one that a trade named. */
  isTradedSince(request: FillRequest, now: number): boolean {
    const account = this.accounts.get(request.account);
    if (account?.running !== request) return false;
    const next = nextOf({ ...account, running: null }, now);
    return next?.request.priority === REST_PRIORITIES.tradedFills && request.priority > next.request.priority;
  }

  private wait(attempts: Attempts, now: number, bounds: BackoffBounds): void {
    attempts.notBefore = now + backoffMs(attempts.count, this.random, bounds);
    attempts.count += 1;
  }

  private end(request: FillRequest): Attempts | null {
    const account = this.accounts.get(request.account);
    if (account?.running !== request) return null;
    account.running = null;
    return account.lists[request.list];
  }
}

function createAttempts(): Attempts {
  return { answeredAt: 0, notBefore: 0, count: 0 };
}

function hasAdvanced(before: FillLoad, after: FillLoad, list: FillList): boolean {
  return fromOf(before, list) !== fromOf(after, list) || completeAtOf(before, list) !== completeAtOf(after, list);
}

interface Due {
  readonly request: FillRequest;
  readonly since: number;
}

function nextOf({ load, lists, running }: Account, now: number): Due | null {
  if (running) return null;
  const isLoading = FILL_LISTS.some((list) => completeAtOf(load, list) === null);
  const ready = FILL_LISTS.filter((list) => now >= lists[list].notBefore);
  return isLoading ? nextOfLoad({ load, lists, ready }) : nextOfLoaded({ load, lists, ready }, now);
}

interface ReadyLists extends Pick<Account, 'load' | 'lists'> {
  readonly ready: readonly FillList[];
}

/** Both lists advance together, so that the stage retains one page of the one that is ahead. */
function nextOfLoad({ load, lists, ready }: ReadyLists): Due | null {
  const open = FILL_LISTS.filter((list) => completeAtOf(load, list) === null);
  const behind = Math.min(...open.map((list) => fromOf(load, list)));
  // Most accounts have no TWAP orders: fills of orders need not wait once that is known.
  const list = open.toReversed().find((one) => fromOf(load, one) === behind && ready.includes(one));
  if (!list) return null;
  // Each load first has a page of every list, so that figures are known. Then loads take turns.
  const answeredAt = open.map((one) => lists[one].answeredAt);
  const since = answeredAt.includes(0) ? load.ledger : Math.max(load.ledger, ...answeredAt);
  // Whoever binds an account soon sees its newest figures, also while others trade all the time.
  const priority = load.knownAt === null ? REST_PRIORITIES.tradedFills : REST_PRIORITIES.fillLoads;
  return { request: requestOf(load, list, priority), since };
}

function nextOfLoaded({ load, lists, ready }: ReadyLists, now: number): Due | null {
  const [oldest] = ready.toSorted((a, b) => completeAtOf(load, a)! - completeAtOf(load, b)!);
  if (!oldest) return null;
  const waitedFor = (list: FillList) => now - Math.max(completeAtOf(load, list)!, lists[list].answeredAt);
  const dueOf = (list: FillList, priority: number) => ({
    request: requestOf(load, list, priority),
    since: completeAtOf(load, list)!,
  });
  if (load.missingFrom !== null && now - load.missingFrom >= ARRIVES_WITHIN_MS) {
    // Few fills are slices of TWAP orders: the other list is read first after the trade.
    const { missingFrom } = load;
    const list = ready.find((one) => completeAtOf(load, one)! < missingFrom + ARRIVES_WITHIN_MS) ?? oldest;
    if (waitedFor(list) >= TRADED_TURN_MS) return dueOf(list, REST_PRIORITIES.tradedFills);
  }
  return waitedFor(oldest) >= TURN_MS ? dueOf(oldest, REST_PRIORITIES.others) : null;
}

function requestOf(load: FillLoad, list: FillList, priority: number): FillRequest {
  return { account: load.account, user: load.user, list, from: fromOf(load, list), priority };
}
