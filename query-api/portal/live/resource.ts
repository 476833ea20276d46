/** What a page reads by REST: its state, its data, and since when the data is out of date. */
import { batch, type ReadonlySignal, signal, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { isStopped } from './activity.ts';
import { request } from './api.ts';
import { ApiFault } from './api-fault.ts';
import { awaySince } from './stream.ts';

export interface Resource<T> {
  readonly data: ReadonlySignal<T | null>;
  /** Why there is no data, or why it is out of date. */
  readonly fault: ReadonlySignal<ApiFault | null>;
  /** Unix ms of the response that `data` is from; null before the first one. */
  readonly at: ReadonlySignal<number | null>;
  /** True while the channels that `data` follows are away, so that it is old although it could be read. */
  readonly isAway?: ReadonlySignal<boolean>;
  /** Reads again now. */
  refresh(): void;
}

/** Unix ms of what a resource shows if it is out of date; null if it is not. */
export function staleAt<T>({ data, fault, at, isAway }: Resource<T>): number | null {
  return data.value !== null && (fault.value !== null || isAway?.value) ? at.value : null;
}

/** So that what waits for a quota is not read at one moment. */
const RESET_SPREAD_MS = 1_000;

/** The faults of all resources that are polled, so that the shell can say that the page is not live. */
export const faultyResources = signal<ReadonlyMap<object, ApiFault>>(new Map());
/** Unix ms of the newest response of a polled resource; null while none was received. */
export const lastResponseAt = signal<number | null>(null);

function noteFault(owner: object, fault: ApiFault | null): void {
  if (fault === null && !faultyResources.value.has(owner)) return;
  const next = new Map(faultyResources.value);
  if (fault === null) next.delete(owner);
  else next.set(owner, fault);
  faultyResources.value = next;
}

/** Time between two reads; null to read once. A function decides anew after each read. */
export type Interval = number | null | (() => number);

/** Until the next read, ms; null for none. A quota that is used up is waited for. */
function waitAfter(fault: ApiFault | null, every: Interval): number | null {
  const wait = typeof every === 'function' ? every() : every;
  if (fault?.code !== 'quota_exceeded' || fault.retryAt === null) return wait;
  return Math.max(wait ?? 0, fault.retryAt - Date.now() + RESET_SPREAD_MS * Math.random());
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
  const data = useSignal<T | null>(null);
  const fault = useSignal<ApiFault | null>(null);
  const at = useSignal<number | null>(null);
  const forced = useSignal(0);
  const wanted = useSignal(path);
  const answered = useRef(0);
  const shown = useRef<string | null>(null);
  useEffect(() => {
    wanted.value = path;
  }, [path]);
  useSignalEffect(() => {
    const url = wanted.value;
    const isForced = forced.value > answered.current;
    answered.current = forced.value;
    const mustStop = isStopped.value;
    // What is read again and again is read at once when the connection is lost or returns: the figures are out of date,
    // or come back, together with those of channels.
    if (every !== null) void awaySince.value;
    if (url === null) return;
    const isNew = shown.current !== url;
    if (mustStop && !isNew && !isForced) return;
    const stopping = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const owner = stopping;
    const read = async () => {
      try {
        const { signal } = stopping;
        const read = await request<T>(url, body === undefined ? { signal } : { signal, method: 'POST', body });
        if (stopping.signal.aborted) return;
        shown.current = url;
        batch(() => {
          data.value = read;
          fault.value = null;
          at.value = Date.now();
          if (every !== null) lastResponseAt.value = Date.now();
        });
        noteFault(owner, null);
      } catch (error) {
        if (stopping.signal.aborted) return;
        if (!(error instanceof ApiFault)) throw error;
        batch(() => {
          if (shown.current !== url) data.value = null;
          fault.value = error;
        });
        if (every !== null) noteFault(owner, error);
      }
      if (mustStop) return;
      const wait = waitAfter(fault.value, every);
      if (wait !== null) timer = setTimeout(() => void read(), wait);
    };
    if (isNew && shown.current !== null && !staysUntilNext) data.value = null;
    void read();
    return () => {
      clearTimeout(timer);
      stopping.abort();
      noteFault(owner, null);
    };
  });
  return {
    data,
    fault,
    at,
    refresh: () => {
      fault.value = null;
      forced.value++;
    },
  };
}
