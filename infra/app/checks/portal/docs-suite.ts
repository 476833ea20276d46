/** Looks at the documents of a running service in Chromium, as a person does. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { get, TEST_TOKEN } from '../e2e/service.ts';
import { expectAccessible, openPage, type Portal, violationsOf } from './browser.ts';

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

export function docsSuite(portal: Portal): void {
  // The page of a path that has none, and the requests that show what is refused.
  beforeAll(() => portal.watched.expectFaults(/status of 40[0134]/));

  it.each(PAGES)('show %s without a violation of WCAG 2.2 AA, in both themes and at every width', async (path) => {
    const { watched } = portal;
    const { page } = watched;
    await page.goto(path);
    await expectAccessible(watched);
    expect(watched.faults).toEqual([]);
  });

  it('are complete without scripts, and say what needs them', async () => {
    const { browser, service } = portal;
    const context = await browser.newContext({ javaScriptEnabled: false, baseURL: service.rest });
    const page = await context.newPage();
    await page.goto('/docs/rest/getEvents');
    await page.locator('h1', { hasText: 'GET /v1/events' }).waitFor();
    await page.getByText('This form needs scripts.').waitFor();
    expect(await page.locator('[data-form="try"]').isVisible()).toBe(false);
    await page.goto('/docs/stream/event');
    await page.locator('code', { hasText: 'npx wscat' }).waitFor();
    expect(await page.locator('[data-form="subscribe"]').isVisible()).toBe(false);
    await page.getByRole('link', { name: 'Index' }).click();
    await page.getByRole('link', { name: 'Glossary' }).first().click();
    await page.locator('h1', { hasText: 'Glossary' }).waitFor();
    await context.close();
  });

  it('are searched by keyboard', async () => {
    const { watched } = portal;
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
    const other = await openPage(portal.browser, portal.service.rest);
    const { page } = other;
    other.expectFaults(/status of 401/);
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
    expect(other.faults).toEqual([]);
    await other.close();
  });

  it('refuse what the route refuses, and name the field', async () => {
    const { watched } = portal;
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
    const { watched } = portal;
    const { page } = watched;
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

  async function openChannel(page: Page, kind: string): Promise<void> {
    await page.goto(`/docs/stream/${kind}`);
    await page.locator('[data-form="subscribe"]').waitFor();
  }

  /** Fills in the parameters on a channel's page, subscribes, and waits until the server has accepted it. */
  async function subscribe(page: Page, values: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, value] of Object.entries(values)) {
      const field = page.locator(`[data-form="subscribe"] [name="${name}"]`);
      if (await field.evaluate((element) => element.matches('select'))) await field.selectOption(value);
      else await field.fill(value);
    }
    await page.locator('[data-action="subscribe"]').click();
    await page.locator('[data-connection="live"]').waitFor();
    await page.locator('dd[data-field="state"]', { hasText: 'subscribed' }).waitFor();
  }

  it.each([
    'event',
    'arbitrage',
    'trade-event',
    'user-trade',
    'anomaly-kind',
    'anomaly-all',
    'dispute-event',
    'dispute-venue',
    'settlement',
    'venue_a_perp',
    'venue_a_perp_all',
    'venue_b',
  ])('follow a channel of the kind %s with the session of the portal', async (kind) => {
    const { watched, service } = portal;
    const { page } = watched;
    const { events } = await get<{ events: { universalId: string }[] }>(service, '/v1/events?limit=1');
    const { orgId } = await page.evaluate<{ orgId: string }>(
      "fetch('/v1/session').then((response) => response.json())",
    );
    await openChannel(page, kind);
    const names = await page
      .locator('[data-form="subscribe"] [data-in="address"]')
      .evaluateAll((fields) => fields.map((field) => field.getAttribute('name')!));
    const known: Readonly<Record<string, string>> = { universalId: events[0]!.universalId, orgId };
    await subscribe(page, Object.fromEntries(names.flatMap((name) => (known[name] ? [[name, known[name]]] : []))));
    expect(watched.faults).toEqual([]);
  });

  it('show the frames of a channel with their number and delay, the same in code, and end it', async () => {
    const { watched, proxy } = portal;
    const { page } = watched;
    await openChannel(page, 'trade-provider');
    await subscribe(page, { provider: 'venue_b', since: 'earliest' });
    const row = page.locator('[data-field="frames"] tr[data-seq]').first();
    await row.locator('summary').focus();
    await page.keyboard.press('Enter');
    await page.locator('details[open] pre', { hasText: '"channel": "svc:stream:trade:venue_b"' }).waitFor();
    expect(await row.locator('[data-field="delayMs"]').textContent()).toMatch(/^-?\d+$/);
    for (const language of ['typescript', 'python', 'wscat']) {
      const code = await page.locator(`[data-language="${language}"]`).textContent();
      expect(code).toContain(proxy.url);
      expect(code).toMatch(/"since": ?"earliest"/);
      expect(code).not.toMatch(/plx_|csrf/);
    }
    const copied = page.locator('[data-field="samples"] [data-action="copy"]').first();
    await copied.click();
    await copied.getByText('Copied').waitFor();
    await page.locator('[data-action="unsubscribe"]').click();
    await page.locator('[data-connection="offline"]').waitFor();
    await page.locator('dd[data-field="state"]', { hasText: 'ended' }).waitFor();
    await expectAccessible(watched);
    expect(watched.faults).toEqual([]);
  });

  it('follow a channel with a key that is typed in, which appears nowhere, and say so when it is refused', async () => {
    const other = await openPage(portal.browser, portal.service.rest);
    const { page } = other;
    other.expectFaults(/status of 401|WebSocket connection to .* failed/);
    await page.goto('/docs/stream/anomaly-all');
    await page.locator('[data-action="subscribe"]').click();
    await page.locator('[data-field="fault"]', { hasText: 'Sign in' }).waitFor();
    await page.locator('input[name="token"]').fill(`${TEST_TOKEN}x`);
    await page.locator('[data-action="subscribe"]').click();
    await page.locator('[data-field="fault"]', { hasText: 'may not stream' }).waitFor();
    await page.locator('input[name="token"]').fill(TEST_TOKEN);
    await page.locator('[data-action="subscribe"]').click();
    await page.locator('[data-connection="live"]').waitFor();
    await page.locator('dd[data-field="state"]', { hasText: 'subscribed' }).waitFor();
    expect(await page.locator('[data-field="fault"]').textContent()).toBe('');
    expect(await page.content()).not.toContain(TEST_TOKEN);
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
    expect(other.faults).toEqual([]);
    await other.close();
  });

  it('name the parameter that a channel lacks', async () => {
    const { page } = portal.watched;
    await page.goto('/docs/stream/event');
    await page.locator('[data-action="subscribe"]').click();
    await page.locator('[data-field="fault"]', { hasText: 'universalId: ' }).waitFor();
    expect(await page.locator('input[name="universalId"]').getAttribute('aria-invalid')).toBe('true');
  });
}
