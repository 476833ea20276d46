/** The page of a market in the portal, as its suites open it and read it. */
import type { Locator, Page } from 'playwright-core';

/** A market of each family: its page, the path of its REST routes, and its coin at the venue. */
export const MARKETS = [
  ['perp', '/portal/markets/perp/BTC', '/v1/markets/venue_a/coins/BTC', 'BTC'],
  ['spot', '/portal/markets/spot/HYPE-USDC', '/v1/markets/venue_a/spot/pairs/HYPE-USDC', '@107'],
  ['dex', '/portal/markets/dex/orb/GOLD', '/v1/markets/venue_a/perp-dex/orb/contracts/GOLD', 'orb:GOLD'],
] as const;
export const [[, BTC_PAGE]] = MARKETS;

/** A part of a history, unix ms. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export function figureOf(page: Page, name: string): Locator {
  return page.locator(`figure[data-chart="${name}"]`);
}

/** Opens the page, and waits until its charts are drawn. */
export async function openMarket(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.locator('main[data-page="market"][data-state="ready"]').waitFor();
  for (const name of ['candles', 'volume', 'depth']) await figureOf(page, name).locator('canvas').waitFor();
}

/** Shows the table behind a chart. */
export async function showTable(page: Page, name: string): Promise<void> {
  await figureOf(page, name).locator('[data-action="table"]').click();
  await page.locator(`table[data-chart-table="${name}"]`).waitFor();
}

/** The part of the history that is shown. */
export async function shownSpan(page: Page): Promise<Span> {
  const candles = figureOf(page, 'candles');
  const [from, to] = await Promise.all(['from', 'to'].map((end) => candles.getAttribute(`data-${end}`)));
  return { from: Date.parse(from!), to: Date.parse(to!) };
}
