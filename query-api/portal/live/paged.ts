/** A list that is read page by page: older rows are added when the person asks for them. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { request } from './api.ts';
import { ApiFault } from './api-fault.ts';
import { type Interval, type Resource, useResource } from './resource.ts';

export interface Paginated {
  readonly pagination: { readonly nextCursor: string | null; readonly hasMore: boolean };
}

export interface Paged<T> {
  readonly first: Resource<T>;
  readonly older: Signal<readonly T[]>;
  readonly hasMore: boolean;
  readonly fault: ApiFault | null;
  readonly isLoading: boolean;
  more(): void;
}

/** @param path of the first page, with its query. */
export function usePaged<T extends Paginated>(path: string, every: Interval): Paged<T> {
  const older = useSignal<readonly T[]>([]);
  const fault = useSignal<ApiFault | null>(null);
  const isLoading = useSignal(false);
  // Once older rows are shown, the first page stays as it is, so that no row is missing between the two.
  const first = useResource<T>(path, older.value.length > 0 ? null : every);
  useEffect(() => {
    older.value = [];
    fault.value = null;
  }, [path]);
  const last = older.value.at(-1) ?? first.data.value;
  const more = () => {
    const cursor = last?.pagination.nextCursor;
    if (!cursor || isLoading.value) return;
    isLoading.value = true;
    fault.value = null;
    request<T>(`${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`)
      .then((page) => {
        older.value = [...older.value, page];
      })
      .catch((error: unknown) => {
        if (!(error instanceof ApiFault)) throw error;
        fault.value = error;
      })
      .finally(() => {
        isLoading.value = false;
      });
  };
  return {
    first,
    older,
    hasMore: last?.pagination.hasMore ?? false,
    fault: fault.value,
    isLoading: isLoading.value,
    more,
  };
}
