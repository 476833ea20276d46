/**
 * Every route against everyone who may not ask, from the declarations alone: a route that is added is tested here. One
 * with an id in its path needs a line in `THINGS`, and fails without it.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '#schemas/domain/control/state';
import { ROUTES } from './routes/index.ts';
import { missingScopeCode, type Route } from './routes/route.ts';
import { aDelivery, storeDeliveries } from './testing/deliveries.fixture.ts';
import { openTestStore } from './testing/open-test-store.fixture.ts';
import { type AppWorld, type Got, openAppWorld } from './testing/world.fixture.ts';

const GUARDED = ROUTES.filter((route) => route.scope !== null);
const named = (routes: readonly Route[]) => routes.map((route) => [`${route.method} ${route.path}`, route] as const);
const ADDRESS = `0x${'a'.repeat(40)}`;

/** How to make what an id in a path names, by the path before it. */
const THINGS: Readonly<Record<string, object>> = {
  '/keys': { name: 'a', userId: 'u', scopes: ['read'] },
  '/v1/organizations': { name: 'Made', plan: 'free' },
  '/v1/me/wallets': { provider: 'venue_b', address: ADDRESS, label: 'a' },
  '/v1/me/platform-attributions': { provider: 'venue_a', builder: ADDRESS, label: 'a' },
  '/v1/webhooks': {
    url: 'https://hooks.example.com/a',
    subscriptions: [{ eventType: 'event.spread.changed', version: 1 }],
  },
};

/** What stands in the store within a thing, by the path before its id: how to put it there under an id. */
const WITHIN: Readonly<Record<string, (thing: { orgId: string; id: string }, id: string) => Promise<void>>> = {
  '/v1/webhooks/:id/deliveries': ({ orgId, id: webhookId }, id) =>
    storeDeliveries(opened.store, [aDelivery({ orgId, webhookId, id })]),
};
const INNER_ID = 'dlv_inner';

let opened: Awaited<ReturnType<typeof openTestStore>>;
let world: AppWorld;
/** The first organization, so that it can own things of every sort, and another one. */
let owner: string;
let stranger: string;
let revoked: string;
const ids: Record<string, string> = {};
/** A key with every scope but one, by the one. */
const lacking: Record<string, string> = {};

beforeAll(async () => {
  opened = await openTestStore();
  world = await openAppWorld({ store: opened.store });
  owner = world.admin;
  stranger = (await world.organization('Stranger', 'enterprise')).token;
  const key = await world.key(owner, SCOPES);
  await world.ask('DELETE', `/keys/${key.id}`);
  revoked = key.token;
  for (const scope of SCOPES)
    lacking[scope] = (
      await world.key(
        owner,
        SCOPES.filter((other) => other !== scope),
      )
    ).token;
  for (const [path, body] of Object.entries(THINGS)) {
    const got = await world.ask('POST', path, { body });
    if (got.status !== 201) throw new Error(`${path}: ${got.text}`);
    ids[path] = got.body.id;
  }
  const orgId = world.host.state.firstOrganizationId!;
  for (const [path, put] of Object.entries(WITHIN)) await put({ orgId, id: ids[collectionOf(path)]! }, INNER_ID);
});
afterAll(async () => {
  await world.close();
  await opened.close();
});

/** A body that a route takes, where the path alone does not say it. */
const bodyFor = (route: Route) => (route.body ? (THINGS[route.path] ?? {}) : undefined);
/** A path with its ids: the last one stands for all that follow. */
const pathWith = (path: string, [...names]: string[]) =>
  path.replaceAll(/:\w+/g, () => (names.length > 1 ? names.shift()! : names[0]!));
const collectionOf = (path: string) => path.slice(0, path.indexOf('/:'));
const ask = (route: Route, token: string | null, ...names: string[]) =>
  world.ask(route.method, pathWith(route.path, names.length > 0 ? names : ['x']), { token, body: bodyFor(route) });
const codeOf = ({ status, body }: Got) => [status, body?.error?.code];
/** All of an answer but what differs between any two requests. */
const shapeOf = ({ status, body, headers }: Got) => ({
  status,
  error: { ...body?.error, requestId: '' },
  headers: Object.keys(headers).sort(),
});
/** Everything that the owner has, as the owner sees it. */
const everything = async () => {
  const lists = Object.keys(THINGS).map(async (path) => (await world.ask('GET', path)).text);
  return (await Promise.all(lists)).join('\n');
};

describe.each(named(GUARDED))('%s', (_name, route) => {
  it('is for nobody without a good token', async () => {
    const before = await everything();
    const tokens = [null, '', 'x', 'plx_live_x', owner.slice(0, -1), `${owner}A`, owner.toUpperCase(), revoked];
    for (const token of tokens)
      expect(codeOf(await ask(route, token)), String(token)).toEqual([401, 'unauthenticated']);
    expect(await everything()).toBe(before);
  });

  if (route.scope !== 'any')
    it('needs its scope, whatever others the key has', async () => {
      const before = await everything();
      expect(codeOf(await ask(route, lacking[route.scope!]!))).toEqual([403, missingScopeCode(route)]);
      expect(await everything()).toBe(before);
    });
});

const OWN_BY_ID = GUARDED.filter((route) => route.isOwn && route.path.includes('/:'));

describe.each(named(OWN_BY_ID))('%s of another organization', (_name, route) => {
  it('is as one that there is not, and stays as it is', async () => {
    const collection = collectionOf(route.path);
    const id = ids[collection];
    if (id === undefined) throw new Error(`THINGS does not say how to make one of ${collection}`);
    const sandboxed = (await world.key(owner, SCOPES, true)).token;
    for (const token of [stranger, sandboxed]) {
      const before = await everything();
      expect(before).toContain(id);
      const foreign = await ask(route, token, id);
      expect(shapeOf(foreign)).toEqual(shapeOf(await ask(route, token, 'none')));
      expect([403, 404]).toContain(foreign.status);
      expect(foreign.text).not.toContain(id);
      expect(await everything()).toBe(before);
    }
  });
});

const OWN_BY_INNER_ID = OWN_BY_ID.filter(({ path }) => path.split('/:').length > 2);

describe.each(named(OWN_BY_INNER_ID))('%s', (_name, route) => {
  it('takes what is within the own thing alone: that of another is as one that there is not', async () => {
    const collection = collectionOf(route.path);
    const inner = route.path.slice(0, route.path.lastIndexOf('/:'));
    if (!WITHIN[inner]) throw new Error(`WITHIN does not say how to put one into ${inner}`);
    expect((await ask(route, owner, ids[collection]!, INNER_ID)).status).toBeLessThan(300);
    const sandboxed = (await world.key(owner, SCOPES, true)).token;
    for (const token of [stranger, sandboxed, owner]) {
      const own = await world.ask('POST', collection, { token, body: THINGS[collection] });
      const foreign = await ask(route, token, own.body.id, INNER_ID);
      expect(shapeOf(foreign)).toEqual(shapeOf(await ask(route, token, own.body.id, 'none')));
      expect(foreign.status).toBe(404);
      expect(shapeOf(await ask(route, token, 'none', INNER_ID)).status).toBe(404);
    }
  });
});

const OWN_LISTS = GUARDED.filter((route) => route.isOwn && route.method === 'GET' && !route.path.includes('/:'));

describe.each(named(OWN_LISTS))('%s', (_name, route) => {
  it('tells other organizations, and the own sandbox, nothing of what is there', async () => {
    const sandboxed = (await world.key(owner, SCOPES, true)).token;
    for (const token of [stranger, sandboxed]) {
      const got = await ask(route, token);
      for (const id of Object.values(ids)) expect(got.text).not.toContain(id);
      expect(got.headers['cache-control']).toBe('no-store');
    }
  });
});
