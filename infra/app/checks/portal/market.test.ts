/** Compares the page of a market of each family with what REST returns, in Chromium. */
import { expect, it } from 'vitest';
import { describePortal, expectAccessible } from './browser.ts';

describePortal('the page of a market in Chromium', { flags: ['--sim-rate', '20'] }, (portal) => {
  it.each(['perp', 'spot', 'dex'])('opens from its name at the tab %s and is accessible', async (tab) => {
    const { watched } = portal;
    const { page } = watched;
    await page.goto(`/portal/markets?tab=${tab}`);
    await page.locator('tbody [data-action="open"]').first().click();
    await page.locator('main[data-page="market"][data-state="ready"]').waitFor();
    await page.locator('[data-field="dayBaseVlm"], [data-field="dayBaseVolume"]').first().waitFor();
    await page.keyboard.press('.');
    await expectAccessible(watched);
    expect(watched.faults).toEqual([]);
  });
});
