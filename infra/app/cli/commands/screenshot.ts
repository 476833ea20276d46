import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { closeInReverse } from '../../../runtime/closing.ts';
import { startService } from '../../bench/service/start-service.ts';
import { chromiumMissing, launchChromium } from '../../chromium.ts';
import { openSignedIn, type PortalService } from '../../signed-in-browser.ts';
import type { Command } from '../command.ts';

const FILE = join('docs', 'portal.png');
/** High enough for the whole navigation. */
const SIZE = { width: 1200, height: 760 };
const BYTES_MAX = 200_000;
/** The matcher needs the venues' markets before there are edges and anomalies. */
const TIMEOUT_MS = 120_000;
/** The overview with a live socket, an edge above its fees, and a row in its spreads. */
const LIVE_OVERVIEW = ['[data-connection="live"]', 'td[data-field="netEdge"] .up', 'td[data-field="spread"]'];

/** Takes the picture of the portal for the README, of a service with simulated venues. Runs from the project's root. */
export const screenshot: Command = {
  async run() {
    if (chromiumMissing !== null) {
      console.error(`the screenshot ${chromiumMissing}`);
      return 1;
    }
    const closers: (() => Promise<void>)[] = [];
    try {
      const folder = await mkdtemp(join(tmpdir(), 'parallax-screenshot-'));
      closers.push(() => rm(folder, { recursive: true, force: true }));
      const service = await startService({ dataDir: folder, sourceFlags: ['--venues', 'sim'] });
      closers.push(() => service.stop());
      const browser = await launchChromium();
      closers.push(() => browser.close());
      const bytes = await pictureOfOverview(browser, service);
      if (bytes.length > BYTES_MAX) throw new Error(`the picture has ${bytes.length} bytes, more than ${BYTES_MAX}`);
      await writeFile(FILE, bytes);
      console.log(`${FILE}: ${bytes.length} bytes`);
      return 0;
    } finally {
      await closeInReverse(closers);
    }
  },
};

/** Opens the overview signed in, and waits for live numbers. */
async function pictureOfOverview(browser: Browser, service: PortalService): Promise<Buffer> {
  const page = await openSignedIn(browser, service, { viewport: SIZE, colorScheme: 'light' });
  page.setDefaultTimeout(TIMEOUT_MS);
  await page.goto('/portal/');
  for (const selector of LIVE_OVERVIEW) await page.locator(selector).first().waitFor();
  const last = await page.locator('[data-action="sign-out"]').boundingBox();
  if (last === null || last.y + last.height > SIZE.height) throw new Error('the picture would cut the navigation off');
  return page.screenshot({ animations: 'disabled' });
}
