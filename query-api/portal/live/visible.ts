/** Which rows of a list are in the window, so that only their channels are subscribed. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** Rows within this distance count as visible, so that their figures are live when they scroll in. */
const MARGIN = '200px';
/** Rows that fly by are not subscribed. */
const SETTLED_MS = 150;

/** The ids of visible rows, sorted, of those rows of the page that have `data-id`. */
export function useVisibleIds(ids: readonly string[]): ReadonlySignal<readonly string[]> {
  const visible = useSignal<readonly string[]>([]);
  useEffect(() => {
    const seen = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          const id = (target as HTMLElement).dataset.id!;
          if (isIntersecting) seen.add(id);
          else seen.delete(id);
        }
        clearTimeout(timer);
        timer = setTimeout(() => {
          visible.value = [...seen].sort();
        }, SETTLED_MS);
      },
      { rootMargin: MARGIN },
    );
    for (const row of document.querySelectorAll('#main [data-id]')) observer.observe(row);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [ids.join('\n')]);
  return visible;
}
