/** What a page reads by REST: its state, its data, and since when the data is out of date. */
import { batch, type Signal, signal, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { request } from './api.ts';
import { ApiFault } from './api-fault.ts';

/** True while the person has paused live updates. */
export const isPaused = signal(false);
/** True while the tab is hidden: nothing is read then. */
const isHidden = signal(document.hidden);
document.addEventListener('visibilitychange', () => {
  isHidden.value = document.hidden;
});

export interface Resource<T> {
  readonly data: Signal<T | null>;
  /** Why there is no data, or why it is out of date. */
  readonly fault: Signal<ApiFault | null>;
  /** Unix ms of the response that `data` is from; null before the first one. */
  readonly at: Signal<number | null>;
  /** Reads again now. */
  refresh(): void;
}

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

/**
 * Reads a path, again every `everyMs` while the tab is visible and updates are not paused. Another path starts anew;
 * null reads nothing.
 *
 * @param staysUntilNext true to show what another path returned until this one has answered.
 */
export function useResource<T>(
  path: string | null,
  everyMs: number | null = null,
  staysUntilNext = false,
): Resource<T> {
  const data = useSignal<T | null>(null);
  const fault = useSignal<ApiFault | null>(null);
  const at = useSignal<number | null>(null);
  const asked = useSignal(0);
  const wanted = useSignal(path);
  const shown = useRef<string | null>(null);
  useEffect(() => {
    wanted.value = path;
  }, [path]);
  useSignalEffect(() => {
    const url = wanted.value;
    const isForced = asked.value > 0;
    const isStopped = isHidden.value || isPaused.value;
    if (url === null) return;
    const isNew = shown.current !== url;
    if (isStopped && !isNew && !isForced) return;
    const stopping = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const owner = stopping;
    const read = async () => {
      try {
        const body = await request<T>(url, { signal: stopping.signal });
        if (stopping.signal.aborted) return;
        shown.current = url;
        batch(() => {
          data.value = body;
          fault.value = null;
          at.value = Date.now();
          if (everyMs !== null) lastResponseAt.value = Date.now();
        });
        noteFault(owner, null);
      } catch (error) {
        if (stopping.signal.aborted) return;
        if (!(error instanceof ApiFault)) throw error;
        batch(() => {
          if (shown.current !== url) data.value = null;
          fault.value = error;
        });
        if (everyMs !== null) noteFault(owner, error);
      }
      if (everyMs !== null && !isStopped) timer = setTimeout(() => void read(), everyMs);
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
      asked.value++;
    },
  };
}
