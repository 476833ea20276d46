/** Looks at live figures of the portal in Chromium: what they equal, and what they show while the socket is away. */
import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { BoardRow } from '#query-api/portal/pages/event/board';
import type { Board, Edges } from '#query-api/portal/pages/event/live';
import { type Edge, eventPath, type Spread } from '#query-api/portal/pages/event/shapes';
import { get, TEST_TOKEN } from '../e2e/service.ts';
import { create, onJson, openTab, type Portal, signIn, violationsOf, type WatchedPage } from './browser.ts';
import { type AnyEdge, boardFigures, eventFigures, shownBoard, shownEvent } from './event-figures.ts';

/** Updates that are awaited: of one event, and of all rows of the board. */
const UPDATES = 2;
const BOARD_UPDATES = 100;
/** Rows of the board that are compared, all of them visible. */
const COMPARED_ROWS = 10;
/** An event that resolves within this time may end during its test. */
const RESOLVES_SOON_MS = 15 * 60_000;
/** How long figures may take to be marked as old without the socket, and to be right again after its return. */
const OLD_WITHIN_MS = 2_000;
const RIGHT_WITHIN_MS = 5_000;
/** Connections open and end within this time on a busy machine. */
const CONNECTIONS_WITHIN = { timeout: 15_000 };
/** The socket is cut so often at most until both were held: a busy machine may take longer once. */
const CUTS_MAX = 4;
/** Parts of the page of an event whose figures channels send. */
const LIVE_PARTS = ['Prices of YES', 'Arbitrage', 'Newest trades'];
/** The page is compared again if a response came while it was paused; wrong figures never become equal. */
const COMPARED_WITHIN = { timeout: 120_000, interval: 2_000 };

interface EventFrame {
  readonly type: string;
  readonly data: { readonly type: string; readonly payload: never };
}

/** Something that the page received: a response of REST, or an event of a channel. */
type Received =
  | { readonly board: Board }
  | { readonly spread: Spread; readonly isEvent: boolean }
  | { readonly edges: Edges }
  | { readonly edge: Edge };

const isLater = (time: string, than: string): boolean => Date.parse(time) > Date.parse(than);
const partsOf = <Part>(all: readonly Received[], part: string): Part[] =>
  all.flatMap((one) => (part in one ? [(one as unknown as Record<string, Part>)[part]!] : []));
const newestSpread = (spreads: readonly Spread[]): Spread | undefined =>
  spreads.reduce<Spread | undefined>((a, b) => (a && !isLater(b.fetchedAt, a.fetchedAt) ? a : b), undefined);
/** The arbitrage of each kind of an event: as it was read, or as an event that is later states it. */
function edgesByKind(read: readonly AnyEdge[], fetchedAt: string, sent: readonly Edge[]): AnyEdge[] {
  const newest = new Map<string, AnyEdge>(read.map((edge) => [edge.kind, edge]));
  for (const edge of sent) if (isLater(edge.at, fetchedAt)) newest.set(edge.kind, edge);
  return [...newest.values()];
}

/** What the first rows of the board must show, by what the page received. */
function expectedRows(received: readonly Received[]): unknown[] {
  const { rows, fetchedAt } = partsOf<Board>(received, 'board').at(-1)!;
  return rows.slice(0, COMPARED_ROWS).map((row) => {
    const own = ({ universalId }: { readonly universalId: string }) => universalId === row.universalId;
    const later = partsOf<Spread>(received, 'spread').filter((one) => own(one) && isLater(one.fetchedAt, fetchedAt));
    const { legs, spread } = newestSpread(later) ?? row;
    const edges = edgesByKind(row.edges, fetchedAt, partsOf<Edge>(received, 'edge').filter(own));
    return boardFigures({ ...row, legs, spread }, edges);
  });
}

/** What the page of an event must show, by what it received. */
function expectedEvent(id: string, received: readonly Received[]): unknown {
  const own = ({ universalId }: { readonly universalId: string }) => universalId === id;
  const { records, fetchedAt } = partsOf<Edges>(received, 'edges').at(-1)!;
  const edges = edgesByKind(records, fetchedAt, partsOf<Edge>(received, 'edge').filter(own));
  return eventFigures(newestSpread(partsOf<Spread>(received, 'spread').filter(own))!, edges);
}

function isLasting({ resolutionDate: at }: Pick<BoardRow, 'resolutionDate'>): boolean {
  return at === null || Date.parse(at) > Date.now() + RESOLVES_SOON_MS;
}

export function liveSuite(portal: Portal): void {
  let watched: WatchedPage;
  let page: Page;

  // Each test counts the connections of its own page.
  beforeAll(() => portal.watched.close());
  beforeEach(async () => {
    watched = await openTab(portal.context, portal.service.rest);
    page = watched.page;
    watched.expectFaults(/WebSocket connection to .* failed/);
  });
  afterEach(async () => {
    portal.proxy.restore();
    const faults = [...watched.faults];
    // In any case: a tab that stays open holds a connection, which later tests would count.
    await watched.close();
    expect(faults).toEqual([]);
  });

  /** Opens the board; returns what the page receives from now on, in this order. */
  async function openBoard(): Promise<Received[]> {
    const received: Received[] = [];
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => {
        const frame = JSON.parse(String(payload)) as EventFrame;
        if (frame.type !== 'event') return;
        if (frame.data.type === 'event.spread') received.push({ spread: frame.data.payload, isEvent: true });
        if (frame.data.type === 'event.arbitrage') received.push({ edge: frame.data.payload });
      }),
    );
    onJson(
      page,
      (response) => /\/v1\/events\/(board\?sort=edge(?!.*include=)|[^/]+\/(spread|arbitrage)$)/.test(response.url()),
      (body, response) => {
        if (!response.ok()) return;
        const route = new URL(response.url()).pathname.split('/').at(-1);
        if (route === 'board') received.push({ board: body as Board });
        else if (route === 'spread') received.push({ spread: body as Spread, isEvent: false });
        else received.push({ edges: body as Edges });
      },
    );
    await signIn(watched, TEST_TOKEN, '/portal/events');
    await page.locator('[data-connection="live"]').waitFor();
    await page.locator('tr[data-id]').first().waitFor();
    return received;
  }
  /** The spreads that the channels sent. */
  const sentSpreads = (received: readonly Received[]) =>
    received.flatMap((one) => ('spread' in one && one.isEvent ? [one.spread] : []));

  /** Pauses the page, and compares what it shows with what it has received; goes on and tries again if it differs. */
  async function comparePaused(
    received: readonly Received[],
    readShown: () => Promise<unknown>,
    expectedOf: (received: readonly Received[]) => unknown,
  ): Promise<void> {
    await vi.waitFor(async () => {
      const before = received.length;
      await page.keyboard.press('.');
      await page.locator('[data-connection]', { hasText: 'Paused since' }).waitFor();
      const during = received.length - before;
      const shown = await readShown();
      // What arrives around the moment of the pause may be shown or not.
      const possible = Array.from({ length: during + 1 }, (_, more) => expectedOf(received.slice(0, before + more)));
      if (possible.some((expected) => isDeepStrictEqual(shown, expected))) return;
      await page.keyboard.press('.');
      expect(shown).toEqual(possible.at(-1));
    }, COMPARED_WITHIN);
  }

  /**
   * Opens an event of the board that was updated a moment ago, and will not end soon. Most others send nothing: they are
   * settled, or far from even odds. Returns its id, and what the page receives.
   */
  async function openEvent(): Promise<{ readonly id: string; readonly received: Received[] }> {
    const received = await openBoard();
    const findMoving = () => {
      const lasting = (partsOf<Board>(received, 'board').at(-1)?.rows ?? []).filter(isLasting);
      const sent = sentSpreads(received);
      const updatesOf = (id: string) => sent.filter(({ universalId }) => universalId === id).length;
      return lasting.find(({ universalId }) => updatesOf(universalId) >= UPDATES)?.universalId;
    };
    const id = (await vi.waitUntil(findMoving, { timeout: 60_000, interval: 100 }))!;
    await page.locator(`tr[data-id="${id}"] [data-field="canonicalName"] a`).click();
    await page.locator('main[data-page="event"][data-state="ready"] [data-field="yesMid"]').first().waitFor();
    return { id, received };
  }

  /** Opens an event that is quoted now, and will not end soon. */
  async function openQuotedEvent(): Promise<void> {
    const { rows } = await get<Board>(portal.service, '/v1/events/board?sort=spread&limit=20');
    const { universalId } = rows.find((row) => row.spread !== null && isLasting(row))!;
    await signIn(watched, TEST_TOKEN, eventPath(universalId));
    await page.locator('[data-connection="live"]').waitFor();
    await page.locator('td[data-field="yesMid"]:not([data-stale])').first().waitFor();
  }

  /** Waits until the page has read the spread and the arbitrage of an event, and compares both. */
  async function compareEvent(id: string, received: readonly Received[]): Promise<void> {
    const isRead = () => received.some((one) => 'edges' in one) && received.some((one) => 'spread' in one);
    await expect.poll(isRead, { timeout: 60_000 }).toBe(true);
    await comparePaused(
      received,
      () => shownEvent(page),
      (all) => expectedEvent(id, all),
    );
  }

  it('equal the newest of what REST returned and what the channels sent on the board, after 100 updates', async () => {
    const received = await openBoard();
    const updates = () => received.filter((one) => 'edge' in one || ('spread' in one && one.isEvent)).length;
    await expect.poll(updates, { timeout: 120_000 }).toBeGreaterThanOrEqual(BOARD_UPDATES);
    await page.locator('tr[data-seq]').first().waitFor();
    await comparePaused(received, () => shownBoard(page, COMPARED_ROWS), expectedRows);
  });

  /** The number of figures that channels send, and of those of them that are marked as old. */
  const countLive = () =>
    page.evaluate<{ readonly all: number; readonly old: number }>(`(() => {
      const parts = [...document.querySelectorAll('section.panel')]
        .filter((part) => ${JSON.stringify(LIVE_PARTS)}.includes(part.querySelector('h2')?.textContent));
      const numbers = parts.flatMap((part) => [...part.querySelectorAll('.panel-body [data-value]')]);
      return { all: numbers.length, old: numbers.filter((number) => number.closest('[data-stale]') !== null).length };
    })()`);
  const waitUntilLive = (matches: (count: { readonly all: number; readonly old: number }) => boolean) =>
    vi.waitUntil(async () => matches(await countLive()), { timeout: 60_000, interval: 20 });

  /** Cuts the socket. Resolves with the time until all live figures are marked as old, ms. */
  async function cut(): Promise<number> {
    // Those of a leg without live prices are old already.
    await waitUntilLive(({ all, old }) => old < all);
    const cutAt = performance.now();
    portal.proxy.cut();
    await waitUntilLive(({ all, old }) => all > 0 && old === all);
    return performance.now() - cutAt;
  }

  /** Restores the socket. Resolves with the time until live figures are right again, ms, and `answered` was read. */
  async function restore(answered?: Promise<unknown>): Promise<number> {
    const restoredAt = performance.now();
    portal.proxy.restore();
    await page.locator('[data-connection="live"]').waitFor();
    await answered;
    await waitUntilLive(({ all, old }) => old < all);
    await page.locator('.panel-body[data-stale]').first().waitFor({ state: 'detached' });
    return performance.now() - restoredAt;
  }

  it('are marked as old with their age while the socket is away, and are right again after its return', async () => {
    const { id, received } = await openEvent();
    await page.locator('[data-field="yesMid"]:not([data-stale])').first().waitFor();
    let oldAfter = await cut();
    await page.locator('[data-banner="offline"]', { hasText: 'since' }).waitFor();
    await page.locator('[data-connection]:not([data-connection="live"])').waitFor();
    const numbers = page.locator('td[data-field="yesBid"], td[data-field="yesAsk"], td[data-field="yesMid"]');
    expect(await numbers.count()).toBeGreaterThan(2);
    await page.locator('[data-field="age"]', { hasText: 'as of' }).first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
    const answered = page.waitForResponse((response) => response.url().endsWith(`/${encodeURIComponent(id)}/spread`));
    received.length = 0;
    let rightAfter = await restore(answered);
    await page.locator('[data-banner="offline"]').waitFor({ state: 'detached' });
    await page.locator('[data-notice="returned"]').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await compareEvent(id, received);
    await page.keyboard.press('.');
    for (let cuts = 1; cuts < CUTS_MAX && !(oldAfter < OLD_WITHIN_MS && rightAfter < RIGHT_WITHIN_MS); cuts += 1) {
      oldAfter = await cut();
      rightAfter = await restore();
    }
    expect(oldAfter).toBeLessThan(OLD_WITHIN_MS);
    expect(rightAfter).toBeLessThan(RIGHT_WITHIN_MS);
  });

  it('equal it on the page of an event, before and after a restart of the service with its gateway', async () => {
    watched.expectFaults(/ERR_CONNECTION_|ERR_EMPTY_RESPONSE|status of 503|health: /);
    const { id, received } = await openEvent();
    await compareEvent(id, received);
    await page.keyboard.press('.');
    received.length = 0;
    await portal.restart();
    await page.locator('[data-connection="live"]').waitFor();
    await page.locator('td.number[data-field="yesMid"]:not([data-stale])').first().waitFor();
    await compareEvent(id, received);
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
    await openQuotedEvent();
    await expect.poll(() => portal.proxy.connections, CONNECTIONS_WITHIN).toBe(1);
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await page.locator('main[data-page="events"] tr[data-id]').first().waitFor();
    expect(portal.proxy.connections).toBe(1);
    await page.locator('[data-action="sign-out"]').click();
    await page.locator('main[data-page="login"]').waitFor();
    await expect.poll(() => portal.proxy.connections, CONNECTIONS_WITHIN).toBe(0);
    await signIn(watched);
    await page.locator('[data-connection="live"]').waitFor();
    expect(portal.proxy.connections).toBe(1);
  });

  it('cost nothing while the tab is hidden, and are read again when it is seen', async () => {
    await openQuotedEvent();
    await expect.poll(() => portal.proxy.connections, CONNECTIONS_WITHIN).toBe(1);
    await setHidden(true);
    await expect.poll(() => portal.proxy.connections, CONNECTIONS_WITHIN).toBe(0);
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
    await openQuotedEvent();
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
