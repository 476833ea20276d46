/** Compares the page of a market of each family with what REST returns, in Chromium. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumMissing, launchChromium } from '../../chromium.ts';
import { type Service, startService, temporaryFolder } from '../e2e/service.ts';
import { BROWSER_TEST_MS, expectAccessible, openPage, signIn, type WatchedPage } from './browser.ts';

if (chromiumMissing !== null) console.log(`the page of a market is not looked at: ${chromiumMissing}`);

describe.skipIf(chromiumMissing !== null)('the page of a market in Chromium', () => {
  const folder = temporaryFolder('parallax-market');
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

  it.each(['perp', 'spot', 'dex'])(
    'opens from its name at the tab %s and is accessible',
    async (tab) => {
      const { page } = watched;
      await page.goto(`/portal/markets?tab=${tab}`);
      await page.locator('tbody [data-action="open"]').first().click();
      await page.locator('main[data-page="market"][data-state="ready"]').waitFor();
      await page.locator('[data-field="dayBaseVlm"], [data-field="dayBaseVolume"]').first().waitFor();
      await page.keyboard.press('.');
      await expectAccessible(watched);
      expect(watched.faults).toEqual([]);
    },
    BROWSER_TEST_MS,
  );
});
