/** Compares the lists of markets in the portal with what REST returns, in Chromium. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumMissing, launchChromium } from '../../chromium.ts';
import { type Service, startService, temporaryFolder } from '../e2e/service.ts';
import { expectAccessible, openPage, signIn, type WatchedPage } from './browser.ts';

type Row = Record<string, string | number | null>;

if (chromiumMissing !== null) console.log(`the markets are not looked at: ${chromiumMissing}`);

describe.skipIf(chromiumMissing !== null)('the markets in Chromium', () => {
  const folder = temporaryFolder('parallax-markets');
  let service: Service;
  let browser: Browser;
  let watched: WatchedPage;

  beforeAll(async () => {
    service = await startService({ dataDir: folder.path, flags: ['--sim-rate', '20'] });
    browser = await launchChromium();
    watched = await openPage(browser, service.rest);
    await signIn(watched);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    folder.remove();
  });

  it.each([
    ['perp', '/v1/markets/venue_a/coins', 'coins', 'name'],
    ['spot', '/v1/markets/venue_a/spot/pairs', 'pairs', 'name'],
    ['dex', '/contracts', 'contracts', 'upstreamCoin'],
  ])('are listed at the tab %s as REST lists them, and found by a part of a name', async (tab, path, plural, id) => {
    const { page } = watched;
    const answered = page.waitForResponse((response) => new URL(response.url()).pathname.endsWith(path));
    await page.goto(`/portal/markets?tab=${tab}`);
    const rows = ((await (await answered).json()) as Record<string, Row[]>)[plural]!;
    expect(rows.length).toBeGreaterThan(0);
    await page.locator('main[data-page="markets"][data-state="ready"]').waitFor();
    expect(await page.locator(`[data-action="tab-${tab}"]`).getAttribute('aria-current')).toBe('page');
    expect(await page.locator('tbody tr').count()).toBe(rows.length);
    for (const row of rows)
      for (const [field, value] of Object.entries(row)) {
        const cell = page.locator(`tr[data-id="${row[id]}"] [data-field="${field}"]`);
        if (typeof value === 'string') expect(await cell.textContent()).toBe(value);
        else if (value === null) expect(await cell.textContent()).toContain('–');
        else expect(await cell.locator('[data-value]').getAttribute('data-value')).toBe(String(value));
      }
    await expectAccessible(watched);
    const last = String(rows.at(-1)![id]);
    await page.locator('input[name="q"]').fill(last.toLowerCase());
    await page.locator(`tr[data-id="${last}"]`).waitFor();
    const found = rows.filter((row) => String(row[id]).toLowerCase().includes(last.toLowerCase()));
    expect(await page.locator('tbody tr').count()).toBe(found.length);
    await page.locator('input[name="q"]').fill('no such market');
    await page.locator('main[data-page="markets"][data-state="empty"]').waitFor();
    await expectAccessible(watched);
    expect(watched.faults).toEqual([]);
  });

  it('are opened by the keys g and m, and another tab by its link', async () => {
    const { page } = watched;
    await page.goto('/portal/');
    await page.locator('main[data-page="overview"]').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    await page.locator('main[data-page="markets"][data-state="ready"] [data-field="sizeDecimals"]').first().waitFor();
    await page.locator('[data-action="tab-spot"]').click();
    await page.locator('main[data-page="markets"][data-state="ready"] [data-field="baseToken"]').first().waitFor();
    expect(new URL(page.url()).searchParams.get('tab')).toBe('spot');
    await page.locator('nav [data-action="tab-perp"]').press('Enter');
    await page.locator('main[data-page="markets"][data-state="ready"] [data-field="sizeDecimals"]').first().waitFor();
    expect(watched.faults).toEqual([]);
  });
});
