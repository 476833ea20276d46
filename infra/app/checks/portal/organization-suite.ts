/** Looks in Chromium at what an organization sets up in the portal: its keys, its webhooks, and its session. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { TEST_TOKEN } from '../e2e/service.ts';
import { create, expectAccessible, openPage, type Portal, violationsOf } from './browser.ts';

export function organizationSuite(portal: Portal): void {
  it('makes a key, shows its token once, and names what a revocation does', async () => {
    const { watched } = portal;
    const { page } = watched;
    await page.goto('/portal/keys');
    await page.locator('[data-action="create"]').click();
    await page.locator('[data-form="key"] input[name="name"]').fill('made in the portal');
    await expectAccessible(watched, 'dialog[open]');
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
    const { watched } = portal;
    const { page } = watched;
    await page.goto('/portal/webhooks');
    await page.locator('[data-action="create"]').click();
    await page.locator('[data-form="webhook"] input[name="url"]').fill(url);
    await page.locator('[data-form="webhook"] input[name="eventType"]').first().check();
    await page.locator('[data-filter="broker.trade.executed"] input[value="venue_b"]').check();
    await expectAccessible(watched, 'dialog[open]');
    await page.locator('[data-form="webhook"] [data-action="submit"]').click();
    expect(await page.locator('[data-dialog="secret"] [data-field="secret"]').textContent()).toMatch(/^whsec_/);
    await page.locator('[data-dialog="secret"] [data-action="close"]').click();
    await page.locator('[data-field="url"] a', { hasText: url }).click();
    await page.locator('main[data-page="webhook"][data-state="ready"]').waitFor();
    await page.locator('[data-field="filters"]', { hasText: 'venue_b' }).waitFor();
    await page.locator('[data-action="test"]').click();
    await page.locator('[data-field="result"]', { hasText: '500' }).waitFor();
    await expectAccessible(watched);
    await page.locator('[data-field="eventType"] a').first().click();
    await page.locator('main[data-page="delivery"] [data-field="body"]', { hasText: '"specversion":"1.0"' }).waitFor();
    await page.locator('[data-field="status"] .tag', { hasText: /pending|failed/ }).waitFor();
    await page.locator('[data-id="webhook-signature"]', { hasText: 'v1,' }).waitFor();
    await page.locator('figure[data-chart="deliveries"] canvas').waitFor();
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
    await expectAccessible(watched, 'dialog[open]');
    await page.locator('[data-action="confirm-recover"]').click();
    await page.locator('[data-field="status"]', { hasText: 'delivered' }).waitFor();
    await page.locator('tr', { hasText: 'failed' }).locator('[data-field="eventType"] a').click();
    // The list is shown until the page of the delivery is.
    await page.locator('main[data-page="delivery"][data-state="ready"]').waitFor();
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
    const { id } = await create(portal.service, '/v1/webhooks', { url: 'https://hooks.example.com/a', subscriptions });
    const { watched } = portal;
    const { page } = watched;
    await page.goto(`/portal/webhooks/${id}`);
    await page.locator('main[data-state="ready"] [data-field="filters"]', { hasText: 'everything' }).waitFor();
    expect(watched.faults).toEqual([]);
  });

  it('offers code that verifies signatures', async () => {
    const { watched } = portal;
    const { page } = watched;
    await page.goto('/portal/webhooks');
    await page.locator('[data-action="verify"]').click();
    await page.locator('[data-dialog="verify"] [data-field="code"]', { hasText: 'isAuthentic' }).waitFor();
    await expectAccessible(watched, 'dialog[open]');
    await page.locator('[data-dialog="verify"] select').selectOption({ label: 'Python' });
    await page.locator('[data-dialog="verify"] [data-field="code"]', { hasText: 'def is_authentic' }).waitFor();
    expect(watched.faults).toEqual([]);
  });

  it('asks to sign in again over the page, which goes on, and leaves nothing behind after signing out', async () => {
    const other = await openPage(portal.browser, portal.service.rest);
    const { page, context } = other;
    other.expectFaults(/401/);
    await page.goto('/portal/login?next=/portal/audit');
    await page.locator('input[name="token"]').fill(TEST_TOKEN);
    await page.keyboard.press('Enter');
    await page.locator('main[data-page="audit"][data-state="ready"]').waitFor();
    await context.clearCookies();
    await page.keyboard.press('g');
    await page.keyboard.press('k');
    await page.locator('[data-dialog="session"]').waitFor();
    await expectAccessible(other, 'dialog[open]');
    await page.locator('[data-dialog="session"] input').fill(TEST_TOKEN);
    await page.keyboard.press('Enter');
    await page.locator('main[data-page="keys"][data-state="ready"]').waitFor();
    const [cookie] = await context.cookies();
    const statusOfCookie = async () => {
      const headers = { cookie: `${cookie!.name}=${cookie!.value}` };
      return (await fetch(`${portal.service.rest}/v1/session`, { headers })).status;
    };
    expect([cookie!.httpOnly, await statusOfCookie()]).toEqual([true, 200]);
    await page.locator('[data-action="sign-out"]').click();
    await page.locator('main[data-page="login"]').waitFor();
    expect(await context.cookies()).toEqual([]);
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
    expect(await page.evaluate('indexedDB.databases()')).toEqual([]);
    expect(await page.evaluate('caches.keys()')).toEqual([]);
    // Whoever copied the cookie before cannot use it any more.
    expect(await statusOfCookie()).toBe(401);
    expect(other.faults).toEqual([]);
    await other.close();
  });
}
