/** Shows in Chromium what each page says while it has nothing to show: it loads, or REST returns a fault or no rows. */
import type { Locator, Page, Route } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import {
  expectAccessible,
  openInside,
  openTab,
  type Portal,
  signIn,
  violationsOf,
  type WatchedPage,
} from './browser.ts';
import { BTC_PAGE } from './market-page.ts';
import { DECLARED_PAGES, samplePath } from './sample-pages.ts';

/** What REST returns. `none`: the real response without its rows. `never`: no response. */
type Answer = 'unavailable' | 'forbidden' | 'missing' | 'quota' | 'none' | 'never';
type State = 'loading' | 'ready' | 'empty' | 'error' | 'forbidden' | 'missing';

interface Fault {
  readonly status: number;
  readonly code: string;
  readonly state: State;
  /** What the page says about it, beside its message. */
  readonly text: RegExp;
}

const REQUEST_ID = 'request-of-the-test';
/** The scope that the message of the service names. */
const SCOPE = 'admin';
const RETRY_AFTER_S = 60;
const FAULTS: Readonly<Record<Exclude<Answer, 'none' | 'never'>, Fault>> = {
  unavailable: { status: 502, code: 'upstream_unavailable', state: 'error', text: /The page tries again when you ask/ },
  forbidden: { status: 403, code: 'forbidden_scope', state: 'forbidden', text: /Your key lacks the scope.*admin/s },
  missing: { status: 404, code: 'not_found', state: 'missing', text: /There is nothing under this address/ },
  quota: { status: 429, code: 'quota_exceeded', state: 'error', text: /60 of 60 units.*The next window begins/s },
};

/** What pages show without rows: most say what would be here, these have parts that say so or nothing to list. */
const WITHOUT_ROWS: Readonly<Record<string, State>> = {
  overview: 'ready',
  event: 'ready',
  market: 'ready',
  // The wallet is not among those that are bound.
  wallet: 'missing',
  webhook: 'ready',
  delivery: 'ready',
  usage: 'ready',
  stream: 'ready',
  system: 'ready',
};
/** What pages with parts of their own read before they show these. The parts of the overview need nothing else. */
const MAIN_PATHS: Readonly<Record<string, RegExp>> = {
  event: /^\/v1\/events\/[^/]+\/health$/,
  market: /\/coins\/BTC$/,
  wallet: /^\/v1\/me\/wallets$/,
  competition: /^\/v1\/me\/(stats|wallets)$/,
  webhook: /^\/v1\/webhooks\/[^/]+$/,
  usage: /^\/v1\/me\/quotas$/,
};
/** Parts that show something without rows, by their heading. */
const READY_WITHOUT_ROWS = ['Venues', 'Service', 'Value', 'Value over time', 'Evidence'];
/** The page that axe looks at in each state, in both themes and at every width: what says a state is the same on each. */
const LOOKED_AT = 'keys';

/** The part of REST that pages read; without the session, which the shell reads. */
const isRead = (path: string) => /^\/(v1\/(?!session|stream)|keys|health|providers|asyncapi\.json)/.test(path);

export function statesSuite(portal: Portal): void {
  /** What is returned now, except for the paths that are answered as ever. */
  let answer: Answer | null = null;
  let answered = /^$/;
  /** Each declared page: its name, its declaration, and a path of it. */
  const pages: (readonly [name: string, declared: string, path: string])[] = [];

  beforeAll(async () => {
    for (const [name, declared] of DECLARED_PAGES)
      pages.push([name, declared, await samplePath(portal.service, declared)]);
  });

  async function respond(route: Route): Promise<void> {
    const { pathname } = new URL(route.request().url());
    if (answer === null || answered.test(pathname)) return route.continue();
    if (answer === 'never') return undefined;
    if (answer === 'none') return respondWithoutRows(route);
    const { status, code } = FAULTS[answer];
    const error = { code, message: `the message of a fault, which names ${SCOPE}`, requestId: REQUEST_ID };
    const reset = String(Math.ceil(Date.now() / 1_000) + RETRY_AFTER_S);
    const quota = { 'x-quota-sku': 'api.request', 'x-quota-limit': '60', 'x-quota-remaining': '0' };
    const headers = { ...quota, 'x-quota-reset': reset, 'retry-after': String(RETRY_AFTER_S) };
    return route.fulfill({ status, json: { error }, ...(answer === 'quota' ? { headers } : {}) });
  }

  /** Signs in on a page to which REST returns what `answer` says, and no channel anything. */
  async function openStates(): Promise<WatchedPage> {
    answer = null;
    answered = /^$/;
    const watched = await openTab(portal.context, portal.service.rest);
    watched.expectFaults(/status of (403|404|429|502)/);
    await watched.page.routeWebSocket(portal.proxy.url, () => {});
    await watched.page.route(({ pathname }) => isRead(pathname), respond);
    await signIn(watched, undefined, '/portal/stream');
    return watched;
  }

  it('are shown by every page, each with what to do', async () => {
    const watched = await openStates();
    const { page } = watched;
    for (const each of ['never', 'none', 'unavailable', 'forbidden', 'missing', 'quota'] as const) {
      answer = each;
      for (const [name, declared, path] of pages) {
        // Only what an address names can be missing.
        if (each === 'missing' && !declared.includes(':')) continue;
        await openInside(page, path);
        await (name === 'overview' ? expectParts : expectPage)(page, name, each);
        if (name === LOOKED_AT) await expectAccessible(watched);
        if (name === 'overview') expect(await violationsOf(page), each).toEqual([]);
      }
      expect(watched.faults, each).toEqual([]);
    }
    await watched.close();
  });

  it('are shown by every part of a page while the others are as ever', async () => {
    const watched = await openStates();
    const { page } = watched;
    for (const [name, declared, path] of pages) {
      // Markets of all families have the same parts.
      if (MAIN_PATHS[name] === undefined || /spot|dex/.test(declared)) continue;
      answered = MAIN_PATHS[name];
      // Parts say the other faults as pages do.
      for (const each of ['never', 'none', 'unavailable'] as const) {
        answer = each;
        await openInside(page, '/portal/nothing');
        await openInside(page, path);
        await expectParts(page, name, each);
      }
      expect(watched.faults, name).toEqual([]);
    }
    await watched.close();
  });

  it('end when the person tries again, also where older figures are still shown', async () => {
    const watched = await openStates();
    const { page } = watched;
    for (const [name, path] of [
      ['events', '/portal/events'],
      ['market', BTC_PAGE],
      ['keys', '/portal/keys'],
    ] as const) {
      answer = 'unavailable';
      await openInside(page, path);
      const retry = page.locator(`main[data-page="${name}"][data-state="error"] [data-action="retry"]`);
      await retry.waitFor();
      answer = null;
      await retry.click();
      await page.locator(`main[data-page="${name}"][data-state="ready"]`).waitFor();
    }
    // What is shown remains when it cannot be read again, with its age. What was paused is read at once.
    answer = 'unavailable';
    for (const key of ['.', '.']) await page.keyboard.press(key);
    const stale = page.locator('[data-banner="stale"]', { hasText: 'reading them again fails' });
    await stale.waitFor();
    await page.locator('main[data-page="keys"][data-state="ready"] td[data-stale]').first().waitFor();
    answer = null;
    await stale.locator('[data-action="retry"]').click();
    await stale.waitFor({ state: 'detached' });
    expect(watched.faults).toEqual([]);
    await watched.close();
  });
}

/** The real response with every list of rows in it empty, and no page after it. */
async function respondWithoutRows(route: Route): Promise<void> {
  const response = await route.fetch();
  const body = (await response.json()) as Record<string, unknown>;
  const isList = (value: unknown) => Array.isArray(value) && value.every((row) => typeof row === 'object');
  const emptied = ([field, value]: [string, unknown]): [string, unknown] => {
    if (field === 'pagination') return [field, { nextCursor: null, hasMore: false }];
    return [field, isList(value) ? [] : value];
  };
  const isDocument = new URL(route.request().url()).pathname === '/asyncapi.json';
  await route.fulfill({ response, json: isDocument ? body : Object.fromEntries(Object.entries(body).map(emptied)) });
}

/** Waits until the page is in the state, and looks at what it says there. */
async function expectPage(page: Page, name: string, answer: Answer): Promise<void> {
  const state = stateOf(answer) ?? WITHOUT_ROWS[name] ?? 'empty';
  const main = page.locator(`main[data-page="${name}"][data-state="${state}"]`);
  await main.waitFor();
  await expectWords(main, answer, state, `${answer} of ${name}`);
}

/** The same of each part of the page. */
async function expectParts(page: Page, name: string, answer: Answer): Promise<void> {
  await page.locator(`main[data-page="${name}"][data-state="ready"]`).waitFor();
  const parts = page.locator('section.panel[data-state]');
  await parts.first().waitFor();
  for (const part of await parts.all()) {
    const title = (await part.locator('h2').textContent())!;
    const state = stateOf(answer) ?? (READY_WITHOUT_ROWS.includes(title) ? 'ready' : 'empty');
    const about = `${answer} of ${title} of ${name}`;
    await expect.poll(() => part.getAttribute('data-state'), { message: about, timeout: 60_000 }).toBe(state);
    await expectWords(part, answer, state, about);
  }
}

/** The state that follows from what REST returns; null where it depends on the page. */
function stateOf(answer: Answer): State | null {
  if (answer === 'none') return null;
  return answer === 'never' ? 'loading' : FAULTS[answer].state;
}

async function expectWords(element: Locator, answer: Answer, state: State, about: string): Promise<void> {
  // Visible, which it is after 150 ms.
  if (state === 'loading') return element.locator('.skeleton').first().waitFor();
  const text = (await element.textContent())!;
  if (state === 'empty') expect(text.split(' ').length, about).toBeGreaterThan(6);
  if (answer === 'none' || answer === 'never') return;
  expect(text, about).toMatch(FAULTS[answer].text);
  const fault = element.locator(`[data-error-code="${FAULTS[answer].code}"][data-request-id="${REQUEST_ID}"]`);
  expect(await fault.count(), about).toBe(1);
  expect(await element.locator('[data-action="retry"]').count(), about).toBe(1);
}
