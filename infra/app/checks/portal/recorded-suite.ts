/** Compares pages of the portal with REST while the service plays a recording, in Chromium. */
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Board, Edges } from '#query-api/portal/pages/event/live';
import type { Spread } from '#query-api/portal/pages/event/shapes';
import { writeSimulatedRecording } from '../../simulator/recording/write-simulated-recording.ts';
import { eventually, get, getHealth, type Service, startService, temporaryFolder, untilIdle } from '../e2e/service.ts';
import {
  expectNoSidewaysScroll,
  type Fields,
  openPage,
  type Portal,
  rowsOf,
  signIn,
  type WatchedPage,
} from './browser.ts';
import { boardFigures, eventFigures, shownBoard, shownEvent } from './event-figures.ts';
import { HOSTILE_STRINGS } from './hostile-strings.ts';

/** Two minutes with a few markets, which both venues quote. */
const RECORDED = { seed: 1, rate: 20, events: 6, coins: 4, traders: 0, hours: 1 / 30, gzip: false } as const;
const BEGINS_MS = Date.UTC(2026, 0, 15, 12, 10);
const PLAYED_WITHIN_MS = 60_000;

/** Of a title, so much is the name of an event. */
const NAME_MAX = 200;

const BTC = '/v1/markets/venue_a/coins/BTC';

export function recordedSuite(portal: Portal): void {
  const folder = temporaryFolder('parallax-recorded');
  let service: Service;
  let watched: WatchedPage;

  beforeAll(async () => {
    const out = join(folder.path, 'recording');
    await writeSimulatedRecording({ ...RECORDED, startMs: BEGINS_MS, out });
    await addMarkets(join(out, 'venue_b.gamma.ndjson'), HOSTILE_STRINGS);
    const flags = ['--venues', `recording:${out}`];
    service = await startService({ dataDir: join(folder.path, 'data'), flags });
    await eventually(
      () => getHealth(service) as Promise<{ readonly playback?: string }>,
      ({ playback }) => playback === 'ended',
      PLAYED_WITHIN_MS,
    );
    // From now on no figure changes.
    await untilIdle(service);
    watched = await openPage(portal.browser, service.rest);
    await signIn(watched, undefined, '/portal/events');
    await watched.page.locator('[data-banner="recording"]').waitFor();
  });
  afterAll(async () => {
    await watched?.close();
    await service?.stop();
    folder.remove();
  });

  it('equal what REST returns on every row of the board', async () => {
    const { rows } = await get<Board>(service, '/v1/events/board?sort=edge&status=open&limit=100');
    expect(rows.filter(({ spread, edges }) => spread !== null && edges.length > 0).length).toBeGreaterThan(2);
    expect(await shownBoard(watched.page, rows.length + 1)).toEqual(rows.map((row) => boardFigures(row, row.edges)));
  });

  it('equal it on the page of an event', async () => {
    const { page } = watched;
    const { rows } = await get<Board>(service, '/v1/events/board?sort=edge&limit=1');
    const route = `/v1/events/${rows[0]!.universalId}`;
    const spread = await get<Spread>(service, `${route}/spread`);
    const { records } = await get<Edges>(service, `${route}/arbitrage`);
    expect([spread.legs.length, records.length]).toEqual([2, 2]);
    await page.locator('tr[data-id] [data-field="canonicalName"] a').first().click();
    await page.locator('section[data-id] [data-field="netEdge"]').first().waitFor();
    await page.locator('[aria-label="Prices of YES"] tbody tr').first().waitFor();
    expect(await shownEvent(page)).toEqual(eventFigures(spread, records));
    for (const chart of ['prices', 'spread'])
      await page.locator(`figure[data-chart="${chart}"]:not([data-points="0"])`).first().waitFor();
    expect(watched.faults).toEqual([]);
  });

  it('equal it on the page of a market', async () => {
    const { page } = watched;
    const [figures, book, { trades }] = await Promise.all([
      get<Fields>(service, BTC),
      get<{ bids: Fields[]; asks: Fields[] }>(service, `${BTC}/orderbook`),
      get<{ trades: Fields[] }>(service, `${BTC}/trades`),
    ]);
    await page.goto('/portal/markets/perp/BTC');
    for (const table of ['Bids', 'Asks', 'Newest trades'])
      await page.locator(`table[aria-label="${table}"] tbody tr`).first().waitFor();
    await page.locator('figure[data-chart="candles"]:not([data-points="0"])').waitFor();
    const [shown] = await rowsOf(page, 'section[aria-label="Figures"]');
    const numbers = Object.entries(figures).filter(([, value]) => typeof value === 'number');
    expect(numbers.length).toBeGreaterThan(5);
    for (const [field, value] of numbers) expect(shown![field], field).toBe(value);
    const pricesOf = (rows: readonly Fields[]) => rows.map(({ price, size }) => ({ price, size }));
    for (const [label, rows] of Object.entries({ Bids: book.bids, Asks: book.asks, 'Newest trades': trades })) {
      const listed = pricesOf(await rowsOf(page, `table[aria-label="${label}"] tbody tr`));
      expect(listed.length, label).toBeGreaterThan(4);
      expect(listed, label).toEqual(pricesOf(rows).slice(0, listed.length));
    }
    expect(watched.faults).toEqual([]);
  });

  it('have titles from outside, which are shown as text', async () => {
    const { page } = watched;
    await page.goto('/portal/events?sort=name');
    const names = page.locator('tbody [data-field="canonicalName"] a');
    await names.first().waitFor();
    const more = page.locator('main [data-action="more"]');
    while (await more.isVisible()) {
      const rows = await names.count();
      await more.click();
      await expect.poll(() => names.count()).toBeGreaterThan(rows);
    }
    const titles = HOSTILE_STRINGS.map((title) => title.slice(0, NAME_MAX));
    expect(await names.allTextContents()).toEqual(expect.arrayContaining(titles));
    await expectNoSidewaysScroll(page);
    await names
      .filter({ hasText: 'W'.repeat(NAME_MAX) })
      .first()
      .click();
    await page.locator('main[data-page="event"] h1', { hasText: 'W'.repeat(NAME_MAX) }).waitFor();
    await page.locator('article [data-field="title"]', { hasText: 'W'.repeat(NAME_MAX) }).waitFor();
    await expectNoSidewaysScroll(page);
    expect(await page.evaluate('window.hit === undefined')).toBe(true);
    expect(watched.faults).toEqual([]);
  });
}

/** Adds markets with these titles to the last response of the catalog; they have no books. */
async function addMarkets(file: string, titles: readonly string[]): Promise<void> {
  const lines = (await readFile(file, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as GammaLine);
  const list = lines.findLast(({ data }) => (data.markets?.length ?? 0) > 0)!;
  const hex = (index: number) => `0x${(index + 1).toString(16).padStart(64, '0')}`;
  const markets = titles.map((question, index) => ({
    ...list.data.markets![0],
    id: String(900_000 + index),
    question,
    // The title alone says what is asked.
    description: '',
    groupItemTitle: '',
    slug: `outside-${index}`,
    conditionId: hex(index),
    questionID: hex(index + 1_000),
    clobTokenIds: JSON.stringify([String(70_000 + 2 * index), String(70_001 + 2 * index)]),
  }));
  await appendFile(file, `${JSON.stringify({ ...list, at: lines.at(-1)!.at, data: { markets } })}\n`);
}

interface GammaLine {
  readonly at: number;
  readonly data: { readonly markets?: readonly object[] };
}
