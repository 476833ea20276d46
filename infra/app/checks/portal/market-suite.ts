/** Compares the page of a market of each family with what REST returns, in Chromium, and moves its charts. */
import type { Page, Response } from 'playwright-core';
import { beforeAll, expect, it, vi } from 'vitest';
import { eventually, get, type Service, TEST_TOKEN } from '../e2e/service.ts';
import {
  create,
  expectAccessible,
  type Fields,
  onJson,
  openPage,
  type Portal,
  panelOf,
  rowsOf,
  signIn,
  violationsOf,
  type WatchedPage,
} from './browser.ts';

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

/** A market of each family: its page, the path of its REST routes, and its coin at the venue. */
const MARKETS = [
  ['perp', '/portal/markets/perp/BTC', '/v1/markets/venue_a/coins/BTC', 'BTC'],
  ['spot', '/portal/markets/spot/HYPE-USDC', '/v1/markets/venue_a/spot/pairs/HYPE-USDC', '@107'],
  ['dex', '/portal/markets/dex/orb/GOLD', '/v1/markets/venue_a/perp-dex/orb/contracts/GOLD', 'orb:GOLD'],
] as const;
const [[, BTC_PAGE]] = MARKETS;
const TRADES_LISTED = 20;
const LISTED = 10;
const MINUTE = 60_000;
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
  const figure = (name: string) => page.locator(`figure[data-chart="${name}"]`);
  const open = async (path: string) => {
    await page.goto(path);
    await page.locator('main[data-page="market"][data-state="ready"]').waitFor();
    for (const name of ['candles', 'volume', 'depth']) await figure(name).locator('canvas').waitFor();
  };
  const showTable = async (name: string) => {
    await figure(name).locator('[data-action="table"]').click();
    await page.locator(`table[data-chart-table="${name}"]`).waitFor();
  };
  const spanOf = async () => {
    const [from, to] = await Promise.all(['from', 'to'].map((end) => figure('candles').getAttribute(`data-${end}`)));
    return { from: Date.parse(from!), to: Date.parse(to!) };
  };

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
        await open(path);
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
        expect(await figure('depth').getAttribute('data-points')).toBe(String(book.bids.length + book.asks.length));

        const rows = await rowsOf(page, 'table[aria-label="Newest trades"] tbody tr');
        const shownTrades = rows.map(({ price, size, side }) => [price, size, side].join(' '));
        // Trades of one time have no order.
        expect(shownTrades.sort()).toEqual(newestTrades(route, coin).sort());

        await showTable('candles');
        await showTable('volume');
        const { from, to } = await spanOf();
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
        expect(await figure('candles').getAttribute('data-points')).toBe(String(bars.length));
      }, COMPARED_WITHIN);
      await showTable('depth');
      expect(await violationsOf(page)).toEqual([]);
      expect(watched.faults).toEqual([]);
    },
  );

  it('shows each change of the book and each trade at once, marks both as old without a connection, and reads them then', async () => {
    const other = await openPage(portal.browser, service.rest);
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
    const other = await openPage(portal.browser, service.rest);
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

  it('moves and zooms its charts by keyboard, by buttons and by mouse, and names in its address what it shows', async () => {
    await open(BTC_PAGE);
    const first = await spanOf();
    const changed = async (act: () => Promise<void>, expected: (before: Span, after: Span) => boolean) => {
      const before = await spanOf();
      await act();
      await expect.poll(async () => expected(before, await spanOf()), { timeout: 30_000 }).toBe(true);
      await page.waitForURL((url) => url.searchParams.has('from') && url.searchParams.has('to'));
    };
    const isEarlier = (before: Span, after: Span) => after.to < before.to && after.from <= before.from;
    const isLater = (before: Span, after: Span) => after.to > before.to;
    const isNarrower = (before: Span, after: Span) => after.to - after.from < before.to - before.from;
    const isWider = (before: Span, after: Span) => after.to - after.from > before.to - before.from;
    const newest = async (act: () => Promise<void>) => {
      await act();
      await page.waitForURL((url) => !url.searchParams.has('from'));
      await expect.poll(async () => (await spanOf()).to, { timeout: 30_000 }).toBeGreaterThanOrEqual(first.to);
    };
    await changed(() => page.keyboard.press('+'), isNarrower);
    await changed(() => page.keyboard.press('ArrowLeft'), isEarlier);
    await changed(() => page.keyboard.press('ArrowRight'), isLater);
    await changed(() => page.keyboard.press('-'), isWider);
    await newest(() => page.keyboard.press('0'));
    const button = (action: string) => page.locator(`[data-action="${action}"]`);
    await changed(() => button('zoom-in').click(), isNarrower);
    await changed(() => button('earlier').click(), isEarlier);
    await changed(() => button('later').click(), isLater);
    await changed(() => button('zoom-out').click(), isWider);
    await newest(() => button('newest').click());
    const { x, y, width, height } = (await figure('candles').locator('.u-over').boundingBox())!;
    const middle = [x + width / 2, y + height / 2] as const;
    await page.mouse.move(...middle);
    await changed(() => page.mouse.wheel(0, -400), isNarrower);
    await changed(() => page.mouse.wheel(0, 200), isWider);
    await changed(async () => {
      await page.mouse.down();
      await page.mouse.move(middle[0] + width / 4, middle[1], { steps: 4 });
      await page.mouse.up();
    }, isEarlier);
    /** True once the bars of all that the address names are shown. */
    const isWhole = async () => {
      const { searchParams } = new URL(page.url());
      const from = Math.ceil(Date.parse(searchParams.get('from')!) / MINUTE) * MINUTE;
      return (await spanOf()).from === from;
    };
    await expect.poll(isWhole, { timeout: 30_000 }).toBe(true);
    const shown = await spanOf();
    await page.reload();
    await expect.poll(spanOf, { timeout: 30_000 }).toEqual(shown);
    await page.locator('select[name="range"]').selectOption({ label: '12 hours' });
    await page.waitForURL((url) => url.searchParams.get('range') === '12h' && !url.searchParams.has('from'));
    expect(watched.faults).toEqual([]);
  });

  it('moves its charts with one finger and zooms them with two', async () => {
    await open(BTC_PAGE);
    const touch = await watched.context.newCDPSession(page);
    await touch.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 2 });
    await figure('candles').scrollIntoViewIfNeeded();
    const { x, y, width, height } = (await figure('candles').locator('.u-over').boundingBox())!;
    /** Moves fingers from places to places, as parts of the width of the plot. */
    const move = async (from: readonly number[], to: readonly number[]) => {
      const points = (places: readonly number[]) =>
        places.map((place, id) => ({ id, x: x + width * place, y: y + height / 2 }));
      await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: points(from) });
      for (const step of [0.25, 0.5, 0.75, 1]) {
        const at = from.map((place, index) => place + (to[index]! - place) * step);
        await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: points(at) });
      }
      await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    };
    const before = await spanOf();
    await move([0.3], [0.6]);
    await expect.poll(async () => (await spanOf()).to, { timeout: 30_000 }).toBeLessThan(before.to);
    const moved = await spanOf();
    await move([0.4, 0.6], [0.2, 0.8]);
    const width0 = moved.to - moved.from;
    await expect
      .poll(async () => spanOf().then(({ from, to }) => to - from), { timeout: 30_000 })
      .toBeLessThan(width0 * 0.6);
    await touch.send('Emulation.setTouchEmulationEnabled', { enabled: false });
    await touch.detach();
    expect(watched.faults).toEqual([]);
  });

  it('draws gaps as gaps, and states the source of each bar', async () => {
    const start = Math.floor(Date.now() / MINUTE) * MINUTE - 10 * MINUTE;
    const bar = (index: number, source: string | null) => {
      const ts = start + index * MINUTE;
      return { ts, open: 10, high: 14, low: 9, close: index % 2 === 0 ? 12 : 9.5, volume: 1.5, source };
    };
    const candles = [bar(0, 'venue_node'), bar(1, 'official_api'), bar(4, null), bar(5, 'external_exchange')];
    await page.route('**/coins/BTC/candles?*', (route) => route.fulfill({ json: { candles } }));
    await open(BTC_PAGE);
    for (const name of ['candles', 'volume']) {
      expect(await figure(name).getAttribute('data-points')).toBe('4');
      expect(await figure(name).getAttribute('data-gaps')).toBe('1');
    }
    expect(await figure('candles').locator('.strips li').count()).toBe(4);
    await expectAccessible(watched);
    await showTable('candles');
    const rows = await rowsOf(page, 'table[data-chart-table="candles"] tbody tr');
    expect(rows.map(({ close, source }) => [close, source])).toEqual([
      [12, 'venue_node'],
      [9.5, 'official_api'],
      [null, null],
      [12, null],
      [9.5, 'external_exchange'],
    ]);
    await page.unroute('**/coins/BTC/candles?*');
    expect(watched.faults).toEqual([]);
  });

  it('says what is missing or empty, and what to do about a fault', async () => {
    const other = await openPage(portal.browser, service.rest);
    const { page } = other;
    other.expectFaults(/40[0-9]|500/);
    // No channel adds to what is returned to this key.
    const { token } = await create(service, '/keys', { name: 'reads only', userId: 'reader', scopes: ['read'] });
    await signIn(other, token);
    await page.goto('/portal/markets/perp/NOSUCH');
    await page.locator('main[data-page="market"][data-state="missing"] [data-error-code="unknown_coin"]').waitFor();
    await expectAccessible(other);
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
    await page.route('**/coins/BTC', (route) => route.fulfill({ status: 500, json: { error } }));
    await page.goto(BTC_PAGE);
    await page.locator('main[data-page="market"][data-state="error"] [data-request-id="request-1"]').waitFor();
    await expectAccessible(other);
    await page.unroute('**/coins/BTC');
    await page.locator('[data-action="retry"]').click();
    await page.locator('main[data-page="market"][data-state="ready"]').waitFor();
    expect(other.faults).toEqual([]);
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
    const [shown] = await rowsOf(page, 'dl[data-id="BTC"]');
    const numbers = ['open', 'high', 'low', 'close', 'volume', 'amount', 'marketCap', 'tradeDate'];
    expect(part(shown!, numbers)).toEqual(part(row, numbers));
    expect(shown!.complete).toBe(row.complete ? 'complete' : 'some may be missing');
    await expectAccessible(other);
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

interface Span {
  readonly from: number;
  readonly to: number;
}
