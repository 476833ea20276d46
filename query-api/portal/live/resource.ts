/** What a page reads by REST: its state, its data, and since when the data is out of date. */
import type { ReadonlySignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { ApiFault } from './api-fault.ts';
import { type Interval, ResourceReader } from './resource-reader.ts';

export type { Interval } from './resource-reader.ts';

export interface Resource<T> {
  readonly data: ReadonlySignal<T | null>;
  /** Why there is no data, or why it is out of date. */
  readonly fault: ReadonlySignal<ApiFault | null>;
  /** Unix ms of the response that `data` is from; null before the first one. */
  readonly at: ReadonlySignal<number | null>;
  /** True while `data` is what another path returned, such as for the choice before. */
  readonly isOther: ReadonlySignal<boolean>;
  /** True while `data` would be read again and again, if the person did not pause live updates. */
  readonly isHalted: ReadonlySignal<boolean>;
  /** True while the channels that `data` follows are away, so that it is old although it could be read. */
  readonly isAway?: ReadonlySignal<boolean>;
  /** Reads again now. */
  refresh(): void;
}

export type StaleReason = 'failed' | 'away' | 'paused' | 'other';

/** Why what a resource shows is out of date; null if it is not, or if it shows nothing. */
export function staleReason<T>({ data, fault, isAway, isHalted, isOther }: Resource<T>): StaleReason | null {
  if (data.value === null) return null;
  if (fault.value !== null) return 'failed';
  if (isAway?.value) return 'away';
  if (isHalted.value) return 'paused';
  return isOther.value ? 'other' : null;
}

/** Unix ms of what a resource shows if it is out of date; null if it is not. */
export function staleAt<T>(resource: Resource<T>): number | null {
  return staleReason(resource) === null ? null : resource.at.value;
}

/**
 * Reads a path, again after each interval while the tab is visible and updates are not paused. Another path starts
 * anew; null reads nothing.
 *
 * @param staysUntilNext true to show what another path returned until this one has answered.
 * @param body for a route that reads by POST; the same for as long as the path is.
 */
export function useResource<T>(
  path: string | null,
  every: Interval = null,
  staysUntilNext = false,
  body: unknown = undefined,
): Resource<T> {
  const reading = { path, every, staysUntilNext, body };
  const reader = useMemo(() => new ResourceReader<T>(reading), []);
  useEffect(() => reader.want(reading));
  useEffect(() => reader.start(), []);
  return reader;
}
