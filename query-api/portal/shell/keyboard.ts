/** The keys of the whole portal (contract, Portal). */

import { switchPause } from '../live/activity.ts';
import { PAGES } from '../pages.ts';
import { openDialog } from './dialogs.tsx';
import { pageKeys } from './page-keys.ts';
import { navigate, place } from './router.ts';
import { isSessionLost, LOGIN } from './session.ts';
import { hasCharacterKeys, switchTheme, switchTimes } from './theme.ts';

/** After `g`, the key of a page is awaited for this long. */
const GO_MS = 1_500;
const FIELDS = 'input, textarea, select, [contenteditable]';

let goUntil = 0;

function moveInList(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-id]')];
  if (rows.length === 0) return;
  // Rows may hold rows; the innermost one comes last.
  const at = rows.findLastIndex((row) => row.contains(document.activeElement));
  const next = rows[at < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + step))]!;
  next.focus();
  next.scrollIntoView({ block: 'nearest' });
}

/** Opens the focused row; false if no row has the focus. */
function openRow(): boolean {
  const row = document.activeElement;
  if (!(row instanceof HTMLElement) || row.dataset.id === undefined) return false;
  const link = row.querySelector<HTMLElement>('a, button');
  link?.click();
  return link !== null;
}

function handle(key: string): boolean {
  if (Date.now() < goUntil) {
    goUntil = 0;
    const page = PAGES.find((page) => page.key === key);
    if (page) navigate(`/portal${page.path}`);
    return page !== undefined;
  }
  switch (key) {
    case 'g':
      goUntil = Date.now() + GO_MS;
      return true;
    case '?':
      openDialog('help');
      return true;
    case '/':
      openDialog('search');
      return true;
    case 't':
      switchTheme();
      return true;
    case 'u':
      switchTimes();
      return true;
    case '.':
      switchPause();
      return true;
    case 'j':
    case 'ArrowDown':
      if (key === 'ArrowDown' && !isInList()) return false;
      moveInList(1);
      return true;
    case 'k':
    case 'ArrowUp':
      if (key === 'ArrowUp' && !isInList()) return false;
      moveInList(-1);
      return true;
    case 'Enter':
      return openRow();
    default:
      return handlePageKey(key);
  }
}

function handlePageKey(key: string): boolean {
  const found = pageKeys().filter(({ keys }) => keys.includes(key));
  for (const { press } of found) press(key);
  return found.length > 0;
}

const isInList = (): boolean => document.activeElement?.closest('main [data-id]') != null;

const isDialogOpen = (): boolean => document.querySelector('dialog[open]') !== null;

export function startKeyboard(): void {
  addEventListener('keydown', (event) => {
    if (place.value.path === LOGIN || isSessionLost.value || event.altKey || event.metaKey) return;
    if (event.ctrlKey) {
      if (event.key !== 'k') return;
      event.preventDefault();
      if (!isDialogOpen()) openDialog('search');
      return;
    }
    // Native dialogs close on Esc by themselves.
    if (isDialogOpen() || (event.target as Element).closest(FIELDS)) return;
    if (event.key.length === 1 && !hasCharacterKeys.value) return;
    if (handle(event.key)) event.preventDefault();
  });
}
