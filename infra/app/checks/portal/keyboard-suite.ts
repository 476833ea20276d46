/** Does by keyboard alone what a person comes for. Whatever a pointer does is a fault of the page. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { get, TEST_TOKEN } from '../e2e/service.ts';
import { expectAccessible, openPage, type Portal, signIn, tabTo, violationsOf, type WatchedPage } from './browser.ts';

/** Until an arbitrage lasted as long as it takes to see its steps, on a busy machine. */
const EDGE_WITHIN = { timeout: 200_000, interval: 200 };
const NO_POINTER = "addEventListener('pointerdown', () => console.error('a pointer was used'), true)";
const [PROPOSER, DISPUTER, HASH] = ['1a', '2b', '3c'].map((digits) => `0x${digits.repeat(20)}`) as [
  string,
  string,
  string,
];

export function keyboardSuite(portal: Portal): void {
  let watched: WatchedPage;
  let page: Page;

  beforeAll(async () => {
    ({ watched } = portal);
    ({ page } = watched);
    await page.addInitScript(NO_POINTER);
    await page.goto('/portal/');
  });

  async function press(...keys: string[]): Promise<void> {
    for (const key of keys) await page.keyboard.press(key);
  }
  const settled = (name: string) => page.locator(`main[data-page="${name}"][data-state="ready"]`).waitFor();
  /** Opens a page by its key, and waits until it has settled. */
  async function go(key: string, name: string): Promise<void> {
    // In a field, keys are text.
    await tabTo(page, ':not(input, select, textarea)');
    await press('g', key);
    await page.locator(`main[data-page="${name}"]:is([data-state="ready"], [data-state="empty"])`).waitFor();
  }
  /** Moves to an element and presses Enter on it. */
  async function enter(selector: string): Promise<void> {
    await tabTo(page, selector);
    await press('Enter');
  }
  /** Moves in the lists of the page to a row. */
  async function moveTo(row: string): Promise<void> {
    await page.locator(row).first().waitFor();
    await tabTo(page, row, 'j');
  }

  it('signs in, moves to a page, and opens and closes dialogs', async () => {
    const other = await openPage(portal.browser, portal.service.rest);
    const { page } = other;
    other.expectFaults(/401/);
    await page.addInitScript(NO_POINTER);
    await page.goto('/portal/audit');
    await page.locator('main[data-page="login"]').waitFor();
    await expectAccessible(other);
    await page.goto('/portal/login?next=https://example.com/portal/');
    await tabTo(page, 'input[name="token"]');
    await page.keyboard.type(TEST_TOKEN);
    await page.keyboard.press('Enter');
    await page.locator('main[data-page="overview"]').waitFor();
    for (const [key, dialog] of [
      ['?', 'help'],
      ['/', 'search'],
    ] as const) {
      await page.keyboard.press(key);
      await page.locator(`[data-dialog="${dialog}"]`).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.locator(`[data-dialog="${dialog}"]`).waitFor({ state: 'detached' });
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.locator('html[data-theme="light"]').waitFor();
    await page.keyboard.press('t');
    await page.locator('html[data-theme="dark"]').waitFor();
    expect(new URL(page.url()).searchParams.get('theme')).toBe('dark');
    expect(other.faults).toEqual([]);
    await other.close();
  });

  it('skips to the page, goes on in a page that was opened, and turns single characters off', async () => {
    const other = await openPage(portal.browser, portal.service.rest);
    const { page } = other;
    await signIn(other);
    const focused = () =>
      page.evaluate<string>('document.activeElement.dataset.page ?? document.activeElement.tagName');
    await tabTo(page, '.skip');
    await page.keyboard.press('Enter');
    await expect.poll(focused).toBe('overview');
    await page.keyboard.press('g');
    await page.keyboard.press('k');
    await page.locator('main[data-page="keys"][data-state="ready"]').waitFor();
    await expect.poll(focused).toBe('keys');
    await page.keyboard.press('?');
    await page.locator('[data-dialog="help"]').waitFor();
    await page.keyboard.press('Control+k');
    await tabTo(page, '[data-dialog="help"] input[name="keys"]');
    await page.keyboard.press(' ');
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('keys')).toBe('off');
    await page.keyboard.press('?');
    await page.keyboard.press('t');
    await page.keyboard.press('Control+k');
    await page.locator('[data-dialog="search"]').waitFor();
    expect(await page.locator('dialog').count()).toBe(1);
    expect(new URL(page.url()).searchParams.get('theme')).toBeNull();
    expect(other.faults).toEqual([]);
    await other.close();
  });

  it('finds the best edge, and why it is real: what is bought and sold, the fees, and the age of the quotes', async () => {
    // An arbitrage ends as suddenly as it comes: if it ended before its steps were shown, another one is looked for.
    await vi.waitFor(async () => {
      await go('o', 'overview');
      await moveTo('[aria-label="Best edges now"] tr[data-id]');
      const name = await page.evaluate<string>('document.activeElement.querySelector("a").textContent');
      await press('Enter');
      await settled('event');
      expect(await page.locator('h1').textContent()).toBe(name);
      await page.locator('section.steps [data-field="netEdge"]').first().waitFor({ timeout: 5_000 });
      await moveTo('section.steps:has([data-field="netEdge"])');
    }, EDGE_WITHIN);
    const steps = await page.evaluate<string>('document.activeElement.textContent');
    for (const part of ['Gross edge', 'Buy YES', 'Fee of', 'Net edge', 'The older quote is'])
      expect(steps).toContain(part);
    await moveTo('article[data-id]');
    expect(await page.evaluate<string>('document.activeElement.textContent')).toMatch(/confidence/);
    expect(watched.faults).toEqual([]);
  });

  it('sees who disputed what, with the block and the transaction', async () => {
    const { events } = await get<{ events: { universalId: string; canonicalName: string }[] }>(
      portal.service,
      '/v1/events?min_providers=2&limit=1',
    );
    const { universalId, canonicalName } = events[0]!;
    // The first dispute of the simulator comes after minutes.
    const phase = { provider: 'venue_b', marketId: '42', questionId: HASH, requestTimestamp: 1, status: 'confirmed' };
    const proposed = { ...phase, id: 'dp_1', phase: 'propose', proposer: PROPOSER, disputer: null, price: '1' };
    const places = { ts: '2026-01-15T12:10:00.000Z', blockNumber: 65_000_001, txHash: HASH, logIndex: 1 };
    const disputed = { ...proposed, ...places, id: 'dp_2', phase: 'dispute', disputer: DISPUTER };
    const activity = [{ kind: 'dispute', universalId, canonicalName, ts: places.ts, record: disputed }];
    const pagination = { nextCursor: null, hasMore: false };
    await page.route('**/v1/events/activity?*', (route) => route.fulfill({ json: { activity, pagination } }));
    await page.route('**/dispute-history', (route) =>
      route.fulfill({ json: { universalId, disputes: [{ ...proposed, ...places }, disputed] } }),
    );
    await go('o', 'overview');
    await moveTo('[aria-label="Disputes and settlements"] tr[data-id="dp_2"]');
    await press('Enter');
    await settled('event');
    await moveTo('[aria-label="Proposals and disputes"] tr[data-id="dp_2"]');
    const texts = await page.evaluate<Record<string, string>>(
      'Object.fromEntries([...document.activeElement.cells].map((cell) => [cell.dataset.field, cell.textContent]))',
    );
    expect(texts.phase).toBe('Disputed');
    expect(texts.price).toBe('1');
    expect(texts.blockNumber).toBe('65,000,001');
    const row = page.locator('[aria-label="Proposals and disputes"] tr[data-id="dp_2"]');
    for (const [field, id] of Object.entries({ proposer: PROPOSER, disputer: DISPUTER, txHash: HASH })) {
      expect(await row.locator(`[data-field="${field}"] code`).getAttribute('title')).toBe(id);
      // Copied whole.
      await tabTo(page, `tr[data-id="dp_2"] [data-field="${field}"] [data-action="copy"]`);
    }
    expect(await violationsOf(page)).toEqual([]);
    await page.unroute('**/v1/events/activity?*');
    await page.unroute('**/dispute-history');
    expect(watched.faults).toEqual([]);
  });

  it('makes a key, and sees its token once', async () => {
    await go('k', 'keys');
    await enter('[data-action="create"]');
    await page.locator('[data-form="key"]').waitFor();
    await page.keyboard.type('made by keyboard');
    await press('Enter');
    expect(await page.locator('[data-dialog="token"] [data-field="secret"]').textContent()).toMatch(/^plx_live_/);
    await press('Escape');
    await page.locator('[data-dialog="token"]').waitFor({ state: 'detached' });
    await page.locator('tr', { hasText: 'made by keyboard' }).waitFor();
    expect(watched.faults).toEqual([]);
  });

  it('creates a webhook, and sends a failed delivery again', async () => {
    let status = 500;
    const receiver = createServer((request, response) =>
      request.resume().on('end', () => response.writeHead(status).end()),
    );
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void receiver.close());
    await go('h', 'webhooks');
    await enter('[data-action="create"]');
    await page.locator('[data-form="webhook"] input[name="eventType"]').first().waitFor();
    await tabTo(page, '[data-form="webhook"] input[name="url"]');
    await page.keyboard.type(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`);
    await tabTo(page, '[data-form="webhook"] input[name="eventType"]');
    await press(' ');
    await enter('[data-form="webhook"] [data-action="submit"]');
    await page.locator('[data-dialog="secret"] [data-field="secret"]').waitFor();
    await press('Escape');
    await moveTo('main[data-page="webhooks"] tr[data-id]');
    await press('Enter');
    await settled('webhook');
    await enter('[data-action="test"]');
    await page.locator('td[data-field="status"]', { hasText: 'failed' }).waitFor();
    // An endpoint that fails is disabled. The page would read it again some seconds later.
    await page.reload();
    await page.locator('[data-action="enable"]').waitFor();
    status = 204;
    await enter('[data-action="enable"]');
    await page.locator('[data-action="disable"]').waitFor();
    await enter('td [data-action="redeliver"]');
    await page.locator('td[data-field="status"]', { hasText: 'delivered' }).waitFor();
    expect(watched.faults).toEqual([]);
  });

  it('follows a channel in the console: subscribes, looks at a frame, pauses, resumes, and ends it', async () => {
    await go('s', 'stream');
    await tabTo(page, 'select[name="start"]');
    await press('ArrowDown');
    await enter('[data-action="subscribe"]');
    await page.locator('[data-subscription="subscribed"]').waitFor();
    await page.locator('tr[data-seq] [data-field="delayMs"] [data-value]').first().waitFor();
    expect(new URL(page.url()).searchParams.get('start')).toBe('earliest');
    await expectAccessible(watched);
    await moveTo('tr[data-seq]');
    await press('Enter');
    await page.locator('[data-field="frame"]', { hasText: 'svc:stream:trade:venue_b' }).waitFor();
    await tabTo(page, '[data-action="pause-channel"]', 'Shift+Tab');
    await press('Enter');
    await page.locator('[data-subscription="paused"]').waitFor();
    const seq = Number(await page.locator('dd[data-field="seq"] [data-value]').getAttribute('data-value'));
    await press('Enter');
    await page.locator(`tr[data-seq="${seq + 1}"]`).waitFor({ state: 'attached' });
    expect(await page.locator('dd[data-field="gaps"] [data-value]').getAttribute('data-value')).toBe('0');
    await enter('[data-action="unsubscribe"]');
    await page.locator('[data-subscription="ended"]').waitFor();
    await tabTo(page, 'select[name="code"]', 'Shift+Tab');
    for (const code of ['typescript', 'python', 'wscat']) {
      const text = await page.locator(`[data-language="${code}"]`).textContent();
      expect(text).toContain(portal.proxy.url);
      expect(text).not.toMatch(/plx_|csrf/);
      await press('ArrowDown');
    }
    expect(watched.faults).toEqual([]);
  });

  it("reads a candle's source in the table behind the chart", async () => {
    await go('m', 'markets');
    await moveTo('main[data-page="markets"] tr[data-id]');
    await press('Enter');
    await settled('market');
    await page.locator('figure[data-chart="candles"]').waitFor();
    await enter('figure[data-chart="candles"] [data-action="table"]');
    await tabTo(page, 'figure[data-chart="candles"] .chart-table');
    const source = page.locator('table[data-chart-table="candles"] td[data-field="source"]').last();
    expect(await source.textContent()).toMatch(/^[a-z_]{3,}$/);
    expect(watched.faults).toEqual([]);
  });

  it('tries a route in the documents', async () => {
    await enter('nav a[href="/docs"]');
    await page.locator('[data-form="search"] input').waitFor();
    await press('/');
    await page.keyboard.type('GET /v1/events sort');
    await press('Enter');
    await page.locator('.hits a[href^="/docs/rest/getEvents"]').first().waitFor();
    await enter('.hits a[href^="/docs/rest/getEvents"]');
    await page.locator('[data-form="try"]').waitFor();
    await tabTo(page, '[data-form="try"] input[name="limit"]');
    await page.keyboard.type('1');
    await enter('[data-action="send"]');
    await page.locator('[data-field="status"]', { hasText: '200' }).waitFor();
    expect(watched.faults).toEqual([]);
  });
}
