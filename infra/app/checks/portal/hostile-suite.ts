/** Shows texts from outside in the portal and in the documents: they run nothing, and break no layout. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { shortened } from '#query-api/portal/format/names';
import { labelSchema, nameSchema } from '#schemas/domain/control/fields';
import { evaluateTargetUrl } from '../../../outbound/target-url.ts';
import { eventually, get, TEST_TOKEN } from '../e2e/service.ts';
import { expectNoSidewaysScroll, type Portal, violationsOf } from './browser.ts';
import { HOSTILE_STRINGS } from './hostile-strings.ts';

const NAME_MAX = 200;
/** Of the names that are accepted, each such one is stored: hashing the token of a key takes long on purpose. */
const KEY_EVERY = 3;
/** An organization has at most 100 webhooks, and tests before this one create some. */
const WEBHOOKS = 90;
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

  /** Adds rows to what the service returns at a path: one for each text that it does not store. */
  async function addRows(
    path: string,
    list: string,
    texts: readonly string[],
    change: (text: string, index: number) => Row,
  ): Promise<void> {
    await portal.watched.page.route(path, async (route) => {
      const response = await route.fetch();
      const { [list]: rows = [], ...rest } = (await response.json()) as Record<string, Row[]>;
      const added = texts.map((text, index) => ({ ...rows[0], id: `added_${index}`, ...change(text, index) }));
      await route.fulfill({ response, json: { ...rest, [list]: [...rows, ...added] } });
    });
  }

  /** The status of the answer. A service that is busy answers 503, and is asked again. */
  function post(path: string, body: object): Promise<number> {
    return eventually(
      () => postOnce(path, body),
      (status) => status !== 503,
      60_000,
    );
  }

  /** Sends each body; returns the statuses. */
  async function postAll(path: string, bodies: readonly object[]): Promise<number[]> {
    const statuses: number[] = [];
    for (let at = 0; at < bodies.length; at += AT_ONCE)
      statuses.push(...(await Promise.all(bodies.slice(at, at + AT_ONCE).map((body) => post(path, body)))));
    return statuses;
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
    const stored = names.filter((_, index) => index % KEY_EVERY === 0);
    const others = HOSTILE_STRINGS.filter((text) => !stored.includes(text));
    const refused = others.filter((text) => !names.includes(text));
    const bodies = [...stored, ...refused].map((name) => ({ name, userId: 'someone', scopes: ['read'] }));
    expect(await postAll('/keys', bodies)).toEqual([...stored.map(() => 201), ...refused.map(() => 400)]);
    const { keys } = await get<{ keys: { name: string }[] }>(portal.service, '/keys');
    const known = keys.map(({ name }) => name);
    expect(known).toEqual(expect.arrayContaining(stored));
    const { page } = portal.watched;
    await addRows('/keys', 'keys', others, (name) => ({ name }));
    await page.goto('/portal/keys');
    await expectText(page, 'tbody [data-field="name"]', [...known, ...others]);
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('as URLs of webhooks are stored or refused, and shown as text', async () => {
    // Nobody listens there, and nothing is sent before a dispute.
    const subscriptions = [{ eventType: 'event.dispute.updated', version: 1 }];
    const urls = HOSTILE_STRINGS.map((text) => `http://127.0.0.1:1024/?${text}`);
    const isValid = (url: string) => evaluateTargetUrl(url, { allowLoopback: true }).ok;
    const stored = urls.filter(isValid).slice(0, WEBHOOKS);
    const refused = urls.filter((url) => !isValid(url));
    const bodies = [...stored, ...refused].map((url) => ({ url, subscriptions }));
    expect(await postAll('/v1/webhooks', bodies)).toEqual([...stored.map(() => 201), ...refused.map(() => 400)]);
    const { webhooks } = await get<{ webhooks: { url: string }[] }>(portal.service, '/v1/webhooks');
    expect(webhooks.length).toBeGreaterThanOrEqual(stored.length);
    const { page } = portal.watched;
    await addRows('**/v1/webhooks', 'webhooks', HOSTILE_STRINGS, (url) => ({ url }));
    await page.goto('/portal/webhooks');
    await expectText(page, 'tbody [data-field="url"]', [...webhooks.map(({ url }) => url), ...HOSTILE_STRINGS]);
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('as titles and evidence of many links are shown as text on the page of an event', async () => {
    const { page } = portal.watched;
    const { events } = await eventually(
      () => get<{ events: { universalId: string }[] }>(portal.service, '/v1/events?min_providers=2&limit=1'),
      ({ events }) => events.length > 0,
      120_000,
    );
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

  it('as labels of wallets are stored or refused, and shown as text', async () => {
    const { page } = portal.watched;
    const labels = HOSTILE_STRINGS.filter((text) => labelSchema.safeParse(text).success);
    const addressOf = (index: number) => `0x${String(index).padStart(40, '0')}`;
    const bodies = HOSTILE_STRINGS.map((label, index) => ({ provider: 'venue_b', address: addressOf(index), label }));
    expect(await postAll('/v1/me/wallets', bodies)).toEqual(
      HOSTILE_STRINGS.map((text) => (labels.includes(text) ? 201 : 400)),
    );
    const { wallets } = await get<{ wallets: { address: string; label: string }[] }>(portal.service, '/v1/me/wallets');
    expect(wallets.map(({ label }) => label)).toEqual(expect.arrayContaining(labels));
    const others = HOSTILE_STRINGS.filter((text) => !labels.includes(text));
    await addRows('**/v1/me/wallets', 'wallets', others, (label) => ({ label }));
    await page.goto('/portal/wallets');
    const shown = wallets.map(({ label, address }) => label || shortened(address));
    await expectText(page, 'tbody [data-field="label"] a', [...shown, ...others]);
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
    expect(await violationsOf(page)).toEqual([]);
    await page.unrouteAll({ behavior: 'wait' });
  });
}
