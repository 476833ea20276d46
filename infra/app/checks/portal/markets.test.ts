/** Compares the lists of markets and the page of an event in the portal with what REST returns, in Chromium. */
import { beforeAll, expect, it, vi } from 'vitest';
import { eventually, get } from '../e2e/service.ts';
import {
  describePortal,
  expectAccessible,
  type Fields,
  onJson,
  openPage,
  rowsOf,
  signIn,
  violationsOf,
} from './browser.ts';

type Row = Record<string, string | number | null>;

/** Figures are compared again if newer ones came before the page was paused; wrong ones never become equal. */
const COMPARED_WITHIN = { timeout: 180_000, interval: 200 };

describePortal('the markets and an event in Chromium', { flags: ['--sim-rate', '50'] }, (portal) => {
  beforeAll(() => eventually(listLengths, (lengths) => lengths.every((length) => length > 0), 60_000));

  /** The lengths of the lists of coins, pairs, dexes and contracts of the first dex, which arrive one after another. */
  async function listLengths(): Promise<number[]> {
    const list = (path: string) => get<Record<string, readonly Row[]>>(portal.service, `/v1/markets/venue_a/${path}`);
    const { dexes } = await list('perp-dex');
    const lists = await Promise.all([
      list('coins'),
      list('spot/pairs'),
      ...dexes!.slice(0, 1).map(({ name }) => list(`perp-dex/${name}/contracts`)),
    ]);
    return [dexes!.length, ...lists.map((body) => (body.coins ?? body.pairs ?? body.contracts)!.length)];
  }

  it.each([
    ['perp', '/v1/markets/venue_a/coins', 'coins', 'name'],
    ['spot', '/v1/markets/venue_a/spot/pairs', 'pairs', 'name'],
    ['dex', '/contracts', 'contracts', 'upstreamCoin'],
  ])('are listed at the tab %s as REST lists them, and found by a part of a name', async (tab, path, plural, id) => {
    const { watched } = portal;
    const { page } = watched;
    const answered = page.waitForResponse((response) => new URL(response.url()).pathname.endsWith(path));
    await page.goto(`/portal/markets?tab=${tab}`);
    const rows = ((await (await answered).json()) as Record<string, Row[]>)[plural]!;
    expect(rows.length).toBeGreaterThan(0);
    await page.locator('main[data-page="markets"][data-state="ready"]').waitFor();
    expect(await page.locator(`[data-action="tab-${tab}"]`).getAttribute('aria-current')).toBe('page');
    expect(await page.locator('tbody tr').count()).toBe(rows.length);
    for (const row of rows)
      for (const [field, value] of Object.entries(row)) {
        const cell = page.locator(`tr[data-id="${row[id]}"] [data-field="${field}"]`);
        if (typeof value === 'string') expect(await cell.textContent()).toBe(value);
        else if (value === null) expect(await cell.textContent()).toContain('–');
        else expect(await cell.locator('[data-value]').getAttribute('data-value')).toBe(String(value));
      }
    await expectAccessible(watched);
    const last = String(rows.at(-1)![id]);
    await page.locator('input[name="q"]').fill(last.toLowerCase());
    const found = rows.filter((row) => String(row[id]).toLowerCase().includes(last.toLowerCase()));
    await expect.poll(() => page.locator('tbody tr').count(), { timeout: 30_000 }).toBe(found.length);
    expect(await page.locator(`tr[data-id="${last}"]`).count()).toBe(1);
    await page.locator('input[name="q"]').fill('no such market');
    await page.locator('main[data-page="markets"][data-state="empty"]').waitFor();
    await expectAccessible(watched);
    expect(watched.faults).toEqual([]);
  });

  it('are opened by the keys g and m, and another tab by its link', async () => {
    const { watched } = portal;
    const { page } = watched;
    await page.goto('/portal/');
    await page.locator('main[data-page="overview"]').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    await page.locator('main[data-page="markets"][data-state="ready"] [data-field="sizeDecimals"]').first().waitFor();
    await page.locator('[data-action="tab-spot"]').click();
    await page.locator('main[data-page="markets"][data-state="ready"] [data-field="baseToken"]').first().waitFor();
    expect(new URL(page.url()).searchParams.get('tab')).toBe('spot');
    await page.locator('nav [data-action="tab-perp"]').press('Enter');
    await page.locator('main[data-page="markets"][data-state="ready"] [data-field="sizeDecimals"]').first().waitFor();
    expect(watched.faults).toEqual([]);
  });

  it('shows an event, its prices and its chart with the table behind it', async () => {
    const { watched } = portal;
    const { page } = watched;
    await page.goto('/portal/events');
    await page.locator('tbody [data-field="canonicalName"] a').first().click();
    await page.locator('main[data-page="event"][data-state="ready"] [data-field="yesMid"]').first().waitFor();
    await page.locator('figure[data-chart="prices"] canvas').waitFor();
    await expectAccessible(watched);
    const figure = page.locator('figure[data-chart="prices"]');
    await figure.locator('[data-action="table"]').click();
    await figure.locator('table[data-chart-table="prices"] tbody tr').first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(watched.faults).toEqual([]);
  });

  it('shows what was unusual, disputed and settled of an event, as REST returns it', async () => {
    const { watched, service } = portal;
    const { page } = watched;
    const { events } = await get<{ events: { universalId: string }[] }>(service, '/v1/events?limit=1');
    const [ts, hash] = ['2026-01-15T12:10:00.000Z', `0x${'3c'.repeat(32)}`];
    const market = { provider: 'venue_b', marketId: '42', status: 'confirmed' };
    const measured = { bucketVol: 900, baselineMean: 12.5, baselineStddev: 11.25, zScore: 78.9 };
    const anomaly = { ...market, ...measured, id: 'an_1', kind: 'trade_volume_spike', ts, raw: { baselineCount: 40 } };
    const place = { blockNumber: 65_000_001, txHash: hash, logIndex: 1 };
    const phase = { ...market, ...place, id: 'dp_1', phase: 'propose', proposer: hash, disputer: null, price: '1', ts };
    const settled = { outcome: 'yes', payouts: ['1', '0'], resolvedAt: ts, endTime: ts, settlementDelaySec: 90 };
    const settlement = { ...market, ...place, ...settled, used: true, resolvedAtIsBound: true };
    for (const [path, json] of [
      ['anomaly-history?*', { anomalies: [anomaly] }],
      ['dispute-history', { disputes: [phase] }],
      ['settlement?*', { records: [settlement] }],
    ] as const)
      await page.route(`**/v1/events/*/${path}`, (route) => route.fulfill({ json }));
    await page.goto(`/portal/events/${events[0]!.universalId}`);
    const cell = (table: string, field: string) =>
      page.locator(`[aria-label="${table}"] tbody tr [data-field="${field}"]`);
    const numberOf = (table: string, field: string) =>
      cell(table, field).locator('[data-value]').getAttribute('data-value');
    for (const [field, value] of Object.entries(measured))
      expect(await numberOf('Anomalies', field), field).toBe(String(value));
    expect(await cell('Anomalies', 'raw').textContent()).toBe('Baseline count: 40');
    expect(await cell('Proposals and disputes', 'phase').textContent()).toBe('Proposed');
    expect(await cell('Proposals and disputes', 'disputer').textContent()).toBe('–');
    for (const table of ['Proposals and disputes', 'Settlement']) {
      expect(await numberOf(table, 'blockNumber')).toBe('65000001');
      expect(await cell(table, 'txHash').locator('code').getAttribute('title')).toBe(hash);
    }
    expect(await cell('Settlement', 'resolvedAt').textContent()).toMatch(/^at the latest 2026-01-15/);
    expect(await cell('Settlement', 'payouts').textContent()).toBe('1, 0');
    expect(await cell('Settlement', 'settlementDelaySec').locator('[title]').getAttribute('title')).toBe('90 s');
    await expectAccessible(watched);
    await page.unrouteAll({ behavior: 'wait' });
    expect(watched.faults).toEqual([]);
  });

  it('shows the legs, the arbitrage, the books and the ladder of an event as REST returns them', async () => {
    const { watched, service } = portal;
    const { page } = watched;
    const board = await eventually(
      () =>
        get<{ rows: { universalId: string; edge: object | null }[] }>(service, '/v1/events/board?sort=edge&limit=1'),
      ({ rows }) => rows[0]?.edge != null,
      150_000,
    );
    const route = `/v1/events/${board.rows[0]!.universalId}`;
    const responses = new Map<string, unknown>();
    const pathOf = (url: string) => new URL(url).pathname;
    onJson(
      page,
      (response) => response.ok() && pathOf(response.url()).startsWith(route),
      (body, response) => responses.set(pathOf(response.url()).slice(route.length), body),
    );
    const figure = (name: string) => page.locator(`figure[data-chart="${name}"]`);
    await vi.waitFor(async () => {
      responses.clear();
      await page.goto(`/portal/events/${board.rows[0]!.universalId}`);
      for (const name of ['depth', 'ladder']) await figure(name).locator('canvas').waitFor();
      await page.locator('[data-id="cross_provider"] [data-field="netEdge"]').waitFor({ timeout: 5_000 });
      await page.locator('[aria-label="Prices of YES"] tbody tr').first().waitFor();
      await page.keyboard.press('.');
      await page.locator('[data-connection]', { hasText: 'Paused since' }).waitFor();

      const { legs } = responses.get('/spread') as { legs: Fields[] };
      const prices = ({ yesBid, yesAsk, yesMid, state }: Fields) => ({ yesBid, yesAsk, yesMid, state });
      const shownLegs = await rowsOf(page, '[aria-label="Prices of YES"] tbody tr');
      expect(shownLegs.map(prices)).toEqual(legs.map(prices));

      const { records } = responses.get('/arbitrage') as { records: Fields[] };
      for (const record of records) {
        const [shown] = await rowsOf(page, `section[data-id="${record.kind}"]`);
        const fields = Object.keys(record).filter((field) => /Edge$|Price$|Fee$/.test(field));
        expect(fields.length).toBeGreaterThan(5);
        for (const field of fields) expect(shown![field], field).toBe(record[field]);
      }

      const { books } = responses.get('/books') as {
        books: { provider: string; marketId: string; state: string; bids: Fields[]; asks: Fields[] }[];
      };
      expect(books.length).toBeGreaterThan(1);
      for (const { provider, marketId, state, ...sides } of books) {
        const shown = `section[data-id="${provider}.${marketId}"]`;
        expect(await page.locator(`${shown} [data-field="state"]`).textContent()).toBe(state);
        for (const side of ['bids', 'asks'] as const) {
          const rows = await rowsOf(
            page,
            `${shown} table[aria-label^="${side === 'bids' ? 'Bids' : 'Asks'}"] tbody tr`,
          );
          expect(rows.map(({ price, size }) => ({ price, size }))).toEqual(sides[side].slice(0, rows.length));
          expect(rows.length).toBe(Math.min(sides[side].length, 10));
        }
      }

      const ladder = responses.get('/arbitrage/ladder') as Fields & { rows: Fields[] };
      const panel = 'section:has(figure[data-chart="ladder"])';
      const [summary] = await rowsOf(page, `${panel} dl`);
      expect([summary!.bestSize, summary!.breakEvenSize]).toEqual([ladder.bestSize, ladder.breakEvenSize]);
      await figure('ladder').locator('[data-action="table"]').click();
      const rows = await rowsOf(page, 'table[data-chart-table="ladder"] tbody tr');
      const quoted = rows.map(({ id: _, ts: __, ...row }) => row);
      const profits = Object.keys(ladder.rows[0]!).filter((field) => field !== 'size');
      expect(profits).toHaveLength(7);
      expect(quoted).toEqual(
        ladder.rows.map((row) => Object.fromEntries(profits.map((field) => [field, row[field] ?? null]))),
      );
    }, COMPARED_WITHIN);
    await figure('depth').locator('[data-action="table"]').click();
    await page.locator('table[data-chart-table="depth"] tbody tr').first().waitFor();
    await expectAccessible(watched);
    expect(watched.faults).toEqual([]);
  });

  it('says why an event has no books, no ladder and no arbitrage, and what to do about a fault', async () => {
    const other = await openPage(portal.browser, portal.service.rest);
    const { page } = other;
    other.expectFaults(/400|500/);
    await signIn(other);
    const { events } = await get<{ events: { universalId: string }[] }>(portal.service, '/v1/events?limit=1');
    const path = `/portal/events/${events[0]!.universalId}`;
    const book = { provider: 'venue_b', marketId: '42', state: 'live', ts: '2026-01-15T12:10:00.000Z' };
    const [bids, asks] = [[{ price: 0.4, size: 5 }], [{ price: 0.5, size: 7 }]];
    const answer = (name: string, json: object, status = 200) =>
      page.route(`**/v1/events/*/${name}`, (route) => route.fulfill({ status, json }));
    const panel = (title: string, state: string) =>
      page.locator(`section.panel[data-state="${state}"]`, { has: page.locator('h2', { hasText: title }) });
    const nothing = {
      universalId: 'ue',
      kind: 'cross_provider',
      breakEvenSize: null,
      bestSize: null,
      quoteAgeMs: null,
    };
    await answer('arbitrage/ladder?*', { ...nothing, rows: [{ size: 10, reason: 'unknown_fee' }] });
    await answer('arbitrage', {
      universalId: 'ue',
      records: [],
      absent: [{ kind: 'negation_pair', reason: 'no_book' }],
    });
    await answer('books', { books: [{ ...book, state: 'closed', bids: [], asks: [] }] });
    await page.goto(path);
    await panel('Order books', 'empty').locator('li', { hasText: 'venue_b: the market is closed.' }).waitFor();
    await panel('Profit by size', 'empty').getByText('the fee of a market is unknown').waitFor();
    await panel('Arbitrage', 'empty').locator('[data-id="negation_pair"]', { hasText: 'a leg has no book' }).waitFor();
    await expectAccessible(other);
    await answer('books', {
      books: [
        { ...book, state: 'stale', bids, asks },
        { ...book, marketId: '7', ts: null, bids: [], asks: [] },
      ],
    });
    await answer(
      'arbitrage/ladder?*',
      { error: { code: 'internal_error', message: 'it failed', requestId: 'request-1' } },
      500,
    );
    await page.goto(path);
    const stale = page.locator('section[data-id="venue_b.42"]');
    await stale.locator('td[data-field="price"][data-stale]').first().waitFor();
    await page.locator('section[data-id="venue_b.7"]', { hasText: 'no book of this market was received' }).waitFor();
    const failed = panel('Profit by size', 'error');
    await failed.locator('[data-request-id="request-1"]').waitFor();
    await expectAccessible(other);
    await page.unrouteAll({ behavior: 'wait' });
    await failed.locator('[data-action="retry"]').click();
    await page.locator('section.panel:not([data-state="error"])', { hasText: 'Profit by size' }).waitFor();
    await page.locator('input[name="sizes"]').fill('10, zero');
    await page.keyboard.press('Enter');
    await panel('Profit by size', 'error')
      .locator('[data-error-code="validation_failed"]', { hasText: 'sizes' })
      .waitFor();
    expect(new URL(page.url()).searchParams.get('sizes')).toBe('10,zero');
    expect(other.faults).toEqual([]);
    await other.close();
  });
});
