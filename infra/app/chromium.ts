/** The Chromium that looks at the portal: for checks, benchmarks and the picture in the README. */
import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';

/** The sentence with which everything that looks at pages is skipped; null if Chromium is installed. */
export const chromiumMissing: string | null = existsSync(CHROMIUM)
  ? null
  : `needs ${CHROMIUM} (apt-get install chromium)`;

/** Starts Chromium. Its driver is a development dependency, so it is loaded only now. */
export async function launchChromium(): Promise<Browser> {
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}
