/** What the page of a market says where something is missing, empty or fails, in Chromium. */
import { expect, it } from 'vitest';
import { create, expectAccessible, openPage, type Portal, panelOf, signIn } from './browser.ts';
import { BTC_PAGE } from './market-page.ts';

export function marketStatesSuite(portal: Portal): void {
  it('says what is missing or empty, and which part fails', async () => {
    const { service } = portal;
    const other = await openPage(portal.browser, service.rest);
    const { page } = other;
    other.expectFaults(/40[0-9]|500/);
    // No channel adds to what is returned to this key.
    const { token } = await create(service, '/keys', { name: 'reads only', userId: 'reader', scopes: ['read'] });
    await signIn(other, token);
    await page.goto('/portal/markets/perp/NOSUCH');
    await page.locator('main[data-page="market"][data-state="missing"] [data-error-code="unknown_coin"]').waitFor();
    // The daily row too: the service requests the bars of the day before some minutes after its start.
    for (const [name, body] of [
      ['coins/BTC/candles?*', { candles: [] }],
      ['coins/BTC/orderbook?*', { coin: 'BTC', bids: [], asks: [], ts: 1 }],
      ['coins/BTC/trades?*', { trades: [] }],
      ['daily?*', { snapshots: [] }],
    ] as const)
      await page.route(`**/venue_a/${name}`, (route) => route.fulfill({ json: body }));
    await page.goto(BTC_PAGE);
    for (const title of ['History', 'Order book', 'Newest trades', 'Daily row'])
      await panelOf(page, title, 'empty').waitFor();
    for (const [title, seconds] of [
      ['Order book', 5],
      ['Newest trades', 10],
    ] as const)
      await panelOf(page, title, 'empty').getByText(`Read every ${seconds} seconds`).waitFor();
    await expectAccessible(other);
    const error = { code: 'upstream_unavailable', message: 'it failed', requestId: 'request-1' };
    await page.route('**/coins/BTC/orderbook?*', (route) => route.fulfill({ status: 500, json: { error } }));
    await page.goto(BTC_PAGE);
    await panelOf(page, 'Order book', 'error').locator('[data-request-id="request-1"]').waitFor();
    expect(other.faults).toEqual([]);
    await other.close();
  });
}
