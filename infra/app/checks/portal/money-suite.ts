/** Binds a wallet in the portal, and compares what its pages show with what REST returns, in Chromium. */
import { expect, it, vi } from 'vitest';
import { createPopulation } from '../../simulator/world/accounts.ts';
import { eventually, get } from '../e2e/service.ts';
import { create, expectAccessible, type Fields, onJson, type Portal, rowsOf } from './browser.ts';

/** Figures are compared again if newer ones came before the page was paused; wrong ones never become equal. */
const COMPARED_WITHIN = { timeout: 120_000, interval: 200 };
const TRADE_TIMEOUT_MS = 100_000;

/** Seed of the world of every service, unless a flag gives another one. */
const SEED = 1;

/** Wallets that are bound, so that one of them soon trades again. */
const WALLETS = 30;

/** Figures of returns (`roi=true`). */
const RETURNS = ['netPnlUsd', 'netDepositsUsd', 'simpleRoiPct', 'mwrPct', 'twrPct', 'startNavUsd', 'endNavUsd'];

interface Trade {
  readonly provider: string;
  readonly maker: string | null;
  readonly taker: string | null;
}

/** A builder through which a wallet traded a token; empty for none. Its book without one may not exist. */
async function builderOf(service: Portal['service'], walletId: string, tokenId: string): Promise<string> {
  const { data } = await get<{ data: { builder: string }[] }>(service, '/v1/me/pnl?groupBy=builder');
  const books = ['', ...data.map(({ builder }) => builder)].map(async (builder) => {
    const parameters = new URLSearchParams({ walletId, tokenId, ...(builder === '' ? {} : { builder }) });
    const { events } = await get<{ events: unknown[] }>(service, `/v1/me/pnl/explain?${parameters}`);
    if (events.length === 0) throw new Error(`the book of builder ${builder} has no event`);
    return builder;
  });
  return Promise.any(books);
}

export function moneySuite(portal: Portal): void {
  it('binds a wallet by its address', async () => {
    const { watched, service } = portal;
    const { page } = watched;
    const { rows } = await get<{ rows: { universalId: string }[] }>(
      service,
      '/v1/events/board?provider=venue_b&limit=1',
    );
    const { trades } = await eventually(
      () => get<{ trades: Trade[] }>(service, `/v1/events/${rows[0]!.universalId}/trades?limit=50`),
      (body) => body.trades.some(({ provider }) => provider === 'venue_b'),
      TRADE_TIMEOUT_MS,
    );
    const traders = trades
      .filter(({ provider }) => provider === 'venue_b')
      .flatMap(({ maker, taker }) => [maker!, taker!]);
    const [address, ...others] = [...new Set(traders)].slice(0, WALLETS);
    await page.goto('/portal/wallets');
    await page.locator('main[data-page="wallets"][data-state="empty"] [data-action="create"]').click();
    await page.locator('[data-form="wallet"] [name="provider"]').selectOption('venue_b');
    await page.locator('[data-form="wallet"] [name="address"]').fill(address!);
    await page.locator('[data-form="wallet"] [name="label"]').fill('Desk');
    await expectAccessible(watched, 'dialog[open]');
    await page.locator('[data-form="wallet"] [data-action="submit"]').click();
    await page.locator('tbody tr [data-field="label"] a', { hasText: 'Desk' }).click();
    await page.locator('main[data-page="wallet"][data-state="ready"]').waitFor();
    for (const other of others)
      await create(service, '/v1/me/wallets', { provider: 'venue_b', address: other, label: '' });
    expect(watched.faults).toEqual([]);
  });

  it('shows the fills of the wallet, and its profit and loss down to the events, as REST returns them', async () => {
    const { watched, service } = portal;
    const { page } = watched;
    const responses = new Map<string, unknown>();
    const pathOf = (url: string) => new URL(url).pathname;
    onJson(
      page,
      (response) => response.status() === 200 && pathOf(response.url()).startsWith('/v1/me/'),
      (body, response) => responses.set(pathOf(response.url()), body),
    );
    const { fills: newest } = await eventually(
      () => get<{ fills: { walletId: string }[] }>(service, '/v1/me/fills'),
      ({ fills }) => fills.length > 0,
      TRADE_TIMEOUT_MS,
    );
    const { walletId } = newest[0]!;
    await vi.waitFor(async () => {
      await page.goto(`/portal/wallets/${walletId}`);
      await page.locator('[aria-label="Fills"] tbody tr').first().waitFor();
      await page.locator('[aria-label="Profit and loss"] tbody tr').first().waitFor();
      await page.locator('figure[data-chart="pnl"] canvas').last().waitFor();
      await page.keyboard.press('.');

      const { fills } = responses.get('/v1/me/fills') as { fills: Fields[] };
      const shown = await rowsOf(page, '[aria-label="Fills"] tbody tr');
      const own = ({ ownPrice, qty, fee, status }: Fields) => ({ ownPrice, qty, fee, status });
      expect(shown.map(own)).toEqual(fills.map(own));

      const { data, total } = responses.get('/v1/me/pnl') as { data: Fields[]; total: Fields };
      const rows = await rowsOf(page, '[aria-label="Profit and loss"] tbody tr');
      const figures = ({ realized, unrealized, openPosition, avgCost, currentPrice, tradeCount, fees }: Fields) => {
        return { realized, unrealized, openPosition, avgCost, currentPrice, tradeCount, fees };
      };
      expect(rows.map(figures)).toEqual(data.map(figures));
      const [totals] = await rowsOf(page, 'dl[aria-label="Totals"]');
      for (const field of ['realized', 'unrealized', 'totalNotional', 'fees', 'unpriced'])
        expect(totals![field], field).toBe(total[field]);
    }, COMPARED_WITHIN);
    await expectAccessible(watched);

    // The dialog begins with the book without a builder, which may not exist.
    watched.expectFaults(/status of 404/, /\/v1\/me\/pnl\/explain\?/);
    await page.locator('[data-action="open"]').first().click();
    await page.locator('[aria-label="Tokens"] [data-action="explain"]').first().click();
    const events = page.locator('[data-dialog="explain"] [aria-label="Events"] tbody tr');
    const tokenId = await page.locator('[aria-label="Tokens"] tbody tr').first().getAttribute('data-id');
    await page
      .locator('[data-dialog="explain"] [name="builder"]')
      .selectOption(await builderOf(service, walletId, tokenId!));
    await events.first().waitFor();
    // The body of a response may be read after the page has shown it.
    await vi.waitFor(async () => {
      const { book, events: stated } = responses.get('/v1/me/pnl/explain') as { book: Fields; events: Fields[] };
      const [head] = await rowsOf(page, '[data-dialog="explain"] dl');
      for (const field of ['openPosition', 'avgCost', 'realized']) expect(head![field], field).toBe(book[field]);
      const shown = await rowsOf(page, '[data-dialog="explain"] [aria-label="Events"] tbody tr');
      const figures = ({ kind, qty, price, realized, fee }: Fields) => ({ kind, qty, price, realized, fee });
      expect(shown.map(figures)).toEqual(stated.map(figures));
    }, COMPARED_WITHIN);
    await expectAccessible(watched, 'dialog[open]');
    await page.locator('[data-dialog="explain"] [data-action="close"]').click();
    expect(watched.faults).toEqual([]);
  });

  it('shows what an account is worth, its curves and its positions of every dex, as REST returns them', async () => {
    const { watched, service } = portal;
    const { page } = watched;
    const [address] = createPopulation(SEED).accounts;
    const wallet = { provider: 'venue_a', address: address!, label: 'Perpetuals' };
    const { id } = await create(service, '/v1/me/wallets', wallet);
    const responses = new Map<string, unknown>();
    onJson(
      page,
      (response) => response.status() === 200 && new URL(response.url()).pathname.startsWith('/v1/'),
      (body, response) => responses.set(new URL(response.url()).pathname, body),
    );
    await vi.waitFor(async () => {
      await page.goto(`/portal/wallets/${id}?window=1D`);
      // The account holds a position for an hour of every two.
      const positionRows = page.locator('[aria-label="Positions"] tbody tr');
      await positionRows.or(page.getByText('The account has no open position.')).first().waitFor();
      await page.locator('[aria-label="Value"] [data-field="navUsdc"] [data-value]').waitFor();
      await page.locator('[aria-label="Parts of the value"] [data-field="valueUsd"] [data-value]').waitFor();
      await page.locator('figure[data-chart="nav"] canvas').waitFor({ timeout: 5_000 });
      await page.locator('figure[data-chart="pnl"] canvas').first().waitFor();
      await page.keyboard.press('.');
      const nav = responses.get(`/v1/me/wallets/${id}/nav`) as Fields;
      const [value] = await rowsOf(page, 'dl[aria-label="Value"]');
      expect(value!.navUsdc).toBe(nav.navUsdc);
      expect(value!.cashUsdc).toBeNull();
      const { results } = responses.get('/v1/accounts/batch') as {
        results: { valueUsd: number | null; buckets: { kind: string; usd: number }[] }[];
      };
      const [parts] = await rowsOf(page, 'dl[aria-label="Parts of the value"]');
      expect(parts!.valueUsd).toBe(results[0]!.valueUsd);
      expect(results[0]!.buckets.map(({ kind }) => parts![kind])).toEqual(results[0]!.buckets.map(({ usd }) => usd));

      const { positions } = responses.get('/v1/positions') as { positions: Fields[] };
      const figures = ({
        dex,
        coin,
        szi,
        entryPx,
        positionValue,
        unrealizedPnl,
        liquidationPx,
        marginUsed,
      }: Fields) => {
        return {
          dex: dex === 'main' ? '' : dex,
          coin,
          szi,
          entryPx,
          positionValue,
          unrealizedPnl,
          liquidationPx,
          marginUsed,
        };
      };
      const shown = await rowsOf(page, '[aria-label="Positions"] tbody tr');
      expect(shown.map(figures)).toEqual(positions.map(figures));
      for (const [nth, { liquidationPx }] of positions.entries())
        expect(shown[nth]!.liquidationDistance === null).toBe(liquidationPx === null);

      const { windows } = responses.get('/v1/portfolio/performance') as {
        windows: Record<string, { quality: string; series: { points: unknown[]; availability: Fields }[] }>;
      };
      const { quality, series } = windows['1D']!;
      expect(await page.locator('[data-field="quality"]').textContent()).toBe(quality);
      expect(await page.locator('[data-field="dataStatus"]').textContent()).toBe(series[0]!.availability.dataStatus);
      const { points } = responses.get(`/v1/me/wallets/${id}/pnl-curve`) as { points: unknown[] };
      const chart = page.locator('figure[data-chart="pnl"]').first();
      expect(await chart.getAttribute('data-points')).toBe(String(points.length));
    }, COMPARED_WITHIN);
    await expectAccessible(watched);
    expect(watched.faults).toEqual([]);
  });

  it('compares wallets and venues, and shows what was traded under a builder, as REST returns it', async () => {
    const { watched, service } = portal;
    const { page } = watched;
    const builder = createPopulation(SEED).builders[0]!;
    await create(service, '/v1/me/platform-attributions', { provider: 'venue_b', builder, label: 'Desk' });
    const responses = new Map<string, unknown>();
    onJson(
      page,
      (response) => response.status() === 200 && new URL(response.url()).pathname.startsWith('/v1/me/'),
      (body, response) => responses.set(new URL(response.url()).pathname, body),
    );
    const figures = (fields: readonly string[]) => (row: Fields) =>
      Object.fromEntries(fields.map((field) => [field, row[field] ?? null]));
    const sums = [
      'accountValueUsd',
      'volumeUsd',
      'realizedPnlUsd',
      'unrealizedPnlUsd',
      'tradingFeeUsd',
      'builderFeeUsd',
    ];
    const volumes = ['volumeUsd', 'tradeCount', 'builderFeeUsd'];
    for (const key of ['g', 'c']) await page.keyboard.press(key);
    await page.locator('main[data-page="competition"][data-state="ready"]').waitFor();
    for (const group of ['wallet', 'provider'])
      await vi.waitFor(async () => {
        await page.goto(`/portal/competition?group=${group}&mode=live&window=1D`);
        await page.locator('[aria-label="Competition"] tbody tr').first().waitFor();
        await page.locator('[aria-label="Volume of the platform"] tbody tr').first().waitFor();
        await page.keyboard.press('.');
        const { data, total } = responses.get('/v1/me/stats') as { data: Fields[]; total: Fields };
        expect(data.some(({ accountValueUsd }) => accountValueUsd !== null)).toBe(true);
        const own = figures([...sums, 'tradeCount', 'provider', ...(group === 'wallet' ? [] : ['walletCount'])]);
        const shown = await rowsOf(page, '[aria-label="Competition"] tbody tr');
        expect(shown.map(own)).toEqual(data.map(own));
        if (group === 'wallet') {
          const returns = await rowsOf(page, '[aria-label="Returns"] tbody tr');
          expect(returns.map(figures(RETURNS))).toEqual(data.map(figures(RETURNS)));
          const curves = data.map(({ pnlCurve }) => pnlCurve as unknown as readonly unknown[] | null);
          expect(await page.locator('[aria-label="Returns"] figure[data-chart="sparkline"]').count()).toBe(
            curves.filter((curve) => curve !== null && curve.length > 0).length,
          );
        }
        const [totals] = await rowsOf(page, 'dl[aria-label="Totals"]');
        expect(figures(sums)(totals!)).toEqual(figures(sums)(total));
        const volume = responses.get('/v1/me/platform-volume') as { byVenue: Fields[]; total: Fields };
        const byVenue = await rowsOf(page, '[aria-label="Volume of the platform"] tbody tr');
        const ofVenue = figures([...volumes, 'venue', 'walletCount']);
        expect(byVenue.map(ofVenue)).toEqual(volume.byVenue.map(ofVenue));
        const [all] = await rowsOf(page, 'dl[aria-label="Totals of the platform"]');
        expect(figures(volumes)(all!)).toEqual(figures(volumes)(volume.total));
      }, COMPARED_WITHIN);
    await expectAccessible(watched);
    const sorted = page.locator('[aria-label="Competition"] th', { hasText: 'Traded' });
    for (const [direction, sort] of [
      ['descending', '-volumeUsd'],
      ['ascending', 'volumeUsd'],
    ] as const) {
      await sorted.locator('[data-action="sort"]').click();
      await sorted.and(page.locator(`[aria-sort="${direction}"]`)).waitFor();
      expect(new URL(page.url()).searchParams.get('sort')).toBe(sort);
    }
    expect(watched.faults).toEqual([]);
  });

  it('shows profit and loss in each grouping as REST returns it, and removes a wallet after it has asked', async () => {
    const { watched, service } = portal;
    const { page } = watched;
    // One of four orders has a builder.
    await eventually(
      () => get<{ data: unknown[] }>(service, '/v1/me/pnl?groupBy=builder'),
      ({ data }) => data.length > 0,
      TRADE_TIMEOUT_MS,
    );
    const figures = ({ realized, unrealized, tradeCount, fees }: Fields) => ({
      realized,
      unrealized,
      tradeCount,
      fees,
    });
    for (const group of ['event', 'wallet', 'provider', 'builder'])
      await vi.waitFor(async () => {
        const isRead = ({ pathname, searchParams }: URL) =>
          pathname === '/v1/me/pnl' && searchParams.get('groupBy') === group;
        const answered = page.waitForResponse((response) => isRead(new URL(response.url())));
        await page.goto(`/portal/pnl?group=${group}`);
        const { data } = (await (await answered).json()) as { data: Fields[] };
        await page.locator('[aria-label="Profit and loss"] tbody tr').first().waitFor();
        await page.keyboard.press('.');
        const rows = await rowsOf(page, '[aria-label="Profit and loss"] tbody tr');
        expect(rows.map(figures)).toEqual(data.map(figures));
        if (group === 'builder')
          expect(rows.map(({ id }) => id)).toEqual(data.map(({ provider, builder }) => `${provider} ${builder}`));
      }, COMPARED_WITHIN);
    await expectAccessible(watched);
    await page.goto('/portal/wallets');
    const desk = page.locator('tbody tr', { hasText: 'Desk' });
    await desk.locator('[data-action="remove"]').click();
    await page.locator('[data-dialog="remove"] [data-action="confirm-remove"]').click();
    await desk.waitFor({ state: 'detached' });
    expect(watched.faults).toEqual([]);
  });
}
