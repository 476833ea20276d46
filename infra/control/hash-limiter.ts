/**
 * Bounds on hashing (the contract, Organizations): half the cores, so many a second for one key id, and a short wait.
 * Secrets that are checked and those of new keys share them; new ones are bounded by the organization that makes them.
 * What does not fit is refused unhashed, so that wrong secrets cannot slow everyone else down.
 */
import { availableParallelism } from 'node:os';
import { LRUCache } from 'lru-cache';

export interface HashLimits {
  /** Hashes at a time. */
  readonly concurrent: number;
  readonly perKeyPerSecond: number;
  /** Secrets of new keys of one organization that are hashed or wait for it: few, so that others find room. */
  readonly newPerOrganization: number;
  readonly waitMs: number;
  /** Waiting at a time; more would not get their turn within the wait anyway. */
  readonly waiting: number;
}

export const HASH_LIMITS: HashLimits = {
  concurrent: Math.max(1, Math.floor(availableParallelism() / 2)),
  perKeyPerSecond: 5,
  newPerOrganization: 8,
  waitMs: 2_000,
  waiting: 256,
};

/** Key ids whose recent hashes are counted; only ids of real keys come here. */
const COUNTED_KEYS_MAX = 10_000;
const SECOND_MS = 1_000;

/** Thrown for a hash that did not fit; trying again a second later helps. */
export class HashBusyError extends Error {
  override name = 'HashBusyError';
  readonly code = 'hash_busy';
  readonly canRetry = true;
  constructor() {
    super('too many secrets are being hashed');
  }
}

export class HashSlots {
  private readonly limits: HashLimits;
  private readonly now: () => number;
  private readonly recent = new LRUCache<string, readonly number[]>({ max: COUNTED_KEYS_MAX });
  /** New secrets under way, by organization. */
  private readonly made = new Map<string, number>();
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(limits: HashLimits = HASH_LIMITS, now: () => number = () => performance.now()) {
    this.limits = limits;
    this.now = now;
  }

  /** Runs the check of a key's secret once there is a place. Rejects with `HashBusyError` where the limits leave none. */
  async run<T>(keyId: string, hash: () => Promise<T>): Promise<T> {
    this.countAgainst(keyId);
    return this.inPlace(hash);
  }

  /** Runs the hash of a new key's secret, which the organization makes, as `run` does. */
  async runNew<T>(orgId: string, hash: () => Promise<T>): Promise<T> {
    const before = this.made.get(orgId) ?? 0;
    if (before >= this.limits.newPerOrganization) throw new HashBusyError();
    this.made.set(orgId, before + 1);
    try {
      return await this.inPlace(hash);
    } finally {
      const left = this.made.get(orgId)! - 1;
      if (left > 0) this.made.set(orgId, left);
      else this.made.delete(orgId);
    }
  }

  private async inPlace<T>(hash: () => Promise<T>): Promise<T> {
    if (this.running < this.limits.concurrent) this.running += 1;
    else await this.takeOverPlace();
    try {
      return await hash();
    } finally {
      // The place goes to the next in line, so that nobody who comes now slips in before it.
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }

  private countAgainst(keyId: string): void {
    const now = this.now();
    const times = (this.recent.get(keyId) ?? []).filter((time) => now - time < SECOND_MS);
    if (times.length >= this.limits.perKeyPerSecond) throw new HashBusyError();
    this.recent.set(keyId, [...times, now]);
  }

  private takeOverPlace(): Promise<void> {
    if (this.waiting.length >= this.limits.waiting) throw new HashBusyError();
    return new Promise((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(enter), 1);
        reject(new HashBusyError());
      }, this.limits.waitMs);
      this.waiting.push(enter);
    });
  }
}
