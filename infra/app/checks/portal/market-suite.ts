/** Compares the page of a market of each family with what REST returns, in Chromium, and moves its charts. */
import type { Page, Response } from 'playwright-core';
import { beforeAll, expect, it, vi } from 'vitest';
import { eventually, get, type Service, TEST_TOKEN } from '../e2e/service.ts';
import {
  create,
  expectNoSidewaysScroll,
  type Fields,
  onJson,
  openPage,
  openTab,
  type Portal,
  panelOf,
  rowsOf,
  signIn,
  violationsOf,
  type WatchedPage,
} from './browser.ts';
import { BTC_PAGE, figureOf, MARKETS, openMarket, shownSpan, showTable } from './market-page.ts';

interface Book {
  readonly bids: readonly Fields[];
  readonly asks: readonly Fields[];
}

interface RestBook extends Book {
  readonly ts: number;
}
interface EventFrame {
  readonly type: string;
  readonly channel: string;
  readonly data: { readonly marketId: string | null; readonly payload: unknown };
}
/** What the channel of a book sends. */
interface SentBook {
  readonly time: number;
  readonly levels: readonly (readonly { readonly px: string; readonly sz: string }[])[];
}
/** What a channel of trades sends. */
interface SentTrade {
  readonly ts: string;
  readonly side: string;
  readonly price: number;
  readonly qty: number;
  readonly txHash: string | null;
}

const TRADES_LISTED = 20;
const LISTED = 10;
/** The page is compared again if a newer response came before it was paused; wrong figures never become equal. */
const COMPARED_WITHIN = { timeout: 120_000, interval: 200 };
/** The day of which the data set of the sandbox has daily rows. */
const SANDBOX_DAY = '2026-01-14';

const part = (row: Fields, fields: readonly string[]) => Object.fromEntries(fields.map((field) => [field, row[field]]));

export function marketSuite(portal: Portal): void {
  let service: Service;
  let watched: WatchedPage;
  let page: Page;
  /** The newest response to the page by its path. */
  const responses = new Map<string, unknown>();
  /** The events that channels sent to the page. */
  const sent: EventFrame[] = [];

  beforeAll(async () => {
    ({ service, watched } = portal);
    ({ page } = watched);
    await eventually(
      () => Promise.all(MARKETS.map(([, , path]) => statusOf(path))),
      (statuses) => statuses.every((status) => status === 200),
      60_000,
    );
    noteEvents(page, sent);
    const pathOf = (response: Response) => new URL(response.url()).pathname;
    onJson(
      page,
      (response) => response.ok() && pathOf(response).startsWith('/v1/markets/'),
      (body, response) => responses.set(pathOf(response), body),
    );
  });

  const statusOf = async (path: string) =>
    (await fetch(`${service.rest}${path}`, { headers: { authorization: `Bearer ${TEST_TOKEN}` } })).status;
  /** The newest book of what REST returned and what the channel sent. */
  const newestBook = (route: string, coin: string): Book => {
    let newest = responses.get(`${route}/orderbook`) as RestBook;
    for (const { channel, data } of sent) {
      const { time, levels } = data.payload as SentBook;
      if (channel !== `svc:stream:venue_a_perp:${coin}` || time <= newest.ts) continue;
      const [bids, asks] = levels.map((side) => side.map(({ px, sz }) => ({ price: Number(px), size: Number(sz) })));
      newest = { bids: bids!, asks: asks!, ts: time };
    }
    return newest;
  };

  /** The newest trades of what REST returned and what the channel sent, each as text. */
  const newestTrades = (route: string, coin: string): string[] => {
    const textOf = ({ price, size, side }: Fields) => [price, size, side].join(' ');
    const { trades } = responses.get(`${route}/trades`) as { trades: Fields[] };
    const returned = new Set(trades.map(({ ts, txHash }) => `${ts} ${txHash}`));
    const others = sent
      .filter(({ channel, data }) => channel.startsWith('svc:stream:trade:') && data.marketId === coin)
      .map(({ data }) => data.payload as SentTrade)
      .map(({ qty, ts, ...trade }): Fields => ({ ...trade, size: qty, ts: Date.parse(ts) }))
      .filter(({ ts, txHash }) => !returned.has(`${ts} ${txHash}`));
    return [...others.reverse(), ...trades]
      .sort((a, b) => Number(b.ts) - Number(a.ts))
      .slice(0, TRADES_LISTED)
      .map(textOf);
  };

  it.each(MARKETS)(
    'shows the numbers of REST and of the channels of a market of the family %s',
    async (_family, path, route, coin) => {
      await vi.waitFor(async () => {
        responses.clear();
        sent.length = 0;
        await openMarket(page, path);
        await page.locator('table[aria-label="Newest trades"] tbody tr').first().waitFor();
        await page.locator('table[aria-label="Bids"] tr[data-seq]').first().waitFor();
        await page.keyboard.press('.');
        await page.locator('[data-connection]', { hasText: 'Paused since' }).waitFor();
        const figures = responses.get(route) as Fields;
        const [shown] = await rowsOf(page, 'section[aria-label="Figures"]');
        const numbers = Object.keys(figures).filter((field) => !['coin', 'pair', 'symbol'].includes(field));
        expect(numbers.length).toBeGreaterThan(5);
        expect(part(shown!, numbers)).toEqual(part(figures, numbers));

        const book = newestBook(route, coin);
        for (const [side, label] of [
          ['bids', 'Bids'],
          ['asks', 'Asks'],
        ] as const) {
          const rows = await rowsOf(page, `table[aria-label="${label}"] tbody tr`);
          expect(rows.map(({ price, size }) => ({ price, size }))).toEqual(book[side].slice(0, LISTED));
        }
        expect(await figureOf(page, 'depth').getAttribute('data-points')).toBe(
          String(book.bids.length + book.asks.length),
        );

        const rows = await rowsOf(page, 'table[aria-label="Newest trades"] tbody tr');
        const shownTrades = rows.map(({ price, size, side }) => [price, size, side].join(' '));
        // Trades of one time have no order.
        expect(shownTrades.sort()).toEqual(newestTrades(route, coin).sort());

        await showTable(page, 'candles');
        await showTable(page, 'volume');
        const { from, to } = await shownSpan(page);
        const { candles } = responses.get(`${route}/candles`) as { candles: Fields[] };
        const bars = candles.filter(({ ts }) => Number(ts) >= from && Number(ts) <= to);
        expect(bars.length).toBeGreaterThan(10);
        const drawn = (await rowsOf(page, 'table[data-chart-table="candles"] tbody tr')).filter(
          (row) => row.close !== null,
        );
        const volumes = await rowsOf(page, 'table[data-chart-table="volume"] tbody tr');
        const volumeAt = new Map(volumes.map(({ ts, volume }) => [ts, volume]));
        const fields = Object.keys(bars[0]!);
        expect(drawn.map((row) => part({ ...row, volume: volumeAt.get(row.ts!)! }, fields))).toEqual(bars);
        expect(await figureOf(page, 'candles').getAttribute('data-points')).toBe(String(bars.length));
      }, COMPARED_WITHIN);
      await showTable(page, 'depth');
      expect(await violationsOf(page)).toEqual([]);
      expect(watched.faults).toEqual([]);
    },
  );

  it('shows each change of the book and each trade at once, marks both as old without a connection, and reads them then', async () => {
    const other = await openTab(portal.context, service.rest);
    const { page } = other;
    for (const each of [watched, other]) each.expectFaults(/WebSocket connection to .* failed/);
    const sent: EventFrame[] = [];
    const requested: string[] = [];
    noteEvents(page, sent);
    page.on('request', (request) => requested.push(new URL(request.url()).pathname));
    await signIn(other, TEST_TOKEN, BTC_PAGE);
    const [book, trades] = [panelOf(page, 'Order book', 'ready'), panelOf(page, 'Newest trades', 'ready')];
    await book.locator('[data-field="state"]', { hasText: 'live' }).waitFor();
    await book.locator('[data-field="arrival"]', { hasText: 'Each change is shown at once.' }).waitFor();
    await trades.locator('[data-field="arrival"]', { hasText: 'Each trade is shown at once.' }).waitFor();
    await trades.locator('tr[data-seq]').first().waitFor();
    // Several books arrive, and none of them is read.
    const ofBook = ({ channel }: EventFrame) => channel === 'svc:stream:venue_a_perp:BTC';
    const readsOfBook = () => requested.filter((path) => path.endsWith('/orderbook')).length;
    const before = readsOfBook();
    sent.length = 0;
    await expect.poll(() => sent.filter(ofBook).length, { timeout: 60_000 }).toBeGreaterThanOrEqual(3);
    expect(readsOfBook() - before).toBeLessThanOrEqual(1);
    portal.proxy.cut();
    try {
      await page.locator('table[aria-label="Bids"] td[data-field="price"][data-stale]').first().waitFor();
      await page.locator('table[aria-label="Newest trades"] td[data-field="price"][data-stale]').first().waitFor();
      await page.locator('[data-banner="offline"]').waitFor();
      await book.locator('[data-field="age"]', { hasText: 'as of' }).waitFor();
      await book.locator('[data-field="arrival"]', { hasText: 'Read every 5 seconds' }).waitFor();
      const cutAt = readsOfBook();
      await expect.poll(readsOfBook, { timeout: 60_000 }).toBeGreaterThan(cutAt);
      expect(await violationsOf(page)).toEqual([]);
    } finally {
      portal.proxy.restore();
    }
    await page.locator('[data-connection="live"]').waitFor();
    await page.locator('table[aria-label="Bids"] td[data-field="price"]:not([data-stale])').first().waitFor();
    await book.locator('[data-field="arrival"]', { hasText: 'Each change is shown at once.' }).waitFor();
    await page.keyboard.press('.');
    await book.locator('[data-field="arrival"]', { hasText: 'Paused' }).waitFor();
    await page.locator('table[aria-label="Bids"] td[data-field="price"][data-stale]').first().waitFor();
    expect(other.faults).toEqual([]);
    await other.close();
  });

  it('marks the book as old while the venue sends nothing, although the connection is there', async () => {
    const other = await openTab(portal.context, service.rest);
    const { page } = other;
    let reportStale = () => {};
    await page.routeWebSocket(/\/v1\/stream/, (socket) => {
      const server = socket.connectToServer();
      server.onMessage((message) => {
        socket.send(message);
        const { type, channel, subscription_id } = JSON.parse(String(message)) as Record<string, string>;
        if (type !== 'subscribed' || channel !== 'svc:stream:venue_a_perp:BTC') return;
        reportStale = () =>
          socket.send(JSON.stringify({ type: 'status', subscription_id, state: 'stale', since: Date.now() }));
      });
    });
    await signIn(other, TEST_TOKEN, BTC_PAGE);
    const book = panelOf(page, 'Order book', 'ready');
    await book.locator('[data-field="state"]', { hasText: 'live' }).waitFor();
    reportStale();
    await book.locator('[data-field="state"]', { hasText: 'stale' }).waitFor();
    await book.locator('td[data-field="price"][data-stale]').first().waitFor();
    expect(await book.locator('td[data-field="price"]:not([data-stale])').count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
    await other.close();
  });

  it('shows the daily row of the chosen day as REST returns it, and says so where there is none', async () => {
    const { token } = await create(service, '/keys', {
      name: 'sandbox',
      userId: 'tester',
      scopes: ['read'],
      sandbox: true,
    });
    const { snapshots } = await get<{ snapshots: Fields[] }>(
      { rest: service.rest, token: token! },
      `/v1/markets/venue_a/daily?date=${SANDBOX_DAY}&market=perp`,
    );
    const row = snapshots.find(({ symbol }) => symbol === 'BTC')!;
    const other = await openPage(portal.browser, service.rest);
    const { page } = other;
    await signIn(other, token);
    await page.goto(`${BTC_PAGE}?day=${SANDBOX_DAY}`);
    await page.locator('dl[data-id="BTC"]').waitFor();
    await page.locator('[data-banner="sandbox"]').waitFor();
    const [shown] = await rowsOf(page, 'dl[data-id="BTC"]');
    const numbers = ['open', 'high', 'low', 'close', 'volume', 'amount', 'marketCap', 'tradeDate'];
    expect(part(shown!, numbers)).toEqual(part(row, numbers));
    expect(shown!.complete).toBe(row.complete ? 'complete' : 'some may be missing');
    await expectNoSidewaysScroll(page);
    expect(await violationsOf(page)).toEqual([]);
    await page.locator('input[name="day"]').fill('2026-01-10');
    await panelOf(page, 'Daily row', 'empty').getByText('BTC has no row for 2026-01-10').waitFor();
    expect(new URL(page.url()).searchParams.get('day')).toBe('2026-01-10');
    expect(other.faults).toEqual([]);
    await other.close();
  });
}

/** Notes the events that channels send to a page from now on. */
function noteEvents(page: Page, sent: EventFrame[]): void {
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      const frame = JSON.parse(String(payload)) as EventFrame;
      if (frame.type === 'event') sent.push(frame);
    }),
  );
}
