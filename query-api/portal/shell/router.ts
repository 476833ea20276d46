/** Where the person is: path and query of the address. Filters, sort, tabs and theme stand in the query. */
import { signal } from '@preact/signals';

export interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

export const HOME = '/portal/';
/** Parameters that stay in the address when another page is opened. */
const CARRIED = ['theme', 'times', 'keys'];

const here = (): Place => ({ path: location.pathname, query: new URLSearchParams(location.search) });

export const place = signal<Place>(here());

/** True for a path of the portal: one slash at its beginning, so that it is no address of another host. */
export function isPortalPath(path: string): boolean {
  return path.startsWith(HOME) && new URL(path, location.origin).pathname.startsWith(HOME);
}

/** The address of a page, with the parameters that are carried along. */
export function hrefTo(href: string): string {
  const url = new URL(href, location.origin);
  for (const name of CARRIED) {
    const value = place.value.query.get(name);
    if (value !== null && !url.searchParams.has(name)) url.searchParams.set(name, value);
  }
  return url.pathname + url.search;
}

export function navigate(href: string): void {
  history.pushState(null, '', hrefTo(href));
  place.value = here();
  scrollTo(0, 0);
}

/**
 * Changes parameters of the address without a new entry in the history; null removes one, and so does an empty text
 * unless it `keepsEmpty`.
 */
export function setQuery(changes: Readonly<Record<string, string | null>>, keepsEmpty = false): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || (value === '' && !keepsEmpty)) query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  history.replaceState(null, '', location.pathname + (text === '' ? '' : `?${text}`));
  place.value = here();
}

/** Follows the browser's history, and opens links within the portal without loading the page again. */
export function startRouter(): void {
  addEventListener('popstate', () => {
    place.value = here();
  });
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    const link = (event.target as Element).closest('a');
    if (!link || link.origin !== location.origin || link.target !== '' || !isPortalPath(link.pathname)) return;
    // The browser follows a link to a part of this page, and moves the focus there.
    if (link.hash !== '' && link.pathname + link.search === location.pathname + location.search) return;
    event.preventDefault();
    navigate(link.pathname + link.search);
  });
}
