/**
 * A limit of a venue over a sliding window. What is beyond the limit waits, the most important first, those of equal
 * priority in order, their payers in turn (`budget-turns.ts`). A limit of what is open at the same time (connections,
 * subscriptions) is one, too: a reservation counts while it is open, and for the window after that unless the venue is
 * known to have ended it.
 */

import type { AcquireOptions, BudgetOptions, Reservation, SpentCost } from './budget-options.ts';
import { BudgetShares, type Cost, type LimitPart, type Spender } from './budget-shares.ts';
import { inTurn, type Turn } from './budget-turns.ts';

interface Waiter extends Cost, Turn {
  readonly priority: number;
  readonly payers: Iterable<string> | undefined;
  /** Monotonic ms. */
  readonly waitsSince: number;
  readonly resolve: (reservation: Reservation) => void;
  readonly reject: (error: unknown) => void;
  readonly signal: AbortSignal | undefined;
  readonly onAbort: () => void;
  /** True once there was no room for it. */
  lacksRoom: boolean;
}

/** A cost that was spent. */
interface Spent {
  readonly at: number;
  readonly cost: number;
  readonly spender: Spender;
}

/** Callers that may wait at once; more means a bug in an adapter. */
const WAITERS_MAX = 10_000;
/** No stored block lasts longer, also if the clock was set back: the longest wait that a venue's response may demand. */
const STORED_BLOCK_MAX_MS = 60_000;
/** Stored costs are summed over this part of the window. */
const STORED_PARTS = 60;

export class Budget {
  readonly max: number;
  private readonly options: BudgetOptions;
  /** Monotonic ms: the wall clock may be set. */
  private readonly now: () => number;
  /** Settled costs within the window, oldest first, from `head` on. */
  private spent: Spent[] = [];
  private head = 0;
  /** Reserved costs, and settled ones within the window. */
  private readonly shares: BudgetShares;
  private blockedUntil = 0;
  /** True if the end of the block is later than the stored one. */
  private isBlockUnstored = false;
  /** When a cost of the reserved priority, or a more important one, last waited for room; monotonic ms. */
  private lackedRoomAt = Number.NEGATIVE_INFINITY;
  /** Sorted by priority, then by arrival. */
  private waiters: Waiter[] = [];
  /** Numbers arrivals, and costs of payers that were served. */
  private sequence = 0;
  /** The number at which a payer was served last; of those that waited within about a window. */
  private readonly served = new Map<string, number>();
  private timer: NodeJS.Timeout | null = null;
  /** The cost that may be spent without storing more. */
  private granted: number;
  /** Runs while a grant is being stored; nothing is spent meanwhile. */
  private storing: Promise<void> | null = null;

  constructor(options: BudgetOptions) {
    this.max = options.max;
    this.options = options;
    this.now = options.now ?? (() => performance.now());
    this.shares = new BudgetShares(options.max, options.reserved);
    this.granted = options.grants ? 0 : Number.POSITIVE_INFINITY;
    for (const { at, cost } of options.grants?.earlier ?? []) {
      // A time that is ahead of the clock, which was set back, counts from now.
      const spentAt = this.now() - Math.max(0, Date.now() - at);
      const spender = { priority: null, payers: undefined };
      this.spent.push({ at: spentAt, cost, spender });
      this.shares.add(cost, spender);
    }
    this.spent.sort((a, b) => a.at - b.at);
    const blockedMs = (options.grants?.blockedUntil ?? 0) - Date.now();
    if (blockedMs > 0) this.blockedUntil = this.now() + Math.min(blockedMs, STORED_BLOCK_MAX_MS);
  }

  /** Resolves when `cost` may be spent, and counts it from then on. Rejects with the signal's reason if that aborts first. */
  async acquire(cost: number, signal?: AbortSignal): Promise<void> {
    (await this.reserve(cost, { signal })).settle();
  }

  /** Resolves when `cost` may be spent, and counts it until it is settled and for a window after that. */
  reserve(cost: number, { signal, priority = 0, payers }: AcquireOptions = {}): Promise<Reservation> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.waiters.length >= WAITERS_MAX)
      return Promise.reject(new Error(`${WAITERS_MAX} callers already wait for this budget`));
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.waiters = this.waiters.filter((waiter) => waiter !== entry);
        this.endWait(entry);
        reject(signal?.reason);
        // Smaller costs may have waited behind it.
        this.serve();
      };
      this.sequence += 1;
      const arrival = { arrival: this.sequence, waitsSince: this.now() };
      const entry: Waiter = { cost, priority, payers, ...arrival, resolve, reject, signal, onAbort, lacksRoom: false };
      signal?.addEventListener('abort', onAbort, { once: true });
      const at = this.waiters.findIndex((waiter) => waiter.priority > priority);
      this.waiters.splice(at < 0 ? this.waiters.length : at, 0, entry);
      this.serve();
    });
  }

  /** Blocks all spending for this time, as a venue demanded. A shorter time never shortens a longer one. */
  blockFor(ms: number): void {
    const until = this.now() + ms;
    if (until <= this.blockedUntil) return;
    this.blockedUntil = until;
    if (!this.options.grants) return;
    this.isBlockUnstored = true;
    if (!this.storing) this.storeGrant(this.granted);
  }

  /** Stores that nothing more is spent, so that the next process need not count what was granted. Call it once, last. */
  async close(): Promise<void> {
    while (this.storing) await this.storing;
    this.granted = 0;
    await this.store(0);
  }

  /** The sum of all that counts against the limit now. */
  get used(): number {
    this.dropExpired();
    return this.shares.used;
  }

  /** Whole milliseconds until the settled costs of the window leave room for a cost, also without the spare part; at least 1. */
  untilRoomMs(cost: number): number {
    this.dropExpired();
    const now = this.now();
    let missing = this.shares.usedInCommon + Math.min(cost, this.max) - (this.max - this.shares.spare);
    let until = now;
    for (let at = this.head; at < this.spent.length && missing > 0; at += 1) {
      if (!this.spent[at]!.spender.inSpare) missing -= this.spent[at]!.cost;
      until = this.spent[at]!.at + this.options.windowMs;
    }
    return Math.ceil(Math.max(1, until - now, this.blockedUntil - now));
  }

  /** Serves waiters that have room now because of a payer that was added to theirs. */
  recheck(): void {
    if (this.waiters.length > 0) this.serve();
  }

  /** True if a cost could be spent now, behind those that wait for room. */
  hasRoom(cost: number, { priority = 0, payers }: AcquireOptions = {}): boolean {
    this.dropExpired();
    const full = new Set<LimitPart>();
    for (const waiter of this.waiters) {
      const lacking = waiter.priority <= priority ? this.shares.lacking(waiter, full) : null;
      if (lacking) full.add(lacking);
    }
    return this.now() >= this.blockedUntil && this.shares.lacking({ cost, priority, payers }, full) === null;
  }

  /** True if a cost of the reserved priority, or a more important one, waited for room during the last so many milliseconds. */
  lackedRoomWithin(ms: number): boolean {
    return this.waiters.some((waiter) => this.isNotBehind(waiter)) || this.now() - this.lackedRoomAt <= ms;
  }

  private isNotBehind({ lacksRoom, priority }: Waiter): boolean {
    return lacksRoom && priority <= (this.options.reserved?.priority ?? priority);
  }

  /** Called when a waiter is served or gives up. */
  private endWait(waiter: Waiter): void {
    if (this.isNotBehind(waiter)) this.lackedRoomAt = this.now();
  }

  /** Serves every waiter for which there is room. A smaller cost never overtakes a more important one. */
  private serve(): void {
    this.dropExpired();
    if (this.storing) return;
    // A part in which a waiter lacks room has none for those behind it.
    const full = new Set<LimitPart>();
    let queue = this.now() < this.blockedUntil ? [] : this.inOrder(this.waiters);
    for (let waiter = queue.shift(); waiter; waiter = queue.shift()) {
      // Its own listener removes it.
      if (waiter.signal?.aborted) continue;
      const lacking = this.shares.lacking(waiter, full);
      if (lacking) {
        full.add(lacking);
        continue;
      }
      if (waiter.cost > this.granted) {
        this.storeGrant(Math.max(waiter.cost, this.options.grants!.chunk));
        return;
      }
      this.waiters.splice(this.waiters.indexOf(waiter), 1);
      waiter.signal?.removeEventListener('abort', waiter.onAbort);
      this.endWait(waiter);
      waiter.resolve(this.begin(waiter, this.shares.fitsSpare(waiter, full)));
      if (waiter.payers) queue = this.inOrder(queue);
    }
    for (const waiter of this.waiters) waiter.lacksRoom = true;
    this.schedule();
  }

  /**
   * The order in which waiters are served. One behind the reserved priority that has waited for a window is as important
   * as the first of these: while there are always more important ones, it would never be served.
   */
  private inOrder(waiters: readonly Waiter[]): Waiter[] {
    const { reserved, windowMs } = this.options;
    if (!reserved) return [...waiters];
    const waitedSince = this.now() - windowMs;
    const first = reserved.priority + 1;
    const turns = waiters.map((waiter) => {
      const { priority, payers, arrival, waitsSince } = waiter;
      return { priority: waitsSince <= waitedSince ? Math.min(priority, first) : priority, payers, arrival, waiter };
    });
    return inTurn(turns, (payer) => this.served.get(payer) ?? 0).map(({ waiter }) => waiter);
  }

  /** Stores that `amount` may be spent, and the end of a block, then continues to serve. */
  private storeGrant(amount: number): void {
    this.granted = 0;
    this.isBlockUnstored = false;
    this.storing = this.store(amount)
      .then(() => {
        this.granted = amount;
        this.storing = null;
        if (this.isBlockUnstored) this.storeGrant(amount);
        else this.serve();
      })
      .catch((error: unknown) => {
        this.storing = null;
        for (const waiter of this.waiters.splice(0)) {
          waiter.signal?.removeEventListener('abort', waiter.onAbort);
          waiter.reject(error);
        }
      });
  }

  /** Stores what counts against the limit, by wall time, that `amount` more may be spent, and until when nothing may be. */
  private async store(amount: number): Promise<void> {
    this.dropExpired();
    const ahead = Date.now() - this.now();
    const part = Math.max(1, this.options.windowMs / STORED_PARTS);
    const parts = new Map<number, SpentCost>();
    let open = this.shares.used;
    for (const { at, cost } of this.spent.slice(this.head)) {
      open -= cost;
      const index = Math.floor(at / part);
      // The newest time of the part, so that no cost is dropped too early.
      if (cost > 0) parts.set(index, { at: Math.ceil(at + ahead), cost: (parts.get(index)?.cost ?? 0) + cost });
    }
    const blockedUntil = this.blockedUntil > this.now() ? Math.ceil(this.blockedUntil + ahead) : null;
    await this.options.grants?.store([...parts.values()], open + amount, blockedUntil);
  }

  private begin({ cost, priority, payers = [] }: Waiter, inSpare: boolean): Reservation {
    // Payers that are added from now on do not pay.
    const spender = { priority, payers: [...payers], inSpare };
    this.granted -= cost;
    // The spare part is nobody's turn.
    if (!inSpare) this.recordTurn(payers);
    this.shares.add(cost, spender);
    let settled = false;
    return {
      settle: (actual = cost) => {
        if (settled) return;
        settled = true;
        this.shares.add(actual - cost, spender);
        this.spent.push({ at: this.now(), cost: actual, spender });
        if (this.waiters.length > 0) this.serve();
      },
    };
  }

  private recordTurn(payers: Iterable<string>): void {
    for (const payer of payers) {
      this.sequence += 1;
      this.served.delete(payer);
      this.served.set(payer, this.sequence);
    }
    // A turn before all that wait is as good as none.
    const oldest = Math.min(this.sequence, ...this.waiters.map(({ arrival }) => arrival));
    for (const [payer, at] of this.served) {
      if (at >= oldest) break;
      this.served.delete(payer);
    }
  }

  /** Drops costs that have left the window. */
  private dropExpired(): void {
    const expired = this.now() - this.options.windowMs;
    for (let oldest = this.spent[this.head]; oldest && oldest.at <= expired; oldest = this.spent[this.head]) {
      this.shares.add(-oldest.cost, oldest.spender);
      this.head += 1;
    }
    if (this.head < this.spent.length / 2) return;
    this.spent = this.spent.slice(this.head);
    this.head = 0;
  }

  /** Sets the timer to when the block ends, else to when the oldest cost leaves the window. A settled reservation serves too. */
  private schedule(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    if (this.waiters.length === 0) return;
    const now = this.now();
    const oldest = this.spent[this.head];
    const isBlocked = this.blockedUntil > now;
    // Everything that counts is reserved, and a settled reservation serves.
    if (!isBlocked && !oldest && this.shares.used > 0) return;
    const until = isBlocked ? this.blockedUntil : oldest ? oldest.at + this.options.windowMs : now;
    // That moment may have passed since room was looked for, since timers can be a fraction of a millisecond early.
    this.timer = setTimeout(
      () => {
        this.timer = null;
        this.serve();
      },
      Math.max(1, until - now),
    );
  }
}
