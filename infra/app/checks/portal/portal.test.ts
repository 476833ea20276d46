/** Looks at the portal of a running service in Chromium, as a person does. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';

import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { chromiumMissing, launchChromium } from '../../chromium.ts';

import { eventually, get, type Service, startService, TEST_TOKEN, temporaryFolder } from '../e2e/service.ts';
import { BROWSER_TEST_MS, expectAccessible, openPage, signIn, violationsOf, type WatchedPage } from './browser.ts';

const PAGES = [
  ['overview', '/portal/'],
  ['events', '/portal/events'],
  ['leaderboard', '/portal/leaderboard'],
  ['anomalies', '/portal/anomalies'],
  ['keys', '/portal/keys'],
  ['webhooks', '/portal/webhooks'],
  ['usage', '/portal/usage'],
  ['audit', '/portal/audit'],
  ['organizations', '/portal/organizations'],
  ['system', '/portal/system'],
] as const;
/** Figures are compared again if newer ones came before the page was paused; wrong ones never become equal. */
const COMPARED_WITHIN = { timeout: 180_000, interval: 200 };
const HOSTILE = [
  '<img src=x onerror="window.hit=1">',
  '"><script>window.hit=1</script>',
  "javascript:window.hit=1//'",
  '{{constructor.constructor("window.hit=1")()}}',
  '\u202Eright to left\u202C',
  '&lt;b&gt;not bold&amp;',
  'W'.repeat(200),
];

if (chromiumMissing !== null) console.log(`the portal is not looked at: ${chromiumMissing}`);

describe.skipIf(chromiumMissing !== null)('the portal in Chromium', { timeout: BROWSER_TEST_MS }, () => {
  const folder = temporaryFolder('parallax-portal');
  let service: Service;
  let browser: Browser;
  let watched: WatchedPage;

  beforeAll(async () => {
    service = await startService({
      dataDir: folder.path,
      flags: ['--sim-rate', '100'],
      env: { PARALLAX_WEBHOOK_ALLOW_LOOPBACK: 'on', PARALLAX_WEBHOOK_SCHEDULE: '0,1' },
    });
    browser = await launchChromium();
    watched = await openPage(browser, service.rest);
    await signIn(watched);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    folder.remove();
  });

  async function create(path: string, body: object): Promise<Record<string, string>> {
    const response = await fetch(`${service.rest}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TEST_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(201);
    return (await response.json()) as Record<string, string>;
  }
  it.each(PAGES)(
    'shows %s without a violation of WCAG 2.2 AA, in both themes and at every width',
    async (name, path) => {
      const { page } = watched;
      await page.goto(path);
      await page.locator(`main[data-page="${name}"]:is([data-state="ready"], [data-state="empty"])`).waitFor();
      await expectAccessible(watched);
      expect(watched.faults).toEqual([]);
    },
  );

  it('shows an event, its prices and its chart with the table behind it', async () => {
    const { page } = watched;
    await page.goto('/portal/events');
    await page.locator('tbody [data-field="canonicalName"] a').first().click();
    await page.locator('main[data-page="event"][data-state="ready"] [data-field="yesMid"]').first().waitFor();
    await page.locator('figure[data-chart="prices"] canvas').waitFor();
    await expectAccessible(watched);
    const figure = page.locator('figure[data-chart="prices"]');
    await figure.locator('[data-action="table"]').click();
    await figure.locator('table[data-chart-table="prices"] tbody tr').first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(watched.faults).toEqual([]);
  });

  it('shows the state of the service as REST returns it, and the lag of stages as a chart', async () => {
    const { page } = watched;
    const cell = (id: string, field: string) => page.locator(`tr[data-id="${id}"] [data-field="${field}"]`);
    await vi.waitFor(async () => {
      const answered = page.waitForResponse((response) => response.url().endsWith('/v1/system'));
      await page.goto('/portal/system');
      const system = (await (await answered).json()) as {
        nodes: { node: string; version: string }[];
        stages: { stage: string; node: string; lagMs: number }[];
        feeds: { feed: string; lost1h: number }[];
        store: { bytes: number };
      };
      await page.locator('main[data-page="system"][data-state="ready"]').waitFor();
      await page.keyboard.press('.');
      expect(system.nodes).toHaveLength(1);
      expect(await cell(system.nodes[0]!.node, 'version').textContent()).toBe(system.nodes[0]!.version);
      expect(system.stages.map(({ stage }) => stage)).toEqual(expect.arrayContaining(['candles', 'view.events']));
      for (const { stage, node, lagMs } of system.stages)
        expect(await cell(`${stage}.${node}`, 'lagMs').locator('[data-value]').getAttribute('data-value')).toBe(
          String(lagMs),
        );
      expect(system.feeds.length).toBeGreaterThan(2);
      for (const { feed, lost1h } of system.feeds)
        expect(await cell(feed, 'lost1h').textContent()).toBe(String(lost1h));
      const stored = page.locator('[data-field="storeBytes"] [data-value]');
      expect(await stored.getAttribute('data-value')).toBe(String(system.store.bytes));
    }, COMPARED_WITHIN);
    await page.locator('figure[data-chart="lag"] canvas').waitFor();
    await page.locator('figure[data-chart="lag"] [data-action="table"]').click();
    await page.locator('table[data-chart-table="lag"] tbody tr').first().waitFor();
    await page.locator('[data-action="all"]').first().click();
    await cell('control.node-reports', 'records').waitFor();
    await expectAccessible(watched);
    expect(watched.faults).toEqual([]);
  });

  it('signs in, moves and opens dialogs by keyboard alone', async () => {
    const other = await openPage(browser, service.rest);
    const { page } = other;
    other.expectFaults(/401/);
    await page.goto('/portal/audit');
    await page.locator('main[data-page="login"]').waitFor();
    await expectAccessible(other);
    await page.goto('/portal/login?next=https://example.com/portal/');
    await page.keyboard.press('Tab');
    await page.keyboard.type(TEST_TOKEN);
    await page.keyboard.press('Enter');
    await page.locator('main[data-page="overview"]').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('k');
    await page.locator('main[data-page="keys"][data-state="ready"]').waitFor();
    await page.keyboard.press('j');
    expect(await page.evaluate('document.activeElement.dataset.id !== undefined')).toBe(true);
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

  it('makes a key, shows its token once, and names what a revocation does', async () => {
    const { page } = watched;
    await page.goto('/portal/keys');
    await page.locator('[data-action="create"]').click();
    await page.locator('[data-form="key"] input[name="name"]').fill('made in the portal');
    await expectAccessible(watched);
    await page.locator('[data-form="key"] [data-action="submit"]').click();
    expect(await page.locator('[data-dialog="token"] [data-field="secret"]').textContent()).toMatch(/^plx_live_/);
    await page.locator('[data-dialog="token"] [data-action="close"]').click();
    await page.locator('[data-dialog="token"]').waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain('plx_live_');
    const row = page.locator('tr', { hasText: 'made in the portal' });
    await row.locator('[data-action="revoke"]').click();
    await page.locator('[data-dialog="revoke"]', { hasText: 'made in the portal' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.locator('[data-action="confirm-revoke"]').click();
    await row.waitFor({ state: 'detached' });
    expect(watched.faults).toEqual([]);
  });

  it('creates a webhook, sends a test, and sends failed deliveries again, one and all of a time', async () => {
    let status = 500;
    const receiver = createServer((request, response) =>
      request.resume().on('end', () => response.writeHead(status).end()),
    );
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void receiver.close());
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const { page } = watched;
    await page.goto('/portal/webhooks');
    await page.locator('[data-action="create"]').click();
    await page.locator('[data-form="webhook"] input[name="url"]').fill(url);
    await page.locator('[data-form="webhook"] input[name="eventType"]').first().check();
    await expectAccessible(watched);
    await page.locator('[data-form="webhook"] [data-action="submit"]').click();
    expect(await page.locator('[data-dialog="secret"] [data-field="secret"]').textContent()).toMatch(/^whsec_/);
    await page.locator('[data-dialog="secret"] [data-action="close"]').click();
    await page.locator('[data-field="url"] a', { hasText: url }).click();
    await page.locator('main[data-page="webhook"][data-state="ready"]').waitFor();
    await page.locator('[data-action="test"]').click();
    await page.locator('[data-field="result"]', { hasText: '500' }).waitFor();
    await expectAccessible(watched);
    await page.locator('[data-field="eventType"] a').first().click();
    await page.locator('main[data-page="delivery"] [data-field="body"]', { hasText: '"specversion":"1.0"' }).waitFor();
    await page.locator('[data-field="status"] .tag', { hasText: /pending|failed/ }).waitFor();
    await page.locator('[data-id="webhook-signature"]', { hasText: 'v1,' }).waitFor();
    await page.locator('figure[data-chart="deliveries"] canvas').waitFor();
    await expectAccessible(watched);
    await page.locator('figure[data-chart="deliveries"] [data-action="table"]').click();
    await page.locator('table[data-chart-table="deliveries"] tbody tr').first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.locator('[data-field="status"] .tag', { hasText: 'failed' }).waitFor();
    await page.locator('[data-field="webhookId"] a').click();
    await page.locator('[data-field="enabled"]', { hasText: 'disabled' }).waitFor();
    status = 204;
    await page.locator('[data-action="enable"]').click();
    await page.locator('[data-action="recover"]').click();
    await page.locator('[data-action="count"]').click();
    await page.locator('[data-dialog="recover"] [data-field="deliveries"][data-value="1"]').waitFor();
    await expectAccessible(watched);
    await page.locator('[data-action="confirm-recover"]').click();
    await page.locator('[data-field="status"]', { hasText: 'delivered' }).waitFor();
    await page.locator('tr', { hasText: 'failed' }).locator('[data-field="eventType"] a').click();
    const failed = page.url();
    await page.locator('[data-action="redeliver"]').click();
    await page.waitForURL((shown) => shown.href !== failed);
    await page.locator('[data-field="status"] .tag', { hasText: 'delivered' }).waitFor();
    await page.locator('[data-field="webhookId"] a').click();
    await page.locator('[data-action="redeliver"]').first().click();
    await page.locator('[data-field="status"]', { hasText: 'delivered' }).nth(2).waitFor();
    await page.locator('[data-action="delete"]').click();
    await page.locator('[data-dialog="delete"]', { hasText: url }).waitFor();
    await page.locator('[data-action="confirm-delete"]').click();
    await page.locator('main[data-page="webhooks"]').waitFor();
    expect(watched.faults).toEqual([]);
  });

  it('shows a webhook that was created without filters', async () => {
    const subscriptions = [{ eventType: 'broker.trade.executed', version: 1 }];
    const { id } = await create('/v1/webhooks', { url: 'https://hooks.example.com/a', subscriptions });
    const { page } = watched;
    await page.goto(`/portal/webhooks/${id}`);
    await page.locator('main[data-state="ready"] [data-field="filters"]', { hasText: 'everything' }).waitFor();
    expect(watched.faults).toEqual([]);
  });

  it('offers code that verifies signatures', async () => {
    const { page } = watched;
    await page.goto('/portal/webhooks');
    await page.locator('[data-action="verify"]').click();
    await page.locator('[data-dialog="verify"] [data-field="code"]', { hasText: 'isAuthentic' }).waitFor();
    await expectAccessible(watched);
    await page.locator('[data-dialog="verify"] select').selectOption({ label: 'Python' });
    await page.locator('[data-dialog="verify"] [data-field="code"]', { hasText: 'def is_authentic' }).waitFor();
    expect(watched.faults).toEqual([]);
  });

  it('shows hostile names as text, runs nothing of them, and stays as wide as the window', async () => {
    for (const name of HOSTILE) await create('/keys', { name, userId: name.slice(0, 100), scopes: ['read'] });
    const { page } = watched;
    await page.goto('/portal/keys');
    await page.locator('main[data-page="keys"][data-state="ready"]').waitFor();
    const names = await page.locator('[data-field="name"]').allTextContents();
    for (const name of HOSTILE) expect(names).toContain(name);
    expect(await page.evaluate('window.hit === undefined')).toBe(true);
    await expectAccessible(watched);
    expect(watched.faults).toEqual([]);
  });

  it('shows the numbers that REST returns', async () => {
    const { page } = watched;
    await eventually(
      () => get<{ rows: unknown[] }>(service, '/v1/markets/venue_a/leaderboard?window=week'),
      ({ rows }) => rows.length > 0,
      150_000,
    );
    await page.goto('/portal/leaderboard?window=week');
    await page.locator('main[data-page="leaderboard"][data-state="ready"]').waitFor();
    const board = await get<{ rows: { ethAddress: string; pnl: number; vlm: number; accountValue: number }[] }>(
      service,
      '/v1/markets/venue_a/leaderboard?window=week&limit=5',
    );
    for (const row of board.rows)
      for (const field of ['pnl', 'vlm', 'accountValue'] as const) {
        const cell = page.locator(`tr[data-id="${row.ethAddress}"] [data-field="${field}"] [title]`);
        expect(await cell.getAttribute('title'), field).toBe(String(row[field]));
      }
    await vi.waitFor(async () => {
      const quotas = page.waitForResponse((response) => response.url().endsWith('/v1/me/quotas'));
      await page.goto('/portal/usage');
      const { quotas: windows } = (await (await quotas).json()) as {
        quotas: { sku: string; window: string; limit: number; used: number }[];
      };
      await page.locator('main[data-page="usage"][data-state="ready"]').waitFor();
      await page.keyboard.press('.');
      expect(windows.length).toBeGreaterThan(4);
      for (const { sku, window, limit, used } of windows)
        for (const [field, value] of Object.entries({ limit, used })) {
          const cell = page.locator(`tr[data-id="${sku}.${window}"] [data-field="${field}"] [data-value]`);
          expect(Number(await cell.getAttribute('data-value')), `${sku} ${window} ${field}`).toBe(value);
        }
    }, COMPARED_WITHIN);
    await page.locator('figure[data-chart="usage"]').waitFor();
    await vi.waitFor(async () => {
      const answered = page.waitForResponse((response) => response.url().includes('/v1/arbitrage'));
      await page.goto('/portal/');
      const { records } = (await (await answered).json()) as {
        records: { universalId: string; kind: string; netEdge: number }[];
      };
      await page.locator('main[data-page="overview"] [data-field="netEdge"]').first().waitFor();
      await page.keyboard.press('.');
      expect(records.length).toBeGreaterThan(0);
      const { universalId, kind, netEdge } = records[0]!;
      const cell = page.locator(`[data-id="${universalId}.${kind}"] [data-field="netEdge"] [data-value]`);
      expect(Number(await cell.getAttribute('data-value', { timeout: 5_000 }))).toBe(netEdge);
    }, COMPARED_WITHIN);
  });

  it('says which scope is missing, what is missing, and what to do about a fault', async () => {
    const { token } = await create('/keys', { name: 'reads only', userId: 'reader', scopes: ['read'] });
    const other = await openPage(browser, service.rest);
    const { page } = other;
    other.expectFaults(/40[134]|500/);
    await signIn(other, token);
    await page.goto('/portal/audit');
    await page
      .locator('main[data-state="forbidden"] [data-error-code="forbidden_scope"]', { hasText: 'admin' })
      .waitFor();
    await expectAccessible(other);
    await page.goto('/portal/system');
    await page.locator('main[data-page="system"][data-state="forbidden"]').waitFor();
    for (const path of ['/portal/nowhere', '/portal/events/ue_none']) {
      await page.goto(path);
      await page.locator('main[data-state="missing"]').waitFor();
      expect(await violationsOf(page)).toEqual([]);
    }
    const error = { code: 'internal_error', message: 'it failed', requestId: 'request-1' };
    await page.route('**/v1/me/quotas*', (route) => route.fulfill({ status: 500, json: { error } }));
    await page.goto('/portal/usage');
    await page.locator('main[data-state="error"] [data-request-id="request-1"]').waitFor();
    await expectAccessible(other);
    await page.unroute('**/v1/me/quotas*');
    await page.locator('[data-action="retry"]').click();
    await page.locator('main[data-page="usage"]:not([data-state="error"])').waitFor();
    await page.route('**/v1/events/board?*', () => {});
    await page.goto('/portal/events');
    await page.locator('main[data-state="loading"] .skeleton').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(other.faults).toEqual([]);
    await other.close();
  });

  it('says so while the service is not reached, and goes on by itself', async () => {
    const other = await openPage(browser, service.rest);
    const { page, context } = other;
    other.expectFaults(/ERR_INTERNET_DISCONNECTED/);
    await signIn(other);
    await page.locator('[data-connection="live"]').waitFor();
    await context.setOffline(true);
    await page.locator('[data-connection="offline"]', { hasText: 'since' }).waitFor();
    await page.locator('[data-banner="offline"]').waitFor();
    await page.locator('[data-stale] [data-field="netEdge"]').first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await context.setOffline(false);
    await page.locator('[data-connection="live"]').waitFor();
    expect(other.faults).toEqual([]);
    await other.close();
  });

  it('asks to sign in again over the page, which goes on, and leaves nothing behind after signing out', async () => {
    const other = await openPage(browser, service.rest);
    const { page, context } = other;
    other.expectFaults(/401/);
    await signIn(other, TEST_TOKEN, '/portal/login?next=/portal/audit');
    await page.locator('main[data-page="audit"][data-state="ready"]').waitFor();
    const [cookie] = await context.cookies();
    await context.clearCookies();
    await page.keyboard.press('g');
    await page.keyboard.press('k');
    await page.locator('[data-dialog="session"]').waitFor();
    await expectAccessible(other);
    await page.locator('[data-dialog="session"] input').fill(TEST_TOKEN);
    await page.keyboard.press('Enter');
    await page.locator('main[data-page="keys"][data-state="ready"]').waitFor();
    await page.locator('[data-action="sign-out"]').click();
    await page.locator('main[data-page="login"]').waitFor();
    expect(await context.cookies()).toEqual([]);
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
    expect(cookie!.httpOnly).toBe(true);
    expect(other.faults).toEqual([]);
    await other.close();
  });
});
