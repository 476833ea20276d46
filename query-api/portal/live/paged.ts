/** A list that is read page by page: older rows are added when the person asks for them. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { request } from './api.ts';
import { ApiFault } from './api-fault.ts';
import { type Interval, type Resource, useResource } from './resource.ts';

export interface Paginated {
  readonly pagination: { readonly nextCursor: string | null; readonly hasMore: boolean };
}

export interface Paged<T> {
  readonly first: Resource<T>;
  /** The first page and those that were added, in their order; none while the first one is not known. */
  readonly pages: readonly T[];
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
  const first = useResource<T>(path, isLoading.value || older.value.length > 0 ? null : every);
  /** The list that rows are added to; another one after each new start. */
  const list = useRef({});
  const restart = () => {
    list.current = {};
    older.value = [];
    fault.value = null;
    isLoading.value = false;
  };
  useEffect(restart, [path]);
  const cursorOfNext = () => (older.peek().at(-1) ?? first.data.peek())?.pagination.nextCursor ?? null;
  const readNext = async () => {
    const { current } = list;
    const cursor = cursorOfNext();
    if (cursor === null) return;
    const page = await request<T>(`${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`);
    if (current !== list.current) return;
    // A read of the first page that began earlier may have moved the end of the list.
    if (cursorOfNext() === cursor) older.value = [...older.peek(), page];
    else await readNext();
  };
  const more = () => {
    if (isLoading.value) return;
    isLoading.value = true;
    fault.value = null;
    const { current } = list;
    readNext()
      .catch((error: unknown) => {
        if (!(error instanceof ApiFault)) throw error;
        if (current === list.current) fault.value = error;
      })
      .finally(() => {
        if (current === list.current) isLoading.value = false;
      });
  };
  // A first page that is read again begins the list anew.
  const refresh = () => {
    restart();
    first.refresh();
  };
  const shown = first.data.value;
  const pages = shown === null ? [] : [shown, ...older.value];
  return {
    first: { ...first, refresh },
    pages,
    hasMore: pages.at(-1)?.pagination.hasMore ?? false,
    fault: fault.value,
    isLoading: isLoading.value,
    more,
  };
}
