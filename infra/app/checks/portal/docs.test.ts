/** Looks at the documents of a running service in Chromium, as a person does. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumMissing, launchChromium } from '../../chromium.ts';
import { type Service, startService, TEST_TOKEN, temporaryFolder } from '../e2e/service.ts';
import { BROWSER_TEST_MS, expectAccessible, openPage, violationsOf, type WatchedPage } from './browser.ts';

/** One page of each kind. */
const PAGES = [
  '/docs',
  '/docs/quickstart',
  '/docs/settings',
  '/docs/figures',
  '/docs/rest',
  '/docs/rest/getEvents',
  '/docs/rest/postWebhooks',
  '/docs/stream/stream',
  '/docs/stream/event',
  '/docs/webhooks/event.spread.changed',
  '/docs/search?q=quota',
  '/docs/nothing',
];

if (chromiumMissing !== null) console.log(`the documents are not looked at: ${chromiumMissing}`);

describe.skipIf(chromiumMissing !== null)('the documents in Chromium', { timeout: BROWSER_TEST_MS }, () => {
  const folder = temporaryFolder('parallax-docs');
  let service: Service;
  let browser: Browser;
  let watched: WatchedPage;

  beforeAll(async () => {
    service = await startService({ dataDir: folder.path, flags: ['--sim-rate', '50'] });
    browser = await launchChromium();
    watched = await openPage(browser, service.rest);
    // The page of a path that has none, and the requests that show what is refused.
    watched.expectFaults(/status of 40[0134]/);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    folder.remove();
  });

  it.each(PAGES)('show %s without a violation of WCAG 2.2 AA, in both themes and at every width', async (path) => {
    const { page } = watched;
    await page.goto(path);
    await expectAccessible(watched);
    expect(watched.faults).toEqual([]);
  });

  it('are complete without scripts, and say what needs them', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, baseURL: service.rest });
    const page = await context.newPage();
    await page.goto('/docs/rest/getEvents');
    await page.locator('h1', { hasText: 'GET /v1/events' }).waitFor();
    await page.getByText('This form needs scripts.').waitFor();
    expect(await page.locator('[data-form="try"]').isVisible()).toBe(false);
    await page.getByRole('link', { name: 'Index' }).click();
    await page.getByRole('link', { name: 'Glossary' }).first().click();
    await page.locator('h1', { hasText: 'Glossary' }).waitFor();
    await context.close();
  });

  it('are searched by keyboard', async () => {
    const { page } = watched;
    await page.goto('/docs');
    await page.locator('[data-form="search"] input').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('negation pair');
    await page.keyboard.press('Enter');
    await page.locator('.hits [data-id]').first().waitFor();
    expect(new URL(page.url()).search).toBe('?q=negation+pair');
  });

  const send = async (page: Page) => {
    await page.locator('[data-action="send"]').click();
    await page.locator('[data-field="status"]', { hasText: /\d/ }).waitFor();
  };

  it('try a route with a key that is typed in, which appears nowhere', async () => {
    const { page } = watched;
    await page.goto('/docs/rest/getEvents');
    await page.locator('input[name="limit"]').fill('1');
    await send(page);
    await page.locator('[data-field="fault"]', { hasText: 'Sign in' }).waitFor();
    await page.locator('input[name="token"]').fill(TEST_TOKEN);
    await page.locator('[data-action="send"]').click();
    await page.locator('[data-field="status"]', { hasText: '200' }).waitFor();
    expect(JSON.parse((await page.locator('[data-field="body"]').textContent())!)).toHaveProperty('events');
    expect(await page.locator('[data-field="headers"]').textContent()).toContain('x-request-id: ');
    expect(await page.locator('[data-field="time"]').textContent()).toMatch(/^\d+ ms$/);
    expect(await page.locator('[data-field="curl"]').textContent()).toContain(
      `-H "Authorization: Bearer $PARALLAX_TOKEN" \\\n  "$PARALLAX_URL"'/v1/events?limit=1'`,
    );
    expect(await page.content()).not.toContain(TEST_TOKEN);
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
  });

  it('refuse what the route refuses, and name the field', async () => {
    const { page } = watched;
    await page.goto('/docs/rest/getEvents');
    await page.locator('input[name="limit"]').fill('many');
    await page.locator('[data-action="send"]').click();
    await page.locator('[data-field="fault"]', { hasText: 'limit: ' }).waitFor();
    expect(await page.locator('input[name="limit"]').getAttribute('aria-invalid')).toBe('true');
    await page.goto('/docs/rest/postWebhooks');
    await page.locator('textarea[name="body"]').fill('{"url": "https://example.com/"}');
    await page.locator('[data-action="send"]').click();
    await page.locator('[data-field="fault"]', { hasText: 'subscriptions: ' }).waitFor();
  });

  it('try routes with the session of the portal, also one that changes something', async () => {
    const { page } = watched;
    await page.goto('/portal/login');
    await page.locator('input[name="token"]').fill(TEST_TOKEN);
    await page.keyboard.press('Enter');
    await page.locator('main:not([data-page="login"])').waitFor();
    await page.goto('/docs/rest/getKeys');
    await send(page);
    expect(await page.locator('[data-field="status"]').textContent()).toMatch(/^200/);
    await page.goto('/docs/rest/postKeys');
    const body = { name: 'from the documents', userId: 'ada', scopes: ['read'] };
    await page.locator('textarea[name="body"]').fill(JSON.stringify(body));
    await send(page);
    expect(await page.locator('[data-field="status"]').textContent()).toMatch(/^201/);
    expect(await page.locator('[data-field="body"]').textContent()).toContain('"token": "plx_live_');
    expect(watched.faults).toEqual([]);
  });
});
