/** A Chromium that looks at the portal, and notes everything that a page must not do. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Locator, Page, Response } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { checkFrame } from '#schemas/testing/stream-frames.fixture';
import { chromiumMissing, launchChromium } from '../../chromium.ts';
import { type StreamProxy, startStreamProxy } from '../../stream-proxy.ts';
import { eventually, get, type Service, startService, TEST_TOKEN, temporaryFolder } from '../e2e/service.ts';

/** A wait of a page. On a busy machine, a page of many rows takes long. */
const TIMEOUT_MS = 60_000;
/** A test that looks at pages. */
const BROWSER_TEST_MS = 240_000;
/** Elements that the focus may pass on its way to another one. */
const TABS_MAX = 400;
/** Rules of axe: WCAG 2.2 A and AA, those of them that depend on the theme, and those that depend on the width. */
const ALL_RULES = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] };
const COLOUR_RULES = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };
const WIDTH_RULES = { type: 'rule', values: ['target-size', 'scrollable-region-focusable'] };
/** Of a width, the theme that is shown first there, and the rules by which axe looks at everything. */
const LOOKS: Readonly<Record<number, readonly [theme: 'light' | 'dark', rules: object]>> = {
  1440: ['light', ALL_RULES],
  768: ['dark', WIDTH_RULES],
  // Some elements are only visible at this width.
  360: ['light', ALL_RULES],
};
const OTHER = { light: 'dark', dark: 'light' } as const;
/** Rows of a table and items of a list are alike: axe looks at the first ones. */
const ALIKE = ['tbody > tr:nth-child(n+11)', 'li:nth-child(n+21)'];
/** Texts of the same colours that are looked at. Axe evaluates none that are scrolled out of sight. */
const TEXTS_ALIKE = 10;
/** No page may scroll sideways at these. */
const WIDTHS = [2560, 1440, 1024, 768, 390, 360, 320];
/** A dialog is as wide as its largest width, or as the window. */
const DIALOG_WIDTHS = [1440, 768, 360, 320];
/** Until both venues of an event are quoted, on a busy machine. */
const QUOTED_TIMEOUT_MS = 100_000;

/** A service whose stream has a URL that browsers know, a browser, and a page that is signed in. */
export interface Portal {
  readonly service: Service;
  /** Between the pages and the gateway. */
  readonly proxy: StreamProxy;
  readonly browser: Browser;
  /** Of pages that are signed in with the test token. */
  readonly context: BrowserContext;
  /** The page of the suite that runs. */
  readonly watched: WatchedPage;
  /** Stops the service, and starts it again with its data at the same URLs. */
  restart(): Promise<void>;
}

/** Declares tests. The portal is there once they run. */
export type PortalSuite = (portal: Portal) => void;

/**
 * What all suites have: few markets and events, so that each of them moves often although the service has little to
 * do; webhooks that may go to endpoints of tests, and are tried twice.
 */
const FLAGS = ['--sim-events', '12', '--sim-coins', '12', '--sim-traders', '300'];
const ENV = { PARALLAX_WEBHOOK_ALLOW_LOOPBACK: 'on', PARALLAX_WEBHOOK_SCHEDULE: '0,1' };

/**
 * Suites that look at pages of one service in one browser, one after another; they are skipped without Chromium. A
 * start costs more than most suites, so that they share it. Each has a page of its own.
 *
 * @param rate simulated events a second: more where a suite waits for several updates of the same market.
 */
export function describePortal(suites: Readonly<Record<string, PortalSuite>>, rate: number): void {
  if (chromiumMissing !== null) console.log(`${Object.keys(suites).join(', ')} are skipped: ${chromiumMissing}`);
  describe.skipIf(chromiumMissing !== null)('in Chromium', { timeout: BROWSER_TEST_MS }, () => {
    const portal = {} as { -readonly [Part in keyof Portal]: Portal[Part] };
    let folder: ReturnType<typeof temporaryFolder>;
    beforeAll(async () => {
      folder = temporaryFolder('parallax-portal');
      portal.proxy = await startStreamProxy();
      const env = { ...ENV, PARALLAX_STREAM_URL: portal.proxy.url };
      const start = async (...more: string[]) => {
        const flags = ['--sim-rate', String(rate), ...FLAGS, ...more];
        portal.service = await startService({ dataDir: folder.path, flags, env });
        portal.proxy.forwardTo(portal.service.ws);
      };
      portal.restart = async () => {
        const port = new URL(portal.service.rest).port;
        await portal.service.stop();
        await start('--http-port', port);
      };
      await start();
      portal.browser = await launchChromium();
      portal.context = await openContext(portal.browser, portal.service.rest);
      // An arbitrage comes and ends by chance. An event that both venues quote has a spread.
      await eventually(
        () => get<{ rows: { spread: number | null }[] }>(portal.service, '/v1/events/board?sort=spread&limit=1'),
        ({ rows }) => typeof rows[0]?.spread === 'number',
        QUOTED_TIMEOUT_MS,
      );
    }, BROWSER_TEST_MS);
    afterAll(async () => {
      await portal.browser?.close();
      await portal.service?.stop();
      await portal.proxy?.close();
      folder?.remove();
    });
    for (const [name, suite] of Object.entries(suites))
      describe(name, { timeout: BROWSER_TEST_MS }, () => {
        beforeAll(async () => {
          portal.watched = await openTab(portal.context, portal.service.rest);
          await signIn(portal.watched);
        });
        afterAll(() => portal.watched.close());
        suite(portal);
      });
  });
}

/** Creates something by REST, with the test token. */
export async function create(
  service: Pick<Service, 'rest'>,
  path: string,
  body: object,
  status = 201,
): Promise<Record<string, string>> {
  const response = await fetch(`${service.rest}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TEST_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  expect(response.status).toBe(status);
  return (await response.json()) as Record<string, string>;
}

/** Moves the focus to an element by the keyboard. */
export async function tabTo(page: Page, selector: string, key = 'Tab'): Promise<void> {
  for (let presses = 0; presses < TABS_MAX; presses += 1) {
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`the keyboard does not reach ${selector}`);
}

export interface WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the console and of scripts, reports of the policy, requests to other hosts, undeclared frames. */
  readonly faults: string[];
  /** Faults that match are expected by the test from now on, if the address that they are about matches, too. */
  expectFaults(pattern: RegExp, url?: RegExp): void;
  close(): Promise<void>;
}

/** Opens a page in a context of its own: without a session. @param origin of the service. */
export async function openPage(browser: Browser, origin: string): Promise<WatchedPage> {
  const context = await openContext(browser, origin);
  return { ...(await openTab(context, origin)), close: () => context.close() };
}

async function openContext(browser: Browser, origin: string): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, baseURL: origin });
  context.setDefaultTimeout(TIMEOUT_MS);
  return context;
}

/** Opens a page that shares session and cache with the others of the context. @param origin all that it may request. */
export async function openTab(context: BrowserContext, origin: string): Promise<WatchedPage> {
  const page = await context.newPage();
  const faults: string[] = [];
  const expected: (readonly [pattern: RegExp, url: RegExp])[] = [];
  const note = (fault: string, about = '') => {
    if (!expected.some(([pattern, url]) => pattern.test(fault) && url.test(about))) faults.push(fault);
  };
  await page.addInitScript(
    "addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI))",
  );
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    // `noteHealth` checks these.
    if (isHealth(message.location().url) && message.text().includes('status of 503')) return;
    note(`console: ${message.text()}`, message.location().url);
  });
  onJson(
    page,
    (response) => isHealth(response.url()) && response.status() === 503,
    (body: HealthBody) => noteHealth(body, note),
  );
  page.on('pageerror', (error) => note(`script: ${error.message}`));
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      const fault = frameFault(String(payload));
      if (fault !== null) note(fault);
    }),
  );
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) note(`request: ${url}`);
  });
  return {
    page,
    context,
    faults,
    expectFaults: (pattern, url = /^/) => expected.push([pattern, url]),
    close: () => page.close(),
  };
}

/** How a frame of the stream differs from `/asyncapi.json`; null if it does not. */
function frameFault(payload: string): string | null {
  try {
    checkFrame(JSON.parse(payload));
    return null;
  } catch (error) {
    return `frame: ${error}`;
  }
}

/** Passes on the JSON bodies of the responses that match, except of those whose page was left before they were read. */
export function onJson<Body>(
  page: Page,
  matches: (response: Response) => boolean,
  use: (body: Body, response: Response) => void,
): void {
  page.on('response', async (response) => {
    if (!matches(response)) return;
    // Chromium drops the bodies of a page that was left; playwright has no error class for it.
    const text = await response.text().catch(() => undefined);
    if (text !== undefined) use(JSON.parse(text) as Body, response);
  });
}

interface HealthBody {
  readonly status: string;
  readonly parts: Readonly<Record<string, string>>;
}

const isHealth = (url: string) => url.endsWith('/health');

/**
 * Notes why a service is not healthy. Stages that are behind are no fault: on a busy machine they are for seconds, the
 * service answers 503 then, and the pages show it.
 */
function noteHealth({ status, parts }: HealthBody, note: (fault: string) => void): void {
  const others = Object.entries(parts).filter(([, state]) => state !== 'ready' && !/^\d+(\.\d+)? s behind/.test(state));
  if (status !== 'degraded' || others.length > 0) note(`health: ${status} ${JSON.stringify(others)}`);
}

/** The state of the main element of a settled page. */
const SETTLED = '[data-page]:not([data-state="loading"])';

/** Signs in as the sign-in page does, opens a page, and waits until it has settled. */
export async function signIn({ page, context }: WatchedPage, token = TEST_TOKEN, path = '/portal/'): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await context.request.post('/v1/session', { headers });
  expect(response.status()).toBe(204);
  await page.goto(path);
  await page.locator(SETTLED).waitFor();
}

/** Opens a page as a link does: the portal is not loaded anew. */
export async function openInside(page: Page, path: string): Promise<void> {
  await page.evaluate(`(async () => {
    const [before, main] = [location.pathname, document.querySelector('main')];
    history.pushState(null, '', ${JSON.stringify(path)});
    dispatchEvent(new PopStateEvent('popstate'));
    if (location.pathname === before) return;
    while (document.querySelector('main') === main) await new Promise((resolve) => setTimeout(resolve, 5));
  })()`);
}

/** The panel with a heading in a state. */
export function panelOf(page: Page, title: string, state: string): Locator {
  return page.locator(`section.panel[data-state="${state}"]`, { has: page.locator('h2', { hasText: title }) });
}

export type Fields = Record<string, string | number | boolean | null>;

/** The values of the cells of each row: numbers by their `data-value`, other cells by their text. */
export function rowsOf(page: Page, rows: string): Promise<Fields[]> {
  return page.evaluate<Fields[]>(`[...document.querySelectorAll(${JSON.stringify(rows)})].map((row) => ({
    id: row.dataset.id ?? null,
    ts: Date.parse(row.querySelector('time')?.dateTime ?? ''),
    ...Object.fromEntries([...row.querySelectorAll('[data-field]')].map((cell) => {
      const number = cell.querySelector('[data-value]');
      const text = cell.textContent.trim();
      return [cell.dataset.field, number ? Number(number.dataset.value) : text === '–' ? null : text];
    })),
  }))`);
}

/** Violations of WCAG 2.2 A and AA in an element, each with its rule and the first element of it. */
export function violationsOf(
  page: Page,
  rules: object = ALL_RULES,
  selector = 'html',
  without: readonly string[] = [],
): Promise<string[]> {
  return runAxe(page, rules, JSON.stringify([[selector]]), without);
}

/** @param include an expression: selectors or elements that axe looks at; it does not run without any. */
async function runAxe(page: Page, rules: object, include: string, without: readonly string[] = []): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window')))
    await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  const exclude = JSON.stringify(ALIKE.map((alike) => [alike]));
  const disabled = Object.fromEntries(without.map((rule) => [rule, { enabled: false }]));
  const options = JSON.stringify({ runOnly: rules, rules: disabled, resultTypes: ['violations'] });
  return page.evaluate<string[]>(`(async () => {
    const include = ${include};
    if (include.length === 0) return [];
    const { violations } = await axe.run({ include, exclude: ${exclude} }, ${options});
    return violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200) + ' ' + nodes[0].failureSummary);
  })()`);
}

/**
 * An expression: some texts of each pair of colours in an element, without those of which `returnedTexts` has the
 * key. Texts are alike if they have the same font, and if they and all elements around them have the same colours.
 */
const newTexts = (selector: string) => `(() => {
  const styles = new Map();
  const styleOf = (element) => {
    if (element === null) return '';
    if (!styles.has(element)) {
      const { color, backgroundColor, backgroundImage, opacity } = getComputedStyle(element);
      const own = [color, backgroundColor, backgroundImage, opacity].join();
      const around = styleOf(element.parentElement);
      styles.set(element, around.endsWith(own) ? around : around + ';' + own);
    }
    return styles.get(element);
  };
  const texts = new Map();
  for (const element of document.querySelectorAll(${JSON.stringify(`${selector} *`)})) {
    if (![...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '')) continue;
    // Texts for screen readers are a pixel wide.
    if (!element.checkVisibility() || element.getBoundingClientRect().width <= 1) continue;
    if (element.closest(${JSON.stringify(ALIKE.join())}) !== null) continue;
    const { fontSize, fontWeight, textDecorationLine } = getComputedStyle(element);
    const state = [element.localName === 'a', element.closest(':disabled, [aria-disabled="true"]') !== null];
    const text = [...state, fontSize, fontWeight, textDecorationLine, styleOf(element)].join();
    let key = 0;
    for (let at = 0; at < text.length; at += 1) key = (Math.imul(key, 31) + text.charCodeAt(at)) | 0;
    const alike = texts.get(key) ?? [];
    if (alike.length < ${TEXTS_ALIKE} && !returnedTexts.has(key)) texts.set(key, [...alike, element]);
  }
  for (const key of texts.keys()) returnedTexts.add(key);
  return [...texts.values()].flat();
})()`;

/** Keys of the texts that axe has found no fault in, on any page: a text of the same colours has none either. */
const knownTexts = new Set<number>();

/** Violations of the rules about colours among the texts that are unlike those that were looked at before. */
async function colourViolationsOf(page: Page, selector: string): Promise<string[]> {
  await page.evaluate(`window.returnedTexts ??= new Set(${JSON.stringify([...knownTexts])})`);
  const violations = await runAxe(page, COLOUR_RULES, newTexts(selector));
  if (violations.length > 0) return violations;
  for (const key of await page.evaluate<number[]>('[...returnedTexts]')) knownTexts.add(key);
  return [];
}

/** Elements that make the page wider than the window; none if it does not scroll sideways. */
export function sidewaysElements(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(
    `document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5)
      .map((element) => element.outerHTML.slice(0, 120))`,
  );
}

/** Fails if the page scrolls sideways at any width. Looks at it at each of them. */
export async function expectNoSidewaysScroll(
  page: Page,
  look: (width: number) => Promise<void> = async () => {},
  widths: readonly number[] = WIDTHS,
): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    expect(await sidewaysElements(page), `at ${width}`).toEqual([]);
    await look(width);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
}

/**
 * Looks at what is shown in both themes and at every width. Themes differ in colours alone, and widths in the layout: by
 * rules about colours, axe looks at some texts of each pair of colours in each theme and at each width; by the others,
 * at everything once, and at the widths that show or place something else.
 *
 * @param selector of what axe looks at, such as a dialog that is open over a page that was looked at before.
 */
export async function expectAccessible({ page }: WatchedPage, selector = 'html'): Promise<void> {
  const look = async (width: number) => {
    if (LOOKS[width] === undefined) return;
    const [first, rules] = LOOKS[width];
    await show(page, first);
    expect(await violationsOf(page, rules, selector, COLOUR_RULES.values), `${first} at ${width}`).toEqual([]);
    for (const theme of [first, OTHER[first]]) {
      await show(page, theme);
      expect(await colourViolationsOf(page, selector), `colours of ${theme} at ${width}`).toEqual([]);
    }
  };
  await expectNoSidewaysScroll(page, look, selector === 'html' ? WIDTHS : DIALOG_WIDTHS);
}

async function show(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await page.locator(`html[data-theme="${theme}"]`).waitFor();
}
