/**
 * Time until pages of the portal show their content in Chromium, and what the board of events costs while it is open
 * with 200 rows and 100 updates a second. The service runs in a process of its own at 200 events a second, on loopback.
 * Every declared page is opened. Every load has a browser context of its own, so nothing is cached, and is signed in by
 * its cookie already. The overview counts as loaded once its socket is live and it shows the net edge of an event,
 * another page once neither it nor a part of it is loading.
 *
 * For the board, rows of the service are repeated until there are 200, and a stream of the benchmark changes those that
 * are visible. `PARALLAX_BENCH_SECONDS=600` watches it for ten minutes.
 *
 * Sources of error: a service without edges yet (the overview is opened once before the measurement, until it has
 * some); the start of Chromium and its first page (the same); garbage that is not collected yet (it is collected before
 * each reading of the heap).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { PAGES } from '#query-api/portal/pages';
import { closeInReverse } from '../../../runtime/closing.ts';
import { timeLimit } from '../../../runtime/time-limit.ts';
import { chromiumMissing, launchChromium } from '../../chromium.ts';
import { openSignedIn } from '../../signed-in-browser.ts';
import { type StreamProxy, startStreamProxy } from '../../stream-proxy.ts';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { benchSeconds } from '../bench-seconds.ts';
import { startBoardUpdates, type UpdatedRow } from '../service/board-updates.ts';
import { RESPONSE_TIMEOUT_MS, readJson, type StartedService, startService } from '../service/start-service.ts';
import { median } from '../statistics.ts';

const RATE = 200;
const LOADS = 5;
/** The board of events stays open this long. */
const SECONDS = 120;
const ROWS = 200;
const UPDATES_PER_SECOND = 100;
/** With fewer of the wanted updates, nothing is measured. */
const UPDATES_SHARE_MIN = 0.95;
const FIRST_EDGES_TIMEOUT_MS = 120_000;
const BYTES_PER_MIB = 2 ** 20;
const LOADS_LIMIT_SECONDS = 480;

/** An account of the simulator, which trades on both venues. */
const ACCOUNT = '0x7344010cfd567c8752d7660fcf8601b27e1144cd';
/** Nobody listens here, so that deliveries fail at once. */
const ENDPOINT = 'http://127.0.0.1:1024/hook';
const DELIVERY_TIMEOUT_MS = 30_000;

/** A page, and its name in `data-page`. */
interface BenchPage {
  readonly name: string;
  readonly path: string;
}

/** Every declared page; the first of these is the overview. Throws for a parameter of a path without a value. */
export function pagesOf(values: Readonly<Record<string, Readonly<Record<string, string>>>>): BenchPage[] {
  return PAGES.map(({ name, path: pattern }) => {
    const path = pattern.replaceAll(/:(\w+)/g, (_, parameter: string) => {
      const value = values[name]?.[parameter];
      if (value === undefined) throw new RangeError(`no value for ${parameter} of ${pattern}`);
      return encodeURIComponent(value);
    });
    return { name, path };
  });
}

/** Creates what pages with parameters show: a bound wallet, a webhook and a delivery of it. Returns the parameters. */
async function createContent(service: StartedService) {
  const { rows } = await readJson<{ rows: UpdatedRow[] }>(service, '/v1/events/board?sort=edge&limit=1');
  const wallet = await post<{ id: string }>(service, '/v1/me/wallets', {
    provider: 'venue_b',
    address: ACCOUNT,
    label: 'Bench',
  });
  const subscriptions = [{ eventType: 'event.arbitrage.detected', version: 1 }];
  const webhook = await post<{ id: string }>(service, '/v1/webhooks', { url: ENDPOINT, subscriptions });
  const { deliveryId } = await post<{ deliveryId: string }>(service, `/v1/webhooks/${webhook.id}/test`, {});
  const deadline = performance.now() + DELIVERY_TIMEOUT_MS;
  const list = `/v1/webhooks/${webhook.id}/deliveries`;
  while ((await readJson<{ deliveries: unknown[] }>(service, list)).deliveries.length === 0) {
    if (performance.now() > deadline)
      throw new Error(`the test of a webhook was not sent in ${DELIVERY_TIMEOUT_MS} ms`);
    await sleep(100);
  }
  return {
    event: { universalId: rows[0]!.universalId },
    market: { coin: 'BTC', pair: 'HYPE-USDC', dex: 'orb', symbol: 'GOLD' },
    wallet,
    webhook,
    delivery: { id: webhook.id, deliveryId },
  };
}

async function post<T>({ restUrl, headers }: StartedService, path: string, body: object): Promise<T> {
  const response = await fetch(`${restUrl}${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: timeLimit(RESPONSE_TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

const seconds = benchSeconds(SECONDS);

export const portal: Bench = {
  aims: {
    'portal-load': { valueMaxMs: 1_000 },
    'portal-page-load': { valueMaxMs: 1_500 },
    'portal-long-tasks': { valueMax: 5 },
    'portal-heap-growth': { valueMax: 10 },
  },
  limitMs: (LOADS_LIMIT_SECONDS + seconds) * 1_000,
  async run({ folder, onProgress }: BenchContext): Promise<BenchResult[]> {
    if (chromiumMissing !== null) {
      console.error(`the benchmarks of the portal are skipped: each ${chromiumMissing}`);
      return [];
    }
    const closers: (() => Promise<void>)[] = [];
    try {
      const proxy = await startStreamProxy();
      closers.push(() => proxy.close());
      const service = await startService({
        dataDir: folder,
        sourceFlags: ['--venues', 'sim', '--sim-rate', String(RATE)],
        env: { PARALLAX_STREAM_URL: proxy.url, PARALLAX_WEBHOOK_ALLOW_LOOPBACK: 'on' },
      });
      closers.push(() => service.stop());
      proxy.forwardTo(service.streamUrl);
      const browser = await launchChromium();
      closers.push(() => browser.close());
      await loadMs(browser, service, { name: 'overview', path: '/' }, FIRST_EDGES_TIMEOUT_MS);
      const pages = pagesOf(await createContent(service));
      const loads = new Map<string, number[]>();
      for (const page of pages) {
        const times: number[] = [];
        while (times.length < LOADS) times.push(await loadMs(browser, service, page));
        loads.set(page.path, times);
        onProgress((loads.size / pages.length) * 0.3);
      }
      const board = await watchBoard(browser, service, proxy);
      return resultsOf(loads, board);
    } finally {
      await closeInReverse(closers);
    }
  },
};

/** What an open board of events cost. */
export interface BoardCost {
  readonly longTasksMs: number;
  readonly watchedMs: number;
  readonly heapBytesBefore: number;
  readonly heapBytesAfter: number;
}

/** @param loads milliseconds of each load by path. */
export function resultsOf(loads: ReadonlyMap<string, readonly number[]>, board: BoardCost): BenchResult[] {
  const medians = [...loads].map(([path, times]) => ({ path, ms: median(times) }));
  const overview = medians.find(({ path }) => path === '/');
  const others = medians.filter(({ path }) => path !== '/').map(({ ms }) => ms);
  if (overview === undefined || others.length === 0) throw new RangeError('no load of the overview or of another page');
  const growth = (board.heapBytesAfter - board.heapBytesBefore) / BYTES_PER_MIB;
  const none = { baseline: null, ratio: null };
  return [
    { name: 'portal-load', value: overview.ms, unit: 'ms', ...none },
    { name: 'portal-page-load', value: Math.max(...others), unit: 'ms', ...none },
    { name: 'portal-long-tasks', value: (100 * board.longTasksMs) / board.watchedMs, unit: '%', ...none },
    { name: 'portal-heap-growth', value: growth, unit: 'MiB', ...none },
  ];
}

/** Opens a page in a fresh context. Returns the milliseconds from navigation until it shows its content. */
async function loadMs(
  browser: Browser,
  service: StartedService,
  { name, path }: BenchPage,
  timeoutMs?: number,
): Promise<number> {
  const page = await openSignedIn(browser, service);
  if (timeoutMs !== undefined) page.setDefaultTimeout(timeoutMs);
  try {
    const startedAt = performance.now();
    await page.goto(`/portal${path}`, { waitUntil: 'commit' });
    if (path === '/') {
      await page.locator('[data-connection="live"]').waitFor();
      await page.locator('td[data-field="netEdge"]').first().waitFor();
    } else await settled(page, name);
    return performance.now() - startedAt;
  } finally {
    await page.context().close();
  }
}

/** Waits until neither the page nor a part of it is loading. */
const settled = (page: Page, name: string) =>
  page.locator(`main[data-page="${name}"]:not([data-state="loading"]):not(:has(.skeleton))`).waitFor();

/** Sums long tasks, and reads the heap at the beginning and the end. */
async function watchBoard(browser: Browser, service: StartedService, proxy: StreamProxy): Promise<BoardCost> {
  const board = await readJson<{ rows: UpdatedRow[] }>(service, '/v1/events/board?limit=20');
  const updates = await startBoardUpdates(repeated(board.rows), UPDATES_PER_SECOND);
  const page = await openSignedIn(browser, service);
  try {
    proxy.forwardTo(updates.url);
    await page.route('**/v1/events/board?*', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { rows: UpdatedRow[] };
      await route.fulfill({ response, json: { ...body, rows: repeated(body.rows) } });
    });
    await page.goto('/portal/events');
    await page
      .locator('tr[data-id]')
      .nth(ROWS - 1)
      .waitFor();
    await page.locator('tr[data-seq]').first().waitFor();
    const inspector = await page.context().newCDPSession(page);
    const heapBytes = async () => {
      await inspector.send('HeapProfiler.collectGarbage');
      return (await inspector.send('Runtime.getHeapUsage')).usedSize;
    };
    const heapBytesBefore = await heapBytes();
    await page.evaluate(
      `window.longTasksMs = 0;
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) window.longTasksMs += duration;
      }).observe({ type: 'longtask' });`,
    );
    const [startedAt, sentBefore] = [performance.now(), updates.sent];
    await sleep(seconds * 1_000);
    const longTasksMs = await page.evaluate<number>('window.longTasksMs');
    const watchedMs = performance.now() - startedAt;
    const wanted = (UPDATES_PER_SECOND * watchedMs) / 1_000;
    const sent = updates.sent - sentBefore;
    if (sent < wanted * UPDATES_SHARE_MIN) throw new Error(`${sent} of ${Math.round(wanted)} updates were sent`);
    return { longTasksMs, watchedMs, heapBytesBefore, heapBytesAfter: await heapBytes() };
  } finally {
    await page.context().close();
    await updates.close();
  }
}

/** As many rows as are shown, made of these, each with an id of its own. */
function repeated(rows: readonly UpdatedRow[]): UpdatedRow[] {
  if (rows.length === 0) throw new RangeError('the board has no rows');
  return Array.from({ length: ROWS }, (_, at) => ({
    ...rows[at % rows.length]!,
    universalId: `evt_${String(at).padStart(24, '0')}`,
  }));
}
