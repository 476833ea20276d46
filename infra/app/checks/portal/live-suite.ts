/** Looks at live figures of the portal in Chromium: what they equal, and what they show while the socket is away. */
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { TEST_TOKEN } from '../e2e/service.ts';
import { create, onJson, openPage, type Portal, signIn, violationsOf, type WatchedPage } from './browser.ts';

/** Updates that are awaited: of one event, and of all rows of the board. */
const UPDATES = 2;
const BOARD_UPDATES = 20;
/** An event that resolves within this time may end during its test. */
const RESOLVES_SOON_MS = 15 * 60_000;
/** Figures are old within 2 s and right again within 5 s on a machine that is not busy; a busy one takes longer. */
const OLD_WITHIN_MS = 4 * 2_000;
const RIGHT_WITHIN_MS = 4 * 5_000;
/** How long a paused page may take to show what it has received. */
const SETTLE = { timeout: 2_000, interval: 100 };
/** Frames and responses that came while the page was paused are not shown: it goes on then, and is compared again. */
const COMPARED_WITHIN = { timeout: 120_000, interval: 2_000 };

interface Leg {
  readonly provider: string;
  readonly marketId: string;
  readonly yesBid: number | null;
  readonly yesAsk: number | null;
  readonly yesMid: number | null;
}
interface Spread {
  readonly universalId: string;
  readonly legs: readonly Leg[];
  readonly spread: number | null;
  readonly fetchedAt: string;
}
interface Board {
  readonly rows: readonly {
    readonly universalId: string;
    readonly resolutionDate: string | null;
    readonly legs: readonly Leg[];
    readonly spread: number | null;
  }[];
  readonly fetchedAt: string;
}
interface EventFrame {
  readonly type: string;
  readonly channel: string;
  readonly data: { readonly payload: Spread };
}

export function liveSuite(portal: Portal): void {
  let watched: WatchedPage;
  let page: Page;

  // Each test counts the connections of its own page.
  beforeAll(() => portal.watched.close());
  beforeEach(async () => {
    watched = await openPage(portal.browser, portal.service.rest);
    page = watched.page;
    watched.expectFaults(/WebSocket connection to .* failed/);
  });
  afterEach(async () => {
    portal.proxy.restore();
    expect(watched.faults).toEqual([]);
    await watched.close();
  });

  /** Opens the board; returns what REST answers to it, and what the channels of spreads send to the page from now on. */
  async function openBoard(): Promise<{ readonly boards: readonly Board[]; readonly sent: Spread[] }> {
    const sent: Spread[] = [];
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => {
        const frame = JSON.parse(String(payload)) as EventFrame;
        if (frame.type === 'event' && frame.channel.startsWith('svc:stream:event:')) sent.push(frame.data.payload);
      }),
    );
    const boards: Board[] = [];
    onJson(
      page,
      (response) => response.url().includes('/v1/events/board?sort=edge'),
      (board: Board) => boards.push(board),
    );
    await signIn(watched, TEST_TOKEN, '/portal/events');
    await page.locator('[data-connection="live"]').waitFor();
    await page.locator('tr[data-id]').first().waitFor();
    return { boards, sent };
  }
  const newestOf = <T extends { readonly fetchedAt: string }>(all: readonly T[]): T =>
    all.reduce((a, b) => (Date.parse(b.fetchedAt) >= Date.parse(a.fetchedAt) ? b : a));
  async function pause(): Promise<void> {
    await page.keyboard.press('.');
    await page.locator('[data-connection]', { hasText: 'Paused since' }).waitFor();
  }

  /** Compares what a paused page shows; wrong figures never become equal. */
  async function comparePaused(compare: () => Promise<void>): Promise<void> {
    await vi.waitFor(async () => {
      await pause();
      try {
        await vi.waitFor(compare, SETTLE);
      } catch (error) {
        await page.keyboard.press('.');
        throw error;
      }
    }, COMPARED_WITHIN);
  }

  /**
   * Opens an event of the board that was updated a moment ago, and will not end soon. Most others send nothing: they are
   * settled, or far from even odds. Returns its id, and what the channels of spreads send to the page.
   */
  async function openEvent(): Promise<{ readonly id: string; readonly sent: Spread[] }> {
    const { boards, sent } = await openBoard();
    const findMoving = () => {
      const soon = Date.now() + RESOLVES_SOON_MS;
      const lasting = (boards.at(-1)?.rows ?? []).filter(
        ({ resolutionDate: at }) => at === null || Date.parse(at) > soon,
      );
      const updatesOf = (id: string) => sent.filter(({ universalId }) => universalId === id).length;
      return lasting.find(({ universalId }) => updatesOf(universalId) >= UPDATES)?.universalId;
    };
    const id = (await vi.waitUntil(findMoving, { timeout: 60_000, interval: 100 }))!;
    await page.locator(`tr[data-id="${id}"] [data-field="canonicalName"] a`).click();
    await page.locator('main[data-page="event"][data-state="ready"] [data-field="yesMid"]').first().waitFor();
    return { id, sent };
  }

  it('equal the newest of what REST returned and what the channel sent, after several updates', async () => {
    const { id, sent } = await openEvent();
    const read = spreadsRead(id);
    sent.length = 0;
    await expect.poll(() => sent.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(UPDATES);
    await page.locator('tr[data-seq] [data-field="yesMid"]').first().waitFor();
    await compareLegs(id, read, sent);
  });

  /** What REST returns from now on of the spread of an event. */
  function spreadsRead(id: string): readonly Spread[] {
    const read: Spread[] = [];
    onJson(
      page,
      (response) => response.ok() && response.url().endsWith(`/v1/events/${encodeURIComponent(id)}/spread`),
      (spread: Spread) => read.push(spread),
    );
    return read;
  }

  /** Compares the legs of an event with the newest of what REST returned and what the channel sent. */
  async function compareLegs(id: string, read: readonly Spread[], sent: readonly Spread[]): Promise<void> {
    await comparePaused(async () => {
      const all = [...read, ...sent.filter(({ universalId }) => universalId === id)];
      expect(all).not.toEqual([]);
      for (const leg of newestOf(all).legs)
        for (const field of ['yesBid', 'yesAsk', 'yesMid'] as const) {
          const cell = page.locator(
            `tr[data-id="${leg.provider}.${leg.marketId}"] [data-field="${field}"] [data-value]`,
          );
          const shown = (await cell.count()) === 0 ? null : Number(await cell.getAttribute('data-value'));
          expect(shown, `${field} of ${leg.provider}`).toBe(leg[field]);
        }
    });
  }

  it('equal it on every visible row of the board, too', async () => {
    const { boards, sent } = await openBoard();
    sent.length = 0;
    await expect.poll(() => sent.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(BOARD_UPDATES);
    await page.locator('tr[data-seq]').first().waitFor();
    await comparePaused(async () => {
      const { rows, fetchedAt } = boards.at(-1)!;
      for (const row of rows.slice(0, 10)) {
        const { universalId } = row;
        const later = sent.filter(
          (one) => one.universalId === universalId && Date.parse(one.fetchedAt) > Date.parse(fetchedAt),
        );
        const { legs, spread } = later.length > 0 ? newestOf(later) : row;
        const shown = (field: string) =>
          page
            .locator(`tr[data-id="${universalId}"] [data-field="${field}"] [data-value]`)
            .evaluateAll((all) => all.map((cell) => Number(cell.getAttribute('data-value'))));
        expect(await shown('yesMid'), universalId).toEqual(legs.flatMap(({ yesMid }) => yesMid ?? []));
        expect(await shown('spread'), universalId).toEqual(spread === null ? [] : [spread]);
      }
    });
  });

  it('are marked as old with their age while the socket is away, and are right again after its return', async () => {
    const { id, sent } = await openEvent();
    await page.locator('[data-field="yesMid"]:not([data-stale])').first().waitFor();
    const cutAt = performance.now();
    portal.proxy.cut();
    await page.locator('td.number[data-field^="yes"][data-stale]').first().waitFor();
    expect(performance.now() - cutAt).toBeLessThan(OLD_WITHIN_MS);
    await page.locator('[data-banner="offline"]', { hasText: 'since' }).waitFor();
    await page.locator('[data-connection]:not([data-connection="live"])').waitFor();
    const numbers = page.locator('td[data-field="yesBid"], td[data-field="yesAsk"], td[data-field="yesMid"]');
    expect(await numbers.count()).toBeGreaterThan(2);
    expect(await page.locator('td.number[data-field^="yes"]:not([data-stale])').count()).toBe(0);
    await page.locator('[data-field="age"]', { hasText: 'as of' }).first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
    const answered = page.waitForResponse((response) => response.url().endsWith(`/${encodeURIComponent(id)}/spread`));
    const read = spreadsRead(id);
    sent.length = 0;
    const restoredAt = performance.now();
    portal.proxy.restore();
    await page.locator('[data-connection="live"]').waitFor();
    await answered;
    await page.locator('td.number[data-field="yesMid"]:not([data-stale])').first().waitFor();
    expect(performance.now() - restoredAt).toBeLessThan(RIGHT_WITHIN_MS);
    await page.locator('[data-banner="offline"]').waitFor({ state: 'detached' });
    await page.locator('[data-notice="returned"]').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await compareLegs(id, read, sent);
  });

  it('equal what REST and the channel return after a restart of the service with its gateway', async () => {
    watched.expectFaults(/ERR_CONNECTION_|ERR_EMPTY_RESPONSE|status of 503|health: /);
    const { id, sent } = await openEvent();
    const read = spreadsRead(id);
    await portal.restart();
    await page.locator('[data-connection="live"]').waitFor();
    await page.locator('td.number[data-field="yesMid"]:not([data-stale])').first().waitFor();
    await expect.poll(() => read.length, { timeout: 60_000 }).toBeGreaterThan(0);
    await compareLegs(id, read, sent);
  });

  it('count the trades of each venue, are marked as old while the socket is away, and begin anew afterwards', async () => {
    await signIn(watched);
    const cell = (field: string) => page.locator(`[aria-label="Venues"] tr[data-id="venue_b"] [data-field="${field}"]`);
    const rate = async () => Number(await cell('tradesPerSecond').locator('[data-value]').getAttribute('data-value'));
    await expect.poll(rate, { timeout: 60_000 }).toBeGreaterThan(0);
    await cell('state').getByText('trading').waitFor();
    await cell('delayMs').locator('[data-value]').waitFor();
    await cell('lastAt').locator('time').waitFor();
    portal.proxy.cut();
    await cell('tradesPerSecond').and(page.locator('[data-stale]')).waitFor();
    portal.proxy.restore();
    await cell('tradesPerSecond').and(page.locator(':not([data-stale])')).locator('[data-value]').waitFor();
  });

  it('come over one connection, which is closed while signed out and opened again after signing in', async () => {
    await openEvent();
    await expect.poll(() => portal.proxy.connections).toBe(1);
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await page.locator('main[data-page="events"] tr[data-id]').first().waitFor();
    expect(portal.proxy.connections).toBe(1);
    await page.locator('[data-action="sign-out"]').click();
    await page.locator('main[data-page="login"]').waitFor();
    await expect.poll(() => portal.proxy.connections).toBe(0);
    await signIn(watched);
    await page.locator('[data-connection="live"]').waitFor();
    expect(portal.proxy.connections).toBe(1);
  });

  it('cost nothing while the tab is hidden, and are read again when it is seen', async () => {
    await openEvent();
    await expect.poll(() => portal.proxy.connections).toBe(1);
    await setHidden(true);
    await expect.poll(() => portal.proxy.connections).toBe(0);
    await page.locator('td[data-field="yesMid"][data-stale]').first().waitFor();
    const answered = page.waitForResponse((response) => response.url().endsWith('/spread'));
    await setHidden(false);
    await answered;
    await page.locator('[data-connection="live"]').waitFor();
    await page.locator('td[data-field="yesMid"]:not([data-stale])').first().waitFor();
    expect(portal.proxy.connections).toBe(1);
    expect(await page.locator('[data-notice="returned"]').count()).toBe(0);
  });

  /** Hides or shows the tab, as far as its scripts can see. */
  async function setHidden(isHidden: boolean): Promise<void> {
    await page.evaluate(
      `Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));`,
    );
  }

  /** Ends the session of the cookie without the portal. */
  async function endSession(): Promise<void> {
    const { csrf } = await page.evaluate<{ csrf: string }>("fetch('/v1/session').then((response) => response.json())");
    await page.evaluate(`fetch('/v1/session', { method: 'DELETE', headers: { 'x-parallax-csrf': '${csrf}' } })`);
  }

  it('come over a new connection after the session ended and the person signed in again over the page', async () => {
    watched.expectFaults(/401/);
    await openEvent();
    await endSession();
    await page.locator('[data-dialog="session"] input').waitFor();
    // Chromium itself closes a dialog at the second Esc.
    for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('Escape');
    await page.locator('[data-dialog="session"] input').fill(TEST_TOKEN);
    await page.keyboard.press('Enter');
    await page.locator('[data-connection="live"]').waitFor();
    await page.locator('[data-field="yesMid"]:not([data-stale])').first().waitFor();
    // A key of another organization sees none of this one's data: the page is loaded anew.
    const { adminKey } = await create(portal.service, '/v1/organizations', { name: 'Other', plan: 'pro' });
    await endSession();
    await page.locator('[data-dialog="session"] input').waitFor();
    await page.locator('[data-dialog="session"] input').fill((adminKey as unknown as { token: string }).token);
    const loaded = page.waitForEvent('load');
    await page.keyboard.press('Enter');
    await loaded;
    await page.locator('[data-connection="live"]').waitFor();
  });
}
