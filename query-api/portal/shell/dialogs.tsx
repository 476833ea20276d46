/** The dialogs of the shell: keys, search of pages, and signing in again over the page. */
import { signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { PAGES } from '../pages.ts';
import { Dialog } from '../parts/dialog.tsx';
import { pageKeys } from './page-keys.ts';
import { hrefTo, navigate } from './router.ts';
import { isSessionLost } from './session.ts';
import { hasCharacterKeys, switchCharacterKeys } from './theme.ts';
import { TokenForm } from './token-form.tsx';

export type ShellDialog = 'help' | 'search';

const opened = signal<ShellDialog | null>(null);

export function openDialog(name: ShellDialog): void {
  opened.value = name;
}

function close(): void {
  opened.value = null;
}

const KEYS: readonly (readonly [string, string])[] = [
  ['?', 'this help'],
  ['/ or Ctrl+K', 'search'],
  ['j, k', 'next, previous row'],
  ['Enter', 'open the row'],
  ['Esc', 'close'],
  ['t', 'dark or light'],
  ['u', 'UTC or local time'],
  ['.', 'pause live updates'],
];

function Help() {
  const pages = PAGES.filter(({ key }) => key !== undefined).map(({ key, title }) => [`g ${key}`, title] as const);
  const ofPage = pageKeys().map(({ shown, text }) => [shown, text] as const);
  return (
    <Dialog name="help" title="Keys" onClose={close}>
      <label class="check">
        <input
          type="checkbox"
          name="keys"
          data-action="keys"
          checked={hasCharacterKeys.value}
          onChange={switchCharacterKeys}
        />
        Single characters are keys
      </label>
      <dl class="keys">
        {[...KEYS, ...ofPage, ...pages].map(([keys, text]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

function Search() {
  const text = useRef<HTMLInputElement>(null);
  const query = signal('');
  const found = () =>
    PAGES.filter((page) => page.group && page.title.toLowerCase().includes(query.value.toLowerCase()));
  return (
    <Dialog name="search" title="Search" onClose={close}>
      <form
        data-form="search"
        onSubmit={(event) => {
          event.preventDefault();
          const [first] = found();
          if (first === undefined) return;
          close();
          navigate(`/portal${first.path}`);
        }}
      >
        <label>
          Page
          <input
            ref={text}
            type="search"
            name="q"
            autocomplete="off"
            onInput={(event) => {
              query.value = event.currentTarget.value;
            }}
          />
        </label>
      </form>
      <Found pages={found} />
    </Dialog>
  );
}

function Found({ pages }: { readonly pages: () => typeof PAGES }) {
  return (
    <ul class="found">
      {pages().map((page) => (
        <li key={page.name}>
          <a href={hrefTo(`/portal${page.path}`)} onClick={close}>
            {page.title}
          </a>
        </li>
      ))}
    </ul>
  );
}

export function Dialogs() {
  if (isSessionLost.value)
    return (
      <Dialog name="session" title="Sign in again">
        <p>The session has ended. After signing in, the page goes on where it was.</p>
        <TokenForm onSignedIn={() => {}} />
      </Dialog>
    );
  if (opened.value === 'help') return <Help />;
  if (opened.value === 'search') return <Search />;
  return null;
}
