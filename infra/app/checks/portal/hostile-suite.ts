/** Shows texts from outside in the portal and in the documents: they run nothing, and break no layout. */
import type { Page, Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { nameSchema } from '#schemas/domain/control/fields';
import { eventually, get, TEST_TOKEN } from '../e2e/service.ts';
import { expectAccessible, expectNoSidewaysScroll, type Portal } from './browser.ts';
import { HOSTILE_STRINGS } from './hostile-strings.ts';

const NAME_MAX = 200;
/** Of the names that are accepted, each such one is stored: hashing the token of a key takes long on purpose. */
const STORED_EVERY = 8;
/** Requests that create something at the same time. */
const AT_ONCE = 4;
type Row = Record<string, unknown>;

export function hostileSuite(portal: Portal): void {
  it('are 200 different ones', () => {
    expect(new Set(HOSTILE_STRINGS).size).toBeGreaterThanOrEqual(200);
    expect(Math.max(...HOSTILE_STRINGS.map(({ length }) => length))).toBe(10_000);
  });

  /** Waits until the page shows every text as it is, and looks at what it does and how wide it is. */
  async function expectText(
    page: Page,
    selector: string,
    shown: readonly string[],
    property: 'textContent' | 'title' = 'textContent',
  ): Promise<void> {
    const cells = page.locator(selector);
    await cells.first().waitFor();
    const texts = () => cells.evaluateAll((all, name) => all.map((cell) => (cell as never)[name] as string), property);
    await expect.poll(async () => new Set(await texts()), { timeout: 60_000 }).toEqual(new Set(shown));
    expect(await page.evaluate('window.hit === undefined')).toBe(true);
    await expectNoSidewaysScroll(page);
    expect(portal.watched.faults).toEqual([]);
  }

  /** Lets the service answer a path, and replaces rows of the answer: one for each text. */
  async function replaceRows(path: string, list: string, change: (row: Row, text: string, index: number) => Row) {
    const answer = async (route: Route) => {
      const response = await route.fetch();
      const body = (await response.json()) as Record<string, Row[]>;
      const row = body[list]![0]!;
      await route.fulfill({
        response,
        json: { ...body, [list]: HOSTILE_STRINGS.map((text, index) => change(row, text, index)) },
      });
    };
    await portal.watched.page.route(path, answer);
  }

  /** The status of the answer. A service that is busy answers 503, and is asked again. */
  function post(path: string, body: object): Promise<number> {
    return eventually(
      () => postOnce(path, body),
      (status) => status !== 503,
      60_000,
    );
  }

  async function postOnce(path: string, body: object): Promise<number> {
    const response = await fetch(`${portal.service.rest}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TEST_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    return response.status;
  }

  it('as names of keys are stored or refused, and shown as text', async () => {
    const names = HOSTILE_STRINGS.filter((text) => nameSchema.safeParse(text).success);
    expect(Math.max(...names.map(({ length }) => length))).toBeLessThanOrEqual(NAME_MAX);
    expect(names.length).toBeGreaterThan(HOSTILE_STRINGS.filter(({ length }) => length <= NAME_MAX).length / 2);
    const stored = names.filter((_, index) => index % STORED_EVERY === 0);
    const statuses: number[] = [];
    const posted = HOSTILE_STRINGS.filter((text) => stored.includes(text) || !names.includes(text));
    for (let at = 0; at < posted.length; at += AT_ONCE) {
      const some = posted.slice(at, at + AT_ONCE);
      statuses.push(
        ...(await Promise.all(some.map((name) => post('/keys', { name, userId: 'someone', scopes: ['read'] })))),
      );
    }
    expect(statuses).toEqual(posted.map((text) => (stored.includes(text) ? 201 : 400)));
    const { page } = portal.watched;
    await page.goto('/portal/keys');
    const { keys } = await get<{ keys: { name: string }[] }>(portal.service, '/keys');
    expect(keys.map(({ name }) => name)).toEqual(expect.arrayContaining(stored));
    await expectText(
      page,
      'tbody [data-field="name"]',
      keys.map(({ name }) => name),
    );
    await replaceRows('/keys', 'keys', (row, name, index) => ({ ...row, id: `key_${index}`, name }));
    await page.goto('/portal/keys');
    await expectText(page, 'tbody [data-field="name"]', HOSTILE_STRINGS);
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('as URLs of webhooks are shown as text', async () => {
    const subscriptions = [{ eventType: 'event.arbitrage.detected', version: 1 }];
    expect(await post('/v1/webhooks', { url: 'https://hooks.example.com/a', subscriptions })).toBe(201);
    const { page } = portal.watched;
    await replaceRows('**/v1/webhooks', 'webhooks', (row, url, index) => ({ ...row, id: `wh_${index}`, url }));
    await page.goto('/portal/webhooks');
    await expectText(page, 'tbody [data-field="url"]', HOSTILE_STRINGS);
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('as titles and evidence are shown as text, on the board and on the page of an event', async () => {
    const { page } = portal.watched;
    const { events } = await eventually(
      () => get<{ events: { universalId: string }[] }>(portal.service, '/v1/events?min_providers=2&limit=1'),
      ({ events }) => events.length > 0,
      120_000,
    );
    await replaceRows('**/v1/events/board?*', 'rows', (row, canonicalName, index) => ({
      ...row,
      universalId: `evt_${index}`,
      canonicalName,
      legs: [],
    }));
    await page.goto('/portal/events');
    await expectText(page, 'tbody [data-field="canonicalName"] a', HOSTILE_STRINGS);
    await page.unrouteAll({ behavior: 'wait' });
    await page.route('**/v1/events/*/health', async (route) => {
      const response = await route.fetch();
      const { event, ...rest } = (await response.json()) as { event: { links: Row[] } };
      const links = HOSTILE_STRINGS.map((title, index) => ({
        ...event.links[0],
        providerMarketId: String(index),
        title,
        evidence: { words: [title] },
      }));
      const json = { ...rest, event: { ...event, canonicalName: HOSTILE_STRINGS.at(-1), links } };
      await route.fulfill({ response, json });
    });
    await page.goto(`/portal/events/${events[0]!.universalId}`);
    await expectText(page, 'article [data-field="title"]', HOSTILE_STRINGS);
    await expectText(page, 'article [data-field="evidence.words"] dd', HOSTILE_STRINGS);
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('as details of anomalies are shown as text', async () => {
    const { page } = portal.watched;
    const anomaly = {
      id: 'an_1',
      kind: 'trade_volume_spike',
      universalId: 'evt_1',
      provider: 'venue_b',
      marketId: '1',
      ts: '2026-01-15T12:10:00.000Z',
      bucketVol: 1,
      baselineMean: 1,
      baselineStddev: 1,
      zScore: 4,
      raw: null,
    };
    const anomalies = HOSTILE_STRINGS.map((text, index) => ({
      ...anomaly,
      id: `an_${index}`,
      marketId: text,
      raw: { text },
    }));
    await page.route('**/v1/me/anomaly-feed?*', (route) => route.fulfill({ json: { anomalies } }));
    await page.goto('/portal/anomalies');
    // Ids are shortened; the whole one is what is copied and shown on hover.
    await expectText(page, 'tbody [data-field="marketId"] code', HOSTILE_STRINGS, 'title');
    await expectText(
      page,
      'tbody [data-field="raw"]',
      HOSTILE_STRINGS.map((text) => `Text: ${text}`),
    );
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('as labels of wallets are shown as text', async () => {
    const { page } = portal.watched;
    const wallets = HOSTILE_STRINGS.map((label, index) => ({
      id: `wallet_${index}`,
      provider: 'venue_b',
      address: `0x${String(index).padStart(40, '0')}`,
      label,
      createdAt: '2026-01-15T12:10:00.000Z',
    }));
    await page.route('**/v1/me/wallets', (route) => route.fulfill({ json: { wallets } }));
    await page.goto('/portal/wallets');
    await expectText(page, 'tbody [data-field="label"] a', HOSTILE_STRINGS);
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('as labels are shown as text in the answer of a route that is tried', async () => {
    const { page } = portal.watched;
    const attributions = HOSTILE_STRINGS.map((label) => ({ label }));
    await page.route('**/v1/me/platform-attributions', (route) => route.fulfill({ json: { attributions } }));
    await page.goto('/docs/rest/getMePlatformAttributions');
    await page.locator('[data-action="send"]').click();
    await expectText(page, '[data-field="status"]', ['200 OK']);
    const shown = await page.locator('[data-field="body"]').textContent();
    for (const label of HOSTILE_STRINGS) expect(shown).toContain(JSON.stringify(label));
    await expectAccessible(portal.watched);
    await page.unrouteAll({ behavior: 'wait' });
  });
}
