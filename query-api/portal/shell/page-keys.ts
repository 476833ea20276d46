/** Keys of what a page shows now, such as a chart that moves. The help lists them. */
import { useEffect, useRef } from 'preact/hooks';

export interface PageKey {
  /** The keys as `KeyboardEvent.key` names them. */
  readonly keys: readonly string[];
  /** The keys as the help writes them. */
  readonly shown: string;
  /** A text for the help dialog: what the keys do. */
  readonly text: string;
  readonly press: (key: string) => void;
}

const shownNow = new Set<{ readonly current: readonly PageKey[] }>();

/** Adds keys while a component is shown. */
export function useKeys(keys: readonly PageKey[]): void {
  const newest = useRef(keys);
  newest.current = keys;
  useEffect(() => {
    shownNow.add(newest);
    return () => void shownNow.delete(newest);
  }, []);
}

/** The keys of all components that are shown now. */
export const pageKeys = (): readonly PageKey[] => [...shownNow].flatMap(({ current }) => current);
