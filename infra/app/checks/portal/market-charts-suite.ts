/** Moves and zooms the charts of a market in Chromium, and looks at what they draw. */
import { expect, it } from 'vitest';
import { expectAccessible, type Portal, rowsOf } from './browser.ts';
import { BTC_PAGE, figureOf, openMarket, type Span, shownSpan, showTable } from './market-page.ts';

const MINUTE = 60_000;

export function marketChartsSuite(portal: Portal): void {
  it('moves and zooms its charts by keyboard, by buttons and by mouse, and names in its address what it shows', async () => {
    const { watched } = portal;
    const { page } = watched;
    await openMarket(page, BTC_PAGE);
    const first = await shownSpan(page);
    const changed = async (act: () => Promise<void>, expected: (before: Span, after: Span) => boolean) => {
      const before = await shownSpan(page);
      await act();
      await expect.poll(async () => expected(before, await shownSpan(page)), { timeout: 30_000 }).toBe(true);
      await page.waitForURL((url) => url.searchParams.has('from') && url.searchParams.has('to'));
    };
    const isEarlier = (before: Span, after: Span) => after.to < before.to && after.from <= before.from;
    const isLater = (before: Span, after: Span) => after.to > before.to;
    const isNarrower = (before: Span, after: Span) => after.to - after.from < before.to - before.from;
    const isWider = (before: Span, after: Span) => after.to - after.from > before.to - before.from;
    const newest = async (act: () => Promise<void>) => {
      await act();
      await page.waitForURL((url) => !url.searchParams.has('from'));
      await expect.poll(async () => (await shownSpan(page)).to, { timeout: 30_000 }).toBeGreaterThanOrEqual(first.to);
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
    const { x, y, width, height } = (await figureOf(page, 'candles').locator('.u-over').boundingBox())!;
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
      return (await shownSpan(page)).from === from;
    };
    await expect.poll(isWhole, { timeout: 30_000 }).toBe(true);
    const shown = await shownSpan(page);
    await page.reload();
    await expect.poll(() => shownSpan(page), { timeout: 30_000 }).toEqual(shown);
    await page.locator('select[name="range"]').selectOption({ label: '12 hours' });
    await page.waitForURL((url) => url.searchParams.get('range') === '12h' && !url.searchParams.has('from'));
    expect(watched.faults).toEqual([]);
  });

  it('moves its charts with one finger and zooms them with two', async () => {
    const { watched } = portal;
    const { page } = watched;
    await openMarket(page, BTC_PAGE);
    const touch = await watched.context.newCDPSession(page);
    await touch.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 2 });
    await figureOf(page, 'candles').scrollIntoViewIfNeeded();
    const { x, y, width, height } = (await figureOf(page, 'candles').locator('.u-over').boundingBox())!;
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
    const before = await shownSpan(page);
    await move([0.3], [0.6]);
    await expect.poll(async () => (await shownSpan(page)).to, { timeout: 30_000 }).toBeLessThan(before.to);
    const moved = await shownSpan(page);
    await move([0.4, 0.6], [0.2, 0.8]);
    const width0 = moved.to - moved.from;
    await expect
      .poll(async () => shownSpan(page).then(({ from, to }) => to - from), { timeout: 30_000 })
      .toBeLessThan(width0 * 0.6);
    await touch.send('Emulation.setTouchEmulationEnabled', { enabled: false });
    await touch.detach();
    expect(watched.faults).toEqual([]);
  });

  it('draws gaps as gaps, and states the source of each bar', async () => {
    const { watched } = portal;
    const { page } = watched;
    const start = Math.floor(Date.now() / MINUTE) * MINUTE - 10 * MINUTE;
    const bar = (index: number, source: string | null) => {
      const ts = start + index * MINUTE;
      return { ts, open: 10, high: 14, low: 9, close: index % 2 === 0 ? 12 : 9.5, volume: 1.5, source };
    };
    const candles = [bar(0, 'venue_node'), bar(1, 'official_api'), bar(4, null), bar(5, 'external_exchange')];
    await page.route('**/coins/BTC/candles?*', (route) => route.fulfill({ json: { candles } }));
    await openMarket(page, BTC_PAGE);
    for (const name of ['candles', 'volume']) {
      expect(await figureOf(page, name).getAttribute('data-points')).toBe('4');
      expect(await figureOf(page, name).getAttribute('data-gaps')).toBe('1');
    }
    expect(await figureOf(page, 'candles').locator('.strips li').count()).toBe(4);
    await expectAccessible(watched);
    await showTable(page, 'candles');
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
}
