/** Loads the code of the page at hand, and shows it. */
import { signal, useSignalEffect } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ApiFault } from '../live/api-fault.ts';
import { LOAD_PAGE } from '../load-page.ts';
import { findPage, type PageProps } from '../pages.ts';
import { Page } from '../parts/page.tsx';
import { place } from './router.ts';
import { sessionFault } from './session.ts';

/** Components of the pages that were opened, by name. */
const loaded = signal<ReadonlyMap<string, ComponentType<PageProps>>>(new Map());
const loadFault = signal<ApiFault | null>(null);

function load(path: string): void {
  const found = findPage(path);
  if (!found || loaded.peek().has(found.page.name)) return;
  loadFault.value = null;
  LOAD_PAGE[found.page.name]().then(
    (module) => {
      loaded.value = new Map(loaded.peek()).set(found.page.name, module.default);
    },
    () => {
      loadFault.value = new ApiFault({
        status: 0,
        code: 'unreachable',
        message: 'The code of this page could not be loaded.',
      });
    },
  );
}

/**
 * Moves the focus to a page that was opened from another one, so that keyboard and screen reader go on there. Its
 * element is another one once its code is loaded.
 */
function useFocusOnPage(path: string, isLoaded: boolean): void {
  const before = useRef(path);
  const isMoving = useRef(false);
  useEffect(() => {
    if (before.current !== path) isMoving.current = true;
    before.current = path;
    if (!isMoving.current) return;
    document.getElementById('main')?.focus({ preventScroll: true });
    if (isLoaded) isMoving.current = false;
  }, [path, isLoaded]);
}

export function PageView() {
  const { path } = place.value;
  useSignalEffect(() => load(place.value.path));
  useSignalEffect(() => {
    document.title = `${findPage(place.value.path)?.page.title ?? 'Not found'} – Parallax`;
  });
  const found = findPage(path);
  useFocusOnPage(path, found !== null && loaded.value.has(found.page.name));
  if (!found)
    return (
      <Page name="missing" title="Not found" state="missing">
        <p>There is no page at this address.</p>
      </Page>
    );
  const { page, params } = found;
  const fault = sessionFault.value ?? loadFault.value;
  if (fault !== null)
    return <Page name={page.name} title={page.title} fault={fault} onRetry={() => location.reload()} />;
  const Component = loaded.value.get(page.name);
  if (Component === undefined) return <Page name={page.name} title={page.title} state="loading" />;
  return <Component key={path} params={params} />;
}
