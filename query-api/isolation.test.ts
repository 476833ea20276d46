/**
 * Tests every route against callers without access, based on its declaration alone, so that new routes are tested too.
 * A route with an id in its path needs an entry in `RESOURCES`, and fails without it.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RequestError } from '#infra/requests/request-error';
import { SCOPES } from '#schemas/domain/control/state';
import { ROUTES } from './routes/index.ts';
import { missingScopeCode, type Route } from './routes/route.ts';
import { aDelivery, insertDeliveries } from './testing/deliveries.fixture.ts';
import { openTestStore } from './testing/open-test-store.fixture.ts';
import { requestsAnsweredBy } from './testing/requests.fixture.ts';
import { openTestService, type TestResponse, type TestService } from './testing/test-service.fixture.ts';

const GUARDED = ROUTES.filter((route) => route.scope !== null);
const named = (routes: readonly Route[]) => routes.map((route) => [`${route.method} ${route.path}`, route] as const);
const ADDRESS = `0x${'a'.repeat(40)}`;

/** The body that creates a resource, by the path of its collection. */
const RESOURCES: Readonly<Record<string, object>> = {
  '/keys': { name: 'a', userId: 'u', scopes: ['read'] },
  '/v1/organizations': { name: 'Created', plan: 'free' },
  '/v1/me/wallets': { provider: 'venue_b', address: ADDRESS, label: 'a' },
  '/v1/me/platform-attributions': { provider: 'venue_a', builder: ADDRESS, label: 'a' },
  '/v1/webhooks': {
    url: 'https://hooks.example.com/a',
    subscriptions: [{ eventType: 'event.spread.changed', version: 1 }],
  },
};

/** Valid bodies of routes that require one and create no resource, by path. */
const ARGUMENTS: Readonly<Record<string, object>> = {
  '/v1/accounts/batch': { users: [ADDRESS] },
  '/v1/portfolio/refresh': { user: ADDRESS },
  '/v1/webhooks/:id/recover': { since: '0' },
  '/v1/portfolio/performance/heads/batch': { users: [ADDRESS] },
};

/** Stores a nested resource with the given id, by the path of its collection. */
const NESTED: Readonly<Record<string, (parent: { orgId: string; id: string }, id: string) => Promise<void>>> = {
  '/v1/webhooks/:id/deliveries': ({ orgId, id: webhookId }, id) =>
    insertDeliveries(opened.store, [aDelivery({ orgId, webhookId, id })]),
};
const NESTED_ID = 'dlv_inner';

/** Ids of resources that no route lists, by the path of their collection: backfills, whose states ingest returns. */
const UNLISTED: Readonly<Record<string, string>> = { '/v1/me/backfills': 'bf_owned' };

/** Ingest with a backfill of the owner. It answers nothing else. */
const requests = requestsAnsweredBy((kind, { id, orgId }: { readonly id: string; readonly orgId: string }) => {
  if (kind !== 'venue_b.backfill-state') throw new RequestError('late');
  const isOwned = id === UNLISTED['/v1/me/backfills'] && orgId === service.control.state.firstOrganizationId;
  const nothing = { reason: null, fromBlock: null, toBlock: null, fills: 0, startedAt: 0, endedAt: null };
  return isOwned ? { id, walletId: 'wal_1', status: 'queued', ...nothing } : null;
});

let opened: Awaited<ReturnType<typeof openTestStore>>;
let service: TestService;
/** Admin tokens of the first organization, which can own resources of every kind, and of another one. */
let owner: string;
let stranger: string;
let revoked: string;
const ids: Record<string, string> = {};
/** A key with all scopes except one, by that scope. */
const lacking: Record<string, string> = {};

beforeAll(async () => {
  opened = await openTestStore();
  service = await openTestService({ store: opened.store, requests });
  owner = service.admin;
  stranger = (await service.organization('Stranger', 'enterprise')).token;
  const key = await service.key(owner, SCOPES);
  await service.request('DELETE', `/keys/${key.id}`);
  revoked = key.token;
  for (const scope of SCOPES)
    lacking[scope] = (
      await service.key(
        owner,
        SCOPES.filter((other) => other !== scope),
      )
    ).token;
  for (const [path, body] of Object.entries(RESOURCES)) {
    const got = await service.request('POST', path, { body });
    if (got.status !== 201) throw new Error(`${path}: ${got.text}`);
    ids[path] = got.body.id;
  }
  const orgId = service.control.state.firstOrganizationId!;
  for (const [path, put] of Object.entries(NESTED)) await put({ orgId, id: ids[collectionOf(path)]! }, NESTED_ID);
});
afterAll(async () => {
  await service.close();
  await opened.close();
});

/** A valid body for a route. */
const bodyFor = (route: Route) => (route.body ? (RESOURCES[route.path] ?? ARGUMENTS[route.path] ?? {}) : undefined);
/** Fills the ids into a path; the last one is used for all remaining parameters. */
const pathWith = (path: string, [...names]: string[]) =>
  path.replaceAll(/:\w+/g, () => (names.length > 1 ? names.shift()! : names[0]!));
const collectionOf = (path: string) => path.slice(0, path.indexOf('/:'));
const send = (route: Route, token: string | null, ...names: string[]) =>
  service.request(route.method, pathWith(route.path, names.length > 0 ? names : ['x']), {
    token,
    body: bodyFor(route),
  });
const codeOf = ({ status, body }: TestResponse) => [status, body?.error?.code];
/** The parts of a response that do not differ between requests. */
const shapeOf = ({ status, body, headers }: TestResponse) => ({
  status,
  error: { ...body?.error, requestId: '' },
  headers: Object.keys(headers).sort(),
});
/** All resources of the owner, as the owner sees them, except for when keys were last used: each request changes that. */
const everything = async () => {
  const lists = Object.keys(RESOURCES).map(async (path) => (await service.request('GET', path)).text);
  return (await Promise.all(lists)).join('\n').replaceAll(/"lastUsedAt":(null|"[^"]*")/g, '');
};

describe.each(named(GUARDED))('%s', (_name, route) => {
  it('answers 401 without a valid token and changes nothing', async () => {
    const before = await everything();
    const tokens = [null, '', 'x', 'plx_live_x', owner.slice(0, -1), `${owner}A`, owner.toUpperCase(), revoked];
    for (const token of tokens)
      expect(codeOf(await send(route, token)), String(token)).toEqual([401, 'unauthenticated']);
    expect(await everything()).toBe(before);
  });

  if (route.scope !== 'any')
    it('answers 403 to a key that has all scopes but the required one', async () => {
      const before = await everything();
      expect(codeOf(await send(route, lacking[route.scope!]!))).toEqual([403, missingScopeCode(route)]);
      expect(await everything()).toBe(before);
    });
});

const CALLER_ROUTES_BY_ID = GUARDED.filter((route) => route.dependsOnCaller && route.path.includes('/:'));

describe.each(named(CALLER_ROUTES_BY_ID))('%s of another organization', (_name, route) => {
  it('is answered like an unknown id and stays unchanged', async () => {
    const collection = collectionOf(route.path);
    const unlisted = UNLISTED[collection];
    const id = unlisted ?? ids[collection];
    if (id === undefined) throw new Error(`add a body for ${collection} to RESOURCES`);
    const sandboxed = (await service.key(owner, SCOPES, true)).token;
    for (const token of [stranger, sandboxed]) {
      const before = await everything();
      if (unlisted) expect((await send(route, owner, id)).status).toBe(200);
      else expect(before).toContain(id);
      const foreign = await send(route, token, id);
      expect(shapeOf(foreign)).toEqual(shapeOf(await send(route, token, 'none')));
      expect([403, 404]).toContain(foreign.status);
      expect(foreign.text).not.toContain(id);
      expect(await everything()).toBe(before);
    }
  });
});

const CALLER_ROUTES_BY_NESTED_ID = CALLER_ROUTES_BY_ID.filter(({ path }) => path.split('/:').length > 2);

describe.each(named(CALLER_ROUTES_BY_NESTED_ID))('%s', (_name, route) => {
  it('finds a nested resource only under its own parent, and answers others like an unknown id', async () => {
    const collection = collectionOf(route.path);
    const inner = route.path.slice(0, route.path.lastIndexOf('/:'));
    if (!NESTED[inner]) throw new Error(`add a function for ${inner} to NESTED`);
    expect((await send(route, owner, ids[collection]!, NESTED_ID)).status).toBeLessThan(300);
    const sandboxed = (await service.key(owner, SCOPES, true)).token;
    for (const token of [stranger, sandboxed, owner]) {
      const own = await service.request('POST', collection, { token, body: RESOURCES[collection] });
      const foreign = await send(route, token, own.body.id, NESTED_ID);
      expect(shapeOf(foreign)).toEqual(shapeOf(await send(route, token, own.body.id, 'none')));
      expect(foreign.status).toBe(404);
      expect(shapeOf(await send(route, token, 'none', NESTED_ID)).status).toBe(404);
    }
  });
});

const CALLER_LISTS = GUARDED.filter(
  (route) => route.dependsOnCaller && route.method === 'GET' && !route.path.includes('/:'),
);

describe.each(named(CALLER_LISTS))('%s', (_name, route) => {
  it('returns nothing of the owner to other organizations and to its own sandbox keys', async () => {
    const sandboxed = (await service.key(owner, SCOPES, true)).token;
    for (const token of [stranger, sandboxed]) {
      const got = await send(route, token);
      for (const id of Object.values(ids)) expect(got.text).not.toContain(id);
      // No cache that others share may store it.
      expect(got.headers['cache-control']).toMatch(/^(?:no-store$|private\b)/);
    }
  });
});
