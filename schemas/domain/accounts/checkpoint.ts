/** Checkpoints: acquisitions of several accounts that state what these are worth together (contract, Money: portfolio). */

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const MINUTES = 60;
const HOURS = 24;

/** The acquisitions of a checkpoint are at most this far apart, ms. */
const APART_MAX_MS = 60_000;
/** An older checkpoint is not returned, ms. */
export const CHECKPOINT_MAX_AGE_MS = HOURS * HOUR_MS;
const FRESH_MS = 60_000;
const CACHED_FRESH_MS = 10 * 60_000;

export const CHECKPOINT_STATUSES = ['fresh', 'cached_fresh', 'cached_stale'] as const;
export type CheckpointStatus = (typeof CHECKPOINT_STATUSES)[number];

/** A complete acquisition with a value. */
export interface Acquired {
  /** The time of the state that is valued, unix ms. */
  readonly asOf: number;
}

/**
 * Returns those of an account's acquisitions that count: the newest of each of the last 60 minutes and 24 hours, newest
 * first.
 * @param now unix ms.
 */
export function recentAcquisitions<T extends Acquired>(acquisitions: readonly T[], now: number): T[] {
  const newestFirst = acquisitions
    .filter(({ asOf }) => now - asOf <= CHECKPOINT_MAX_AGE_MS)
    .sort((one, other) => other.asOf - one.asOf);
  const minutes = firstOfEach(newestFirst, MINUTE_MS, now, MINUTES);
  const hours = firstOfEach(newestFirst, HOUR_MS, now, HOURS);
  return newestFirst.filter((one) => minutes.has(one) || hours.has(one));
}

/** The first acquisition in each of the last `count` periods of the clock, the current one among them. */
function firstOfEach<T extends Acquired>(acquisitions: readonly T[], periodMs: number, now: number, count: number) {
  const current = Math.floor(now / periodMs);
  const first = new Map<number, T>();
  for (const one of acquisitions) {
    const period = Math.floor(one.asOf / periodMs);
    if (current - period < count && !first.has(period)) first.set(period, one);
  }
  return new Set(first.values());
}

/**
 * Returns the newest set of one acquisition of each account that are at most 60 s apart, in the order of the accounts;
 * null without one. Of two sets the one with the newer oldest part counts.
 * @param accounts the acquisitions of each account, newest first.
 */
export function newestCheckpoint<T extends Acquired>(accounts: readonly (readonly T[])[]): T[] | null {
  const oldestParts = accounts.flat().sort((one, other) => other.asOf - one.asOf);
  for (const { asOf } of oldestParts) {
    const set = accounts.map((acquisitions) =>
      acquisitions.find((one) => one.asOf >= asOf && one.asOf - asOf <= APART_MAX_MS),
    );
    if (set.every((one) => one !== undefined)) return set as T[];
  }
  return null;
}

/** The time of a checkpoint: that of its oldest part, unix ms. */
export const checkpointTime = (parts: readonly Acquired[]): number => Math.min(...parts.map(({ asOf }) => asOf));

/** Null for a checkpoint that is not returned any more. */
export function checkpointStatus(asOf: number, now: number): CheckpointStatus | null {
  const age = now - asOf;
  if (age > CHECKPOINT_MAX_AGE_MS) return null;
  if (age <= FRESH_MS) return 'fresh';
  return age <= CACHED_FRESH_MS ? 'cached_fresh' : 'cached_stale';
}
