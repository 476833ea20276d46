import { signal } from '@preact/signals';
import { findPage, PAGES, type PageDeclaration } from '../pages.ts';
import { hrefTo, place } from './router.ts';

const GROUPS = ['Markets', 'Organization', 'Service'] as const;
const isOpen = signal(false);

function Entry({ page, current }: { readonly page: PageDeclaration; readonly current: string | undefined }) {
  const isCurrent = current === page.name;
  return (
    <li>
      <a
        href={hrefTo(`/portal${page.path}`)}
        aria-current={isCurrent ? 'page' : undefined}
        onClick={() => {
          isOpen.value = false;
        }}
      >
        {page.title}
      </a>
    </li>
  );
}

export function Navigation() {
  const current = findPage(place.value.path)?.page.name;
  return (
    <>
      <a class="brand" href={hrefTo('/portal/')}>
        <svg viewBox="0 0 16 16" width="20" height="20" aria-hidden="true">
          <path d="M2 13 7 3h2L4 13zm5 0 5-10h2L9 13z" fill="currentColor" />
        </svg>
        Parallax
      </a>
      <button
        type="button"
        class="menu-button"
        data-action="menu"
        aria-expanded={isOpen.value}
        aria-controls="navigation"
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        Menu
      </button>
      <nav id="navigation" class={isOpen.value ? 'navigation open' : 'navigation'} aria-label="Pages">
        {GROUPS.map((group) => {
          const pages = PAGES.filter((page) => page.group === group);
          return pages.length === 0 ? null : (
            <div key={group}>
              <h2>{group}</h2>
              <ul>
                {pages.map((page) => (
                  <Entry key={page.name} page={page} current={current} />
                ))}
              </ul>
            </div>
          );
        })}
        <div>
          <h2>Documents</h2>
          <ul>
            <li>
              <a href="/docs">API and figures</a>
            </li>
          </ul>
        </div>
      </nav>
    </>
  );
}
