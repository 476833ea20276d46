/** Compares the page of an event in the portal with what REST returns, in Chromium. */
import { expect, it, vi } from 'vitest';
import { get } from '../e2e/service.ts';
import {
  expectAccessible,
  type Fields,
  onJson,
  openTab,
  type Portal,
  panelOf,
  rowsOf,
  signIn,
  violationsOf,
} from './browser.ts';

/** Figures are compared again if newer ones came before the page was paused; wrong ones never become equal. */
const COMPARED_WITHIN = { timeout: 180_000, interval: 200 };
/** How long the bodies of responses may take to be read. */
const SETTLE = { timeout: 2_000, interval: 100 };

interface Book {
  readonly provider: string;
  readonly marketId: string;
  readonly state: string;
  readonly bids: Fields[];
  readonly asks: Fields[];
}

/** What a comparison throws; null if it throws nothing. */
function failureOf(compare: () => void): unknown {
  try {
    compare();
    return null;
  } catch (error) {
    return error;
  }
}

export function eventSuite(portal: Portal): void {
  it('shows an event, its prices and its chart with the table behind it', async () => {
    const { watched } = portal;
    const { page } = watched;
    await page.goto('/portal/events');
    await page.locator('tbody figure[data-chart="sparkline"][data-points]:not([data-points="0"])').first().waitFor();
    const id = await page.locator('tbody tr[data-id]').first().getAttribute('data-id');
    await page.locator('tbody [data-field="canonicalName"] a').first().click();
    await page.locator('main[data-page="event"][data-state="ready"] [data-field="yesMid"]').first().waitFor();
    const figure = page.locator('figure[data-chart="prices"]').first();
    await figure.locator('canvas').waitFor();
    await figure.locator('[data-action="table"]').click();
    await figure.locator('table[data-chart-table="prices"] tbody tr').first().waitFor();
    await page.locator('figure[data-chart="prices"]:not([data-points="0"])').nth(1).waitFor();
    await page.locator('figure[data-chart="spread"]:not([data-points="0"])').waitFor();
    await page.locator('[data-action="json"][aria-label="Spread and edges as JSON"]').click();
    const history = JSON.parse((await page.locator('[data-dialog="json"] [data-field="json"]').textContent())!);
    expect(history).toMatchObject({ universalId: id, spreads: expect.any(Array) });
    expect(await violationsOf(page)).toEqual([]);
    await page.locator('[data-dialog="json"] [data-action="close"]').click();
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
    expect(await page.locator('ol[aria-label="Timeline of 42"] li').textContent()).toMatch(/^Proposed 2026-01-15/);
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
    const watched = await openTab(portal.context, portal.service.rest);
    const { page } = watched;
    await signIn(watched);
    // Events of channels are no answers of REST: they would change figures between an answer and its comparison.
    await page.routeWebSocket(portal.proxy.url, (socket) => {
      const gateway = socket.connectToServer();
      gateway.onMessage((frame) => {
        if ((JSON.parse(String(frame)) as { type: string }).type !== 'event') socket.send(frame);
      });
    });
    let route = '';
    const responses = new Map<string, unknown[]>();
    const pathOf = (url: string) => new URL(url).pathname;
    onJson(
      page,
      (response) => response.ok() && pathOf(response.url()).startsWith(route),
      (body, response) => {
        const path = pathOf(response.url()).slice(route.length);
        responses.set(path, [...(responses.get(path) ?? []), body]);
      },
    );
    /** A paused page shows the newest response that came before, and others come meanwhile. */
    const expectOneOf = <T>(path: string, compare: (response: T) => void) =>
      vi.waitFor(() => {
        const received = responses.get(path) as T[];
        const failures = received.map((response) => failureOf(() => compare(response)));
        if (!failures.includes(null)) throw failures.at(-1);
      }, SETTLE);
    const figure = (name: string) => page.locator(`figure[data-chart="${name}"]`);
    await vi.waitFor(async () => {
      // The arbitrage of an event ends as suddenly as it comes, so that an event is chosen each time.
      const { records: edges } = await get<{ records: { universalId: string; kind: string }[] }>(
        portal.service,
        '/v1/arbitrage?limit=20',
      );
      const id = edges.find(({ kind }) => kind === 'cross_provider')!.universalId;
      route = `/v1/events/${id}`;
      responses.clear();
      await page.goto(`/portal/events/${id}`);
      for (const name of ['depth', 'ladder']) await figure(name).locator('canvas').waitFor();
      await page.locator('[data-id="cross_provider"] [data-field="netEdge"]').waitFor({ timeout: 5_000 });
      await page.locator('[aria-label="Prices of YES"] tbody tr').first().waitFor();
      await page.keyboard.press('.');
      await page.locator('[data-connection]', { hasText: 'Paused since' }).waitFor();

      const prices = ({ yesBid, yesAsk, yesMid, state }: Fields) => ({ yesBid, yesAsk, yesMid, state });
      const shownLegs = await rowsOf(page, '[aria-label="Prices of YES"] tbody tr');
      await expectOneOf<{ legs: Fields[] }>('/spread', ({ legs }) =>
        expect(shownLegs.map(prices)).toEqual(legs.map(prices)),
      );

      const shownEdges = await rowsOf(page, 'section[data-id]:has([data-field="netEdge"])');
      await expectOneOf<{ records: Fields[] }>('/arbitrage', ({ records }) => {
        for (const record of records) {
          const shown = shownEdges.find(({ id }) => id === record.kind);
          const fields = Object.keys(record).filter((field) => /Edge$|Price$|Fee$/.test(field));
          expect(fields.length).toBeGreaterThan(5);
          for (const field of fields) expect(shown![field], field).toBe(record[field]);
        }
      });

      const shownBooks = new Map<string, { state: string | null; bids: Fields[]; asks: Fields[] }>();
      for (const section of await page.locator('section[data-id]:has(table[aria-label^="Bids"])').all()) {
        const id = (await section.getAttribute('data-id'))!;
        const levels = (side: string) => rowsOf(page, `section[data-id="${id}"] table[aria-label^="${side}"] tbody tr`);
        const state = await section.locator('[data-field="state"]').textContent();
        shownBooks.set(id, { state, bids: await levels('Bids'), asks: await levels('Asks') });
      }
      await expectOneOf<{ books: Book[] }>('/books', ({ books }) => {
        expect(books.length).toBeGreaterThan(1);
        for (const { provider, marketId, state, ...sides } of books) {
          const shown = shownBooks.get(`${provider}.${marketId}`)!;
          expect(shown.state).toBe(state);
          for (const side of ['bids', 'asks'] as const) {
            const rows = shown[side];
            expect(rows.map(({ price, size }) => ({ price, size }))).toEqual(sides[side].slice(0, rows.length));
            expect(rows.length).toBe(Math.min(sides[side].length, 10));
          }
        }
      });

      const panel = 'section:has(figure[data-chart="ladder"])';
      const [summary] = await rowsOf(page, `${panel} dl`);
      await figure('ladder').locator('[data-action="table"]').click();
      const rows = await rowsOf(page, 'table[data-chart-table="ladder"] tbody tr');
      const quoted = rows.map(({ id: _, ts: __, ...row }) => row);
      await expectOneOf<Fields & { rows: Fields[] }>('/arbitrage/ladder', (ladder) => {
        expect([summary!.bestSize, summary!.breakEvenSize]).toEqual([ladder.bestSize, ladder.breakEvenSize]);
        const profits = Object.keys(ladder.rows[0]!).filter((field) => field !== 'size');
        expect(profits).toHaveLength(7);
        expect(quoted).toEqual(
          ladder.rows.map((row) => Object.fromEntries(profits.map((field) => [field, row[field] ?? null]))),
        );
      });
    }, COMPARED_WITHIN);
    await figure('depth').locator('[data-action="table"]').click();
    await page.locator('table[data-chart-table="depth"] tbody tr').first().waitFor();
    await expectAccessible(watched);
    expect(watched.faults).toEqual([]);
    await watched.close();
  });

  it('says why an event has no books, no ladder and no arbitrage, and what to do about a fault', async () => {
    const other = await openTab(portal.context, portal.service.rest);
    const { page } = other;
    other.expectFaults(/400|500/);
    await signIn(other);
    const { events } = await get<{ events: { universalId: string }[] }>(portal.service, '/v1/events?limit=1');
    const path = `/portal/events/${events[0]!.universalId}`;
    const book = { provider: 'venue_b', marketId: '42', state: 'live', ts: '2026-01-15T12:10:00.000Z' };
    const [bids, asks] = [[{ price: 0.4, size: 5 }], [{ price: 0.5, size: 7 }]];
    const answer = (name: string, json: object, status = 200) =>
      page.route(`**/v1/events/*/${name}`, (route) => route.fulfill({ status, json }));
    const panel = (title: string, state: string) => panelOf(page, title, state);
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
    expect(await violationsOf(page)).toEqual([]);
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
}
