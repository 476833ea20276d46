/** A resource that channels bring up to date between two reads. */
import { type ReadonlySignal, untracked, useComputed, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { StreamEvent } from '#stream-gateway/client/stream-client';
import { isPaused } from './activity.ts';
import type { Newest } from './newest.ts';
import type { Interval, Resource } from './resource.ts';
import { serviceNow } from './service-clock.ts';
import { silentSince, streamState } from './stream.ts';

/** The time after an event in which the tables receive its row. Further events in this time lead to no other read. */
const ANNOUNCED_MS = 700;

/** An interval that is longer while channels deliver what changes most, and shorter while they send nothing. */
export function intervalBeside(withoutMs: number, withMs: number): Interval {
  return () => (streamState.peek() === 'live' && silentSince.peek() === null ? withMs : withoutMs);
}

/**
 * Like `intervalBeside`, for a channel that may stay silent, such as that of a market which the service does not follow:
 * the longer interval holds only once the channel has sent an event.
 */
export function intervalOnceSent(newest: Newest, withoutMs: number, withMs: number): Interval {
  return () => (isDelivering(newest) ? withMs : withoutMs);
}

/** True while the page shows what its channels send: the connection sends, and they have sent an event. */
export function isDelivering({ events, isRefused }: Newest): boolean {
  const isSending = streamState.value === 'live' && silentSince.value === null && !isPaused.value;
  return isSending && events.value.size > 0 && !isRefused.value;
}

/**
 * @param apply returns the data with the newest events in it, in any order, as far as they are newer than the data.
 * @param readsAtChange true to read again when the state of the markets behind a channel changes.
 */
export function useLive<T>(
  resource: Resource<T>,
  newest: Newest,
  apply: (data: T, events: Iterable<StreamEvent>) => T,
  readsAtChange = false,
): Resource<T> {
  useRefreshAt(resource, readsAtChange ? newest.changes : null);
  const data = useComputed(() => {
    const read = resource.data.value;
    return read === null ? null : apply(read, newest.events.value.values());
  });
  const at = useComputed(() => {
    const [read, received] = [resource.at.value, newest.at.value];
    return read === null || received === null ? (read ?? received) : Math.max(read, received);
  });
  return { ...resource, data, at, isAway: useReturn(resource, newest) };
}

/**
 * A resource that is read again soon after an event, for lists of which REST alone knows what belongs in them.
 *
 * @param newest of the channels that announce new rows.
 * @param gapMs between the last response and a read that an event leads to, at least.
 */
export function useAnnounced<T>(resource: Resource<T>, newest: Newest, gapMs = 0): Resource<T> {
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  useSignalEffect(() => {
    if (newest.at.value === null || timer.current !== null) return;
    const sinceRead = serviceNow() - (resource.at.peek() ?? 0);
    timer.current = setTimeout(
      () => {
        timer.current = null;
        resource.refresh();
      },
      Math.max(ANNOUNCED_MS, gapMs - sinceRead),
    );
  });
  useEffect(() => () => clearTimeout(timer.current ?? undefined), []);
  return { ...resource, isAway: useReturn(resource, newest) };
}

/**
 * True while the channels send nothing. Reads the resource again when they send again, and when one of them reports that
 * events are missing.
 */
function useReturn<T>(resource: Resource<T>, newest: Newest): ReadonlySignal<boolean> {
  const isAway = useComputed(() => silentSince.value !== null || newest.isRefused.value);
  useRefreshAt(resource, newest.gaps);
  const wasAway = useRef(false);
  useSignalEffect(() => {
    const isBack = !isAway.value && wasAway.current;
    wasAway.current = isAway.value;
    // Channels report larger changes only; what else changed meanwhile is read.
    if (isBack) untracked(resource.refresh);
  });
  return isAway;
}

/** Reads the resource again each time that the number grows. */
function useRefreshAt<T>(resource: Resource<T>, count: ReadonlySignal<number> | null): void {
  const known = useRef(0);
  useSignalEffect(() => {
    const isMore = count !== null && count.value > known.current;
    known.current = count?.value ?? 0;
    if (isMore) untracked(resource.refresh);
  });
}
