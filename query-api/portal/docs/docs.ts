/** What scripts add to the pages of the documents, which are complete without them: theme, search, try-it. */

const system = matchMedia('(prefers-color-scheme: dark)');

/** Sets the theme of the address, else that of the system, as the portal does. */
function applyTheme(): void {
  const chosen = new URLSearchParams(location.search).get('theme');
  const isChosen = chosen === 'dark' || chosen === 'light';
  document.documentElement.dataset.theme = isChosen ? chosen : system.matches ? 'dark' : 'light';
}

/** Shows the search form. It is sent by this script, since the policy allows no form to be sent by the browser. */
function startSearch(): void {
  const form = document.querySelector<HTMLFormElement>('[data-form="search"]');
  const input = form?.querySelector('input');
  if (!form || !input) return;
  form.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const query = new URLSearchParams(location.search);
    query.set('q', input.value.trim());
    location.assign(`/docs/search?${query}`);
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select') !== null;
    const isSearch = event.key === '/' ? !isTyping : event.key === 'k' && event.ctrlKey;
    if (!isSearch || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });
}

/** Shows the form of the page, if it has one, and loads the code that sends it. */
function startForm(): void {
  document.querySelector('[data-needs-scripts]')?.remove();
  const tried = document.querySelector<HTMLFormElement>('[data-form="try"]');
  if (tried) void import('./try.ts').then(({ startTryForm }) => startTryForm(tried));
  const subscribed = document.querySelector<HTMLFormElement>('[data-form="subscribe"]');
  if (subscribed) void import('./subscribe.ts').then(({ startSubscribeForm }) => startSubscribeForm(subscribed));
}

applyTheme();
system.addEventListener('change', applyTheme);
startSearch();
startForm();
