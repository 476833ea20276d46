/** Keeps the focus on a row of a table whose element is replaced, as of a row that moves to another group of rows. */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

const FOCUSABLE = 'a, button, input, select, textarea, [tabindex]';

/** An element in a row: the id of the row, and the number of the element among those that can be focused; -1: the row. */
interface Place {
  readonly id: string;
  readonly nth: number;
}

/** Returns the reference of the table. Where the focused element of a row goes, its successor is focused. */
export function useFocusOfRows(): RefObject<HTMLTableElement | null> {
  const table = useRef<HTMLTableElement>(null);
  const focused = focusedPlace(table.current);
  useLayoutEffect(() => {
    const { activeElement } = document;
    if (focused !== null && (activeElement === null || activeElement === document.body))
      elementAt(table.current!, focused)?.focus({ preventScroll: true });
  });
  return table;
}

function focusedPlace(table: HTMLTableElement | null): Place | null {
  const { activeElement } = document;
  if (table === null || !table.contains(activeElement)) return null;
  const row = activeElement!.closest<HTMLElement>('tr[data-id]');
  if (row === null) return null;
  return { id: row.dataset.id!, nth: [...row.querySelectorAll(FOCUSABLE)].indexOf(activeElement!) };
}

function elementAt(table: HTMLTableElement, { id, nth }: Place): HTMLElement | null {
  const row = table.querySelector<HTMLElement>(`tr[data-id="${CSS.escape(id)}"]`);
  return row?.querySelectorAll<HTMLElement>(FOCUSABLE)[nth] ?? row;
}
