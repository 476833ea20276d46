/**
 * Limits on hashing (the contract, Organizations): half the cores, a number per second for one key id, and a short
 * wait. Checks of secrets and hashes of new keys share them; new keys are also limited by organization. What does not
 * fit is refused without hashing, so that wrong secrets cannot slow down other callers.
 */
import { availableParallelism } from 'node:os';
import { LRUCache } from 'lru-cache';

export interface HashLimits {
  /** Hashes at a time. */
  readonly concurrent: number;
  readonly perKeyPerSecond: number;
  /** Secrets of new keys of one organization that are hashed or wait: few, so that others find room. */
  readonly newPerOrganization: number;
  readonly waitMs: number;
  /** Waiting hashes; more would not get their turn within the wait anyway. */
  readonly waiting: number;
}

export const HASH_LIMITS: HashLimits = {
  concurrent: Math.max(1, Math.floor(availableParallelism() / 2)),
  perKeyPerSecond: 5,
  newPerOrganization: 8,
  waitMs: 2_000,
  waiting: 256,
};

/** Key ids whose recent hashes are counted; only ids of existing keys are added. */
const COUNTED_KEYS_MAX = 10_000;
const SECOND_MS = 1_000;

/** Thrown for a hash beyond the limits; retrying a second later helps. */
export class HashBusyError extends Error {
  override name = 'HashBusyError';
  readonly code = 'hash_busy';
  readonly canRetry = true;
  constructor() {
    super('too many secrets are being hashed');
  }
}

export class HashLimiter {
  private readonly limits: HashLimits;
  private readonly now: () => number;
  private readonly recent = new LRUCache<string, readonly number[]>({ max: COUNTED_KEYS_MAX });
  /** Running and waiting hashes of new keys, by organization. */
  private readonly newHashes = new Map<string, number>();
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(limits: HashLimits = HASH_LIMITS, now: () => number = () => performance.now()) {
    this.limits = limits;
    this.now = now;
  }

  /** Runs the check of a key's secret when a slot is free. Rejects with `HashBusyError` if the limits are reached. */
  async run<T>(keyId: string, hash: () => Promise<T>): Promise<T> {
    this.countAgainst(keyId);
    return this.runInSlot(hash);
  }

  /** Runs the hash of an organization's new key, like `run`. */
  async runForNewKey<T>(orgId: string, hash: () => Promise<T>): Promise<T> {
    const before = this.newHashes.get(orgId) ?? 0;
    if (before >= this.limits.newPerOrganization) throw new HashBusyError();
    this.newHashes.set(orgId, before + 1);
    try {
      return await this.runInSlot(hash);
    } finally {
      const left = this.newHashes.get(orgId)! - 1;
      if (left > 0) this.newHashes.set(orgId, left);
      else this.newHashes.delete(orgId);
    }
  }

  private async runInSlot<T>(hash: () => Promise<T>): Promise<T> {
    if (this.running < this.limits.concurrent) this.running += 1;
    else await this.waitForSlot();
    try {
      return await hash();
    } finally {
      // The slot goes to the first waiting hash, so that a new call does not overtake it.
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

  private waitForSlot(): Promise<void> {
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
