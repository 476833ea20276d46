/** Looks at the pages of the portal in Chromium, as a person does: their figures, their states, and what they say. */
import { expect, it, vi } from 'vitest';
import { eventually, get } from '../e2e/service.ts';
import {
  create,
  expectAccessible,
  expectNoSidewaysScroll,
  openInside,
  openPage,
  type Portal,
  signIn,
  violationsOf,
} from './browser.ts';
import { DECLARED_PAGES, samplePath } from './sample-pages.ts';

/** Figures are compared again if newer ones came before the page was paused; wrong ones never become equal. */
const COMPARED_WITHIN = { timeout: 180_000, interval: 200 };

export function pagesSuite(portal: Portal): void {
  it.each(DECLARED_PAGES)(
    'shows %s (%s) and its dialogs without a violation of WCAG 2.2 AA, in both themes and at every width',
    async (name, declared) => {
      const { watched, service } = portal;
      const { page } = watched;
      await openInside(page, await samplePath(service, declared));
      await page.locator(`main[data-page="${name}"]:is([data-state="ready"], [data-state="empty"])`).waitFor();
      await expect.poll(() => page.locator('.skeleton').count(), { timeout: 60_000 }).toBe(0);
      await page.keyboard.press('.');
      await expectAccessible(watched);
      const openers = await page
        .locator('button[aria-haspopup="dialog"]:enabled')
        .evaluateAll((all) => all.map((button) => button.getAttribute('data-action')!));
      expect(openers).toContain('help');
      for (const action of new Set(openers)) {
        // That of the shell is the same on every page.
        if (action === 'help' && name !== 'overview') continue;
        await page.locator(`button[aria-haspopup="dialog"][data-action="${action}"]`).first().click();
        await page.locator('dialog[open]').waitFor();
        await expectAccessible(watched, 'dialog[open]');
        await page.keyboard.press('Escape');
        await page.locator('dialog[open]').waitFor({ state: 'detached' });
      }
      await page.keyboard.press('.');
      expect(watched.faults).toEqual([]);
    },
  );

  it('shows the state of the service as REST returns it, and the lag of stages as a chart', async () => {
    const { watched } = portal;
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
    await expectNoSidewaysScroll(page);
    expect(await violationsOf(page)).toEqual([]);
    expect(watched.faults).toEqual([]);
  });

  it('shows the numbers that REST returns', async () => {
    const { watched } = portal;
    const { page } = watched;
    await eventually(
      () => get<{ rows: unknown[] }>(portal.service, '/v1/markets/venue_a/leaderboard?window=week'),
      ({ rows }) => rows.length > 0,
      150_000,
    );
    await page.goto('/portal/leaderboard?window=week');
    await page.locator('main[data-page="leaderboard"][data-state="ready"]').waitFor();
    const board = await get<{ rows: { ethAddress: string; pnl: number; vlm: number; accountValue: number }[] }>(
      portal.service,
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

  it('says which scope is missing, and what is missing', async () => {
    const { token } = await create(portal.service, '/keys', { name: 'reads only', userId: 'reader', scopes: ['read'] });
    const other = await openPage(portal.browser, portal.service.rest);
    const { page } = other;
    other.expectFaults(/40[134]/);
    await signIn(other, token, '/portal/audit');
    await page
      .locator('main[data-state="forbidden"] [data-error-code="forbidden_scope"]', { hasText: 'admin' })
      .waitFor();
    await expectAccessible(other);
    await openInside(page, '/portal/system');
    await page.locator('main[data-page="system"][data-state="forbidden"]').waitFor();
    for (const path of ['/portal/nowhere', '/portal/events/ue_none']) {
      await openInside(page, path);
      await page.locator('main[data-state="missing"]').waitFor();
      expect(await violationsOf(page)).toEqual([]);
    }
    expect(other.faults).toEqual([]);
    await other.close();
  });

  it('is not live for a key that may not subscribe, and offers it nothing that it may not do', async () => {
    const { token } = await create(portal.service, '/keys', { name: 'reads only', userId: 'reader', scopes: ['read'] });
    const other = await openPage(portal.browser, portal.service.rest);
    const { page } = other;
    other.expectFaults(/403/);
    await signIn(other, token);
    await page.locator('[data-connection="waiting"]', { hasText: 'Polling' }).waitFor();
    await page.locator('[data-field="updated"]').first().waitFor();
    await openInside(page, '/portal/webhooks');
    await page.locator('main[data-page="webhooks"]:not([data-state="loading"]) [data-field="missingScope"]').waitFor();
    expect(await page.locator('[data-action="create"]').count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
    await openInside(page, '/portal/keys');
    await page.locator('main[data-page="keys"][data-state="forbidden"]').waitFor();
    expect(await page.locator('main [data-action="create"]').count()).toBe(0);
    expect(other.faults).toEqual([]);
    await other.close();
  });

  it('says how much of a quota is used, and until when', async () => {
    const organization = { name: 'Small', plan: 'free' };
    const { adminKey } = await create(portal.service, '/v1/organizations', organization);
    const { token } = adminKey as unknown as { token: string };
    const other = await openPage(portal.browser, portal.service.rest);
    const { page } = other;
    other.expectFaults(/429/);
    await signIn(other, token, '/portal/login');
    await vi.waitFor(async () => {
      const status = async () => {
        const headers = { authorization: `Bearer ${token}` };
        return (await fetch(`${portal.service.rest}/v1/me/quotas`, { headers })).status;
      };
      await expect.poll(status, { timeout: 60_000, interval: 1 }).toBe(429);
      await page.goto('/portal/usage');
      await page.locator('[data-error-code="quota_exceeded"]').first().waitFor({ timeout: 2_000 });
    }, COMPARED_WITHIN);
    await page.locator('main[data-page="usage"] [data-error-code="quota_exceeded"]').first().waitFor();
    const used = page.locator('main[data-state="error"] [data-id="api.request"]').first();
    for (const field of ['used', 'limit'])
      expect(await used.locator(`[data-field="${field}"] [data-value]`).getAttribute('data-value')).toBe('60');
    await used.locator('[data-field="resetAt"] time').waitFor();
    await page.locator('[data-banner="quota"]').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(other.faults).toEqual([]);
    await other.close();
  });

  it('says so while the service is not reached, and goes on by itself', async () => {
    const other = await openPage(portal.browser, portal.service.rest);
    const { page, context } = other;
    other.expectFaults(/ERR_INTERNET_DISCONNECTED/);
    await signIn(other);
    // The venues are always listed; edges and spreads are not there at every moment.
    const figure = page.locator('[aria-label="Venues"] td[data-field="tradesPerSecond"]');
    await page.locator('[data-connection="live"]').waitFor();
    await figure.and(page.locator(':not([data-stale])')).first().waitFor();
    await context.setOffline(true);
    await page.locator('[data-connection="offline"]', { hasText: 'since' }).waitFor();
    await page.locator('[data-banner="offline"]').waitFor();
    await figure.and(page.locator('[data-stale]')).first().waitFor();
    await page.locator('[data-action="sign-out"]').click();
    await page.locator('[data-notice="signed-in"]').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await context.setOffline(false);
    await page.locator('[data-connection="live"]').waitFor();
    await figure.and(page.locator(':not([data-stale])')).first().waitFor();
    expect(other.faults).toEqual([]);
    await other.close();
  });
}
