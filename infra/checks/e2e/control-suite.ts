/** What holds for organizations, keys, quotas and webhooks whatever the service runs on. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { answers, type Endpoint, openEndpoint, type Received } from '#stream-gateway/webhooks/endpoint.fixture';
import { type ControlNodes, FREE_REQUESTS_A_DAY } from './control-nodes.ts';
import { ask, expectAnswer } from './rest-client.ts';
import { eventually } from './service.ts';
import { openStream } from './stream-client.ts';
import { deliveriesOf, organization } from './tenants.ts';

/** Within so long a key is good, or dead, on every node. */
const ONE_SECOND_MS = 1_000;
const REVOKED = 4001;
const LOOK_AGAIN_MS = 20;
const TRIES = 5;

/** The suite's nodes, and where it tells what it measured. */
export interface ControlRun {
  readonly nodes: ControlNodes;
  told(what: string, ms: number): void;
}

/** Milliseconds since `since` until the node answers the token with the status. */
async function answersWith(status: number, node: ControlNodes['apis'][number], token: string, since: number) {
  for (;;) {
    const got = await ask(node, 'GET', '/v1/me/wallets', { token });
    const took = performance.now() - since;
    if (got.status === status) return took;
    if (took > 10 * ONE_SECOND_MS) throw new Error(`${got.status} instead of ${status} after ${took} ms`);
    await sleep(LOOK_AGAIN_MS);
  }
}

/** Opens a socket as soon as the gateway knows the key. */
async function opensWithin(gateway: ControlNodes['gateway'], token: string, since: number) {
  for (;;) {
    try {
      const stream = await openStream(gateway, token);
      return { stream, took: performance.now() - since };
    } catch (error) {
      if (performance.now() - since > 10 * ONE_SECOND_MS) throw error;
      await sleep(LOOK_AGAIN_MS);
    }
  }
}

/** Measures until it took no second, a few times at most: what else the machine is busy with is not what is asked. */
async function soonEnough(measure: () => Promise<number>): Promise<void> {
  const took: number[] = [];
  while (took.length < TRIES && !took.some((ms) => ms < ONE_SECOND_MS)) took.push(await measure());
  expect(Math.min(...took)).toBeLessThan(ONE_SECOND_MS);
}

const counted = <T>(items: readonly T[]) =>
  Object.fromEntries([...new Set(items)].map((item) => [String(item), items.filter((other) => other === item).length]));

const ADDRESS = `0x${'a1'.repeat(20)}`;
const WALLET = { provider: 'venue_b', address: ADDRESS, label: 'treasury' };

export function controlSuite(run: ControlRun): void {
  it('a key made on one node is good on all within a second, and dead on all within a second of its revocation', async () => {
    const { apis, gateway } = run.nodes;
    const { token: admin } = await organization(run.nodes, 'Keys');
    const key = { name: 'bot', userId: 'u1', scopes: ['read', 'stream'] };
    await soonEnough(async () => {
      const made = await expectAnswer(201, apis[0], 'POST', '/keys', { token: admin, body: key });
      const { id, token } = made.body as { id: string; token: string };
      const madeAt = performance.now();
      const [socket, ...goodAfter] = await Promise.all([
        opensWithin(gateway, token, madeAt),
        ...apis.map((api) => answersWith(200, api, token, madeAt)),
      ]);
      await expectAnswer(204, apis[1], 'DELETE', `/keys/${id}`, { token: admin });
      const revokedAt = performance.now();
      const closing = socket.stream.closed.then((code) => ({ code, took: performance.now() - revokedAt }));
      const deadAfter = await Promise.all(apis.map((api) => answersWith(401, api, token, revokedAt)));
      const closed = await closing;
      expect(closed.code).toBe(REVOKED);
      await expect(openStream(gateway, token)).rejects.toThrow('401');
      run.told('key good on all nodes', Math.max(...goodAfter));
      run.told('key good on the gateway', socket.took);
      run.told('revoked key dead on all nodes', Math.max(...deadAfter));
      run.told('its socket closed', closed.took);
      return Math.max(socket.took, closed.took, ...goodAfter, ...deadAfter);
    });
  });

  it('of 100 simultaneous identical bindings exactly one wins', async () => {
    const { apis } = run.nodes;
    const { token } = await organization(run.nodes, 'Bindings');
    const got = await Promise.all(
      Array.from({ length: 100 }, (_, nth) => ask(apis[nth % 3]!, 'POST', '/v1/me/wallets', { token, body: WALLET })),
    );
    expect(counted(got.map(({ status, body }) => body.error?.code ?? status))).toEqual({ 201: 1, conflict: 99 });
    expect(new Set(got.filter(({ status }) => status !== 201).map(({ status }) => status))).toEqual(new Set([409]));
    const won = got.find(({ status }) => status === 201)!.body;
    for (const api of apis) {
      const listed = await eventually(
        () => expectAnswer(200, api, 'GET', '/v1/me/wallets', { token }),
        ({ body }) => body.wallets.length > 0,
      );
      expect(listed.body.wallets).toEqual([won]);
    }
  });

  it('one Idempotency-Key on all nodes at once gives one creation', async () => {
    const { apis } = run.nodes;
    const { token } = await organization(run.nodes, 'Repeats');
    const headers = { 'idempotency-key': 'the same' };
    const body = { name: 'bot', userId: 'u1', scopes: ['read'] };
    const got = await Promise.all(
      Array.from({ length: 12 }, (_, nth) => ask(apis[nth % 3]!, 'POST', '/keys', { token, headers, body })),
    );
    const made = got.filter(({ status }) => status === 201);
    const first = made.filter((answer) => answer.headers.get('idempotent-replayed') === null);
    expect(first).toHaveLength(1);
    expect(first[0]!.body.token).toMatch(/^plx_live_/);
    for (const replay of made.filter((answer) => answer !== first[0])) {
      expect(replay.headers.get('idempotent-replayed')).toBe('true');
      expect(replay.body).toEqual({ ...first[0]!.body, token: null });
    }
    // The others met the first one while it ran on their node.
    const others = got.filter(({ status }) => status !== 201);
    expect(others.map(({ status, body }) => [status, body.error.code])).toEqual(others.map(() => [409, 'conflict']));
    for (const api of apis) {
      const replay = await ask(api, 'POST', '/keys', { token, headers, body });
      expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
      const { body: listed } = await expectAnswer(200, api, 'GET', '/keys', { token });
      expect(listed.keys).toHaveLength(2);
      const other = await ask(api, 'POST', '/keys', { token, headers, body: { ...body, name: 'another' } });
      expect([other.status, other.body.error.code]).toEqual([422, 'validation_failed']);
    }
  });

  it('a quota is one for all nodes, and outlives the restart of one', async () => {
    await dayGoesOnFor(60_000);
    const { token } = await organization(run.nodes, 'Small', 'free');
    const request = (nth: number) => ask(run.nodes.apis[nth % 3]!, 'GET', '/v1/me/wallets', { token });
    const perSecond = 25;
    const asked: ReturnType<typeof request>[] = [];
    for (let nth = 0; nth < 2 * FREE_REQUESTS_A_DAY; nth += 1) {
      asked.push(request(nth));
      await sleep(1_000 / perSecond);
    }
    const got = await Promise.all(asked);
    const served = got.filter(({ status }) => status === 200).length;
    run.told('requests served beyond a quota (units)', served - FREE_REQUESTS_A_DAY);
    expect(served).toBeGreaterThanOrEqual(FREE_REQUESTS_A_DAY);
    expect(served).toBeLessThanOrEqual(FREE_REQUESTS_A_DAY + run.nodes.overshoot(perSecond));
    expect(counted(got.map(({ status }) => status))).toEqual({ 200: served, 429: got.length - served });

    const isExhausted = async (nth: number) => {
      const { status, headers, body } = await request(nth);
      expect([status, body.error.code]).toEqual([429, 'quota_exceeded']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(headers.get('x-quota-remaining')).toBe('0');
    };
    for (const nth of [0, 1, 2]) await isExhausted(nth);
    await run.nodes.restartApi();
    for (const nth of [0, 1, 2]) await isExhausted(nth);
  });

  it('a suspended organization is shut out of all nodes and its sockets are closed, until it is let on', async () => {
    const { apis, gateway } = run.nodes;
    const { id, token } = await organization(run.nodes, 'Suspended');
    const suspend = (suspended: boolean) =>
      expectAnswer(200, apis[1], 'PATCH', `/v1/organizations/${id}`, { body: { suspended } });
    await soonEnough(async () => {
      const sockets = [await openStream(gateway, token), await openStream(gateway, token)];
      await suspend(true);
      const since = performance.now();
      const closing = sockets.map(async ({ closed }) => ({ code: await closed, took: performance.now() - since }));
      const deadAfter = await Promise.all(apis.map((api) => answersWith(401, api, token, since)));
      const closed = await Promise.all(closing);
      expect(closed.map(({ code }) => code)).toEqual([REVOKED, REVOKED]);
      await expect(openStream(gateway, token)).rejects.toThrow('401');
      await suspend(false);
      const letOnAt = performance.now();
      const [socket] = await Promise.all([
        opensWithin(gateway, token, letOnAt),
        ...apis.map((api) => answersWith(200, api, token, letOnAt)),
      ]);
      await socket.stream.close();
      const closedAfter = Math.max(...closed.map(({ took }) => took));
      run.told('suspended organization dead on all nodes', Math.max(...deadAfter));
      run.told('its sockets closed', closedAfter);
      return Math.max(closedAfter, ...deadAfter);
    });
  });

  it('webhooks get live events and tests, signed, and lose nothing by a kill of the gateway', async () => {
    const { apis } = run.nodes;
    const { token } = await organization(run.nodes, 'Hooks');
    const endpoint = await openEndpoint(answers.slowly(100));
    try {
      await sendsThroughKill(run, apis, token, endpoint);
    } finally {
      await endpoint.close();
    }
  });
}

const TESTS = 40;
const TEST_TYPE = 'broker.trade.executed';
const LIVE_TYPE = 'event.spread.changed';

async function sendsThroughKill(run: ControlRun, apis: ControlNodes['apis'], token: string, endpoint: Endpoint) {
  const subscriptions = [TEST_TYPE, LIVE_TYPE].map((eventType) => ({ eventType, version: 1 }));
  const body = { url: endpoint.url, subscriptions };
  const made = await expectAnswer(201, apis[0], 'POST', '/v1/webhooks', { token, body });
  const { id, secret } = made.body as { id: string; secret: string };
  const verifier = new Webhook(secret);
  const madeAt = performance.now();
  const typeOf = (received: Received) => (JSON.parse(received.body) as { type: string }).type;
  await eventually(
    async () => endpoint.received.some((received) => typeOf(received) === LIVE_TYPE),
    (has) => has,
    60_000,
  );
  run.told('first live event at a webhook', performance.now() - madeAt);

  const askedAt = performance.now();
  const asked = await Promise.all(
    Array.from({ length: TESTS }, (_, nth) =>
      expectAnswer(202, apis[nth % 3]!, 'POST', `/v1/webhooks/${id}/test`, { token, body: { eventType: TEST_TYPE } }),
    ),
  );
  const expected = asked.map(({ body }) => body.eventId as string);
  const arrived = () => new Set(endpoint.received.map(({ id }) => id));
  const missing = () => expected.filter((eventId) => !arrived().has(eventId));
  await eventually(
    async () => missing().length,
    (count) => count < TESTS,
  );
  run.told('first test at a webhook', performance.now() - askedAt);
  expect(missing().length).toBeGreaterThan(0);
  await run.nodes.killGateway();
  const startedAt = performance.now();
  await eventually(
    async () => missing().length,
    (count) => count === 0,
    60_000,
  );
  run.told('all that was pending delivered after the start', performance.now() - startedAt);

  // Live events went on meanwhile; once no more are asked for, all that were made arrive too.
  await expectAnswer(200, run.nodes.apis[1], 'PATCH', `/v1/webhooks/${id}`, {
    token,
    body: { subscriptions: subscriptions.slice(0, 1) },
  });
  const settled = await eventually(
    () => deliveriesOf(run.nodes.apis[2], id, token),
    // What arrived is listed once the sink has written it.
    (all) => all.length > TESTS && all.length >= arrived().size && all.every(({ status }) => status !== 'pending'),
    60_000,
  );
  expect(counted(settled.map(({ status }) => status))).toEqual({ delivered: settled.length });
  expect(new Set(settled.map(({ eventId }) => eventId))).toEqual(arrived());
  const bytes = new Map<string, string>();
  for (const { id: eventId, body: bodyText, headers } of endpoint.received) {
    expect(bodyText).toBe(bytes.get(eventId) ?? bodyText);
    bytes.set(eventId, bodyText);
    expect(JSON.parse(bodyText)).toMatchObject({ specversion: '1.0', id: eventId });
    verifier.verify(bodyText, headers as Record<string, string>);
  }
}

/** Waits for the next UTC day where this one has less left than that. */
async function dayGoesOnFor(ms: number): Promise<void> {
  const left = 86_400_000 - (Date.now() % 86_400_000);
  if (left < ms) await sleep(left);
}
