/** Compares the lists of markets in the portal with what REST returns, in Chromium. */
import { beforeAll, expect, it } from 'vitest';
import { eventually, get } from '../e2e/service.ts';
import { expectAccessible, type Portal, rowsOf, sidewaysElements, violationsOf } from './browser.ts';

/** Rows of a long list, and those of them that may be laid out at a time: a few groups of rows around the window. */
const ROWS = 5_000;
const LAID_OUT_MAX = 400;

type Row = Record<string, string | number | null>;

export function marketsSuite(portal: Portal): void {
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
    const shown = new Map((await rowsOf(page, 'tbody tr')).map((cells) => [cells.id!, cells]));
    for (const row of rows)
      for (const [field, value] of Object.entries(row)) {
        const cell = `${field} of ${row[id]}`;
        if (value === null) expect(shown.get(row[id]!)![field] ?? '–', cell).toContain('–');
        else expect(shown.get(row[id]!)![field], cell).toBe(value);
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

  it('are 5,000 rows of which only those near the window are laid out, and which keyboard and screen readers reach', async () => {
    const { watched } = portal;
    const { page } = watched;
    const coins = Array.from({ length: ROWS }, (_, index) => ({
      name: `C${index}`,
      sizeDecimals: index % 6,
      maxLeverage: index % 7 === 0 ? null : 10,
    }));
    let listed = coins;
    await page.route('**/v1/markets/venue_a/coins', (route) => route.fulfill({ json: { coins: listed } }));
    for (const width of [1440, 390]) {
      listed = coins;
      await page.setViewportSize({ width, height: 900 });
      await page.goto('/portal/markets');
      await page.locator('tr[data-id="C0"]').waitFor();
      expect(await page.locator('tbody tr').count()).toBe(ROWS);
      const laidOut = () =>
        page.evaluate<number>(
          "[...document.querySelectorAll('tbody tr')].filter((row) => row.checkVisibility({ contentVisibilityAuto: true })).length",
        );
      const isInSight = (id: string) =>
        page.evaluate<boolean>(`(() => {
          const row = document.querySelector('tr[data-id="${id}"]');
          const { top, bottom } = row.getBoundingClientRect();
          return row.checkVisibility({ contentVisibilityAuto: true }) && top >= 0 && bottom <= innerHeight;
        })()`);
      await expect.poll(laidOut, { timeout: 10_000 }).toBeLessThanOrEqual(LAID_OUT_MAX);
      for (const part of [0.25, 0.5, 1]) {
        await page.evaluate(`scrollTo(0, document.documentElement.scrollHeight * ${part})`);
        await expect.poll(laidOut, { timeout: 10_000 }).toBeGreaterThan(0);
        expect(await laidOut(), `at ${part} of ${width}`).toBeLessThanOrEqual(LAID_OUT_MAX);
      }
      // A row that was never laid out is reached by the focus, and by j the next one, which is in another group.
      await page.locator('tr[data-id="C2499"]').focus();
      await expect.poll(() => isInSight('C2499'), { timeout: 10_000 }).toBe(true);
      await page.keyboard.press('j');
      expect(await page.evaluate('document.activeElement.dataset.id')).toBe('C2500');
      await expect.poll(() => isInSight('C2500'), { timeout: 10_000 }).toBe(true);
      // A row that another one moves into the next group keeps the focus. What was paused is read anew.
      await page.locator('tr[data-id="C2499"] a').focus();
      listed = [{ name: 'NEW', sizeDecimals: 0, maxLeverage: null }, ...coins];
      for (const key of ['.', '.']) await page.keyboard.press(key);
      await page.locator('tr[data-id="NEW"]').waitFor();
      expect(await page.evaluate('document.activeElement.textContent')).toBe('C2499');
      // What the browser reports to screen readers of a row that is not laid out.
      const last = page.locator('tr[data-id="C4999"]');
      expect(await last.ariaSnapshot()).toMatch(
        /^- row .*:\n {2}- cell ".*C4999":\n(.*\n)+ {2}- cell ".*10×"\n {2}- cell ".*1"$/,
      );
      expect(await sidewaysElements(page)).toEqual([]);
      // The reason of an unknown value is not clipped by the group.
      const unknown = page.locator('tr[data-id="C2499"] button.unknown, tr[data-id="C2506"] button.unknown').first();
      await unknown.focus();
      const [dash, reason] = await Promise.all([unknown.boundingBox(), page.locator('.reason').boundingBox()]);
      expect(Math.abs(reason!.y - dash!.y - dash!.height)).toBeLessThan(10);
      // All groups are alike, and axe looks at every row that is there, whatever it is to say something about.
      await page.evaluate('document.querySelectorAll("tbody:nth-of-type(n+3)").forEach((group) => group.remove())');
      expect(await violationsOf(page, undefined, 'thead, tbody')).toEqual([]);
    }
    await page.unroute('**/v1/markets/venue_a/coins');
    await page.setViewportSize({ width: 1440, height: 900 });
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
}
