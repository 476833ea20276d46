/** Tests of organizations, keys, quotas and webhooks, for one node and for a cluster. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { answers, type Endpoint, openEndpoint, type Received } from '#stream-gateway/webhooks/endpoint.fixture';
import { type ControlNodes, FREE_REQUESTS_A_DAY } from './control-nodes.ts';
import { expectStatus, sendRequest } from './rest-client.ts';
import { eventually } from './service.ts';
import { openStream } from './stream-client.ts';
import { deliveriesOf, organization } from './tenants.ts';

/** Within this time a new key is accepted, or a revoked one refused, on every node. */
const ONE_SECOND_MS = 1_000;
const REVOKED = 4001;
const POLL_MS = 20;
const TRIES = 5;

/** The suite's nodes, and a function that reports what it measured. */
export interface ControlRun {
  readonly nodes: ControlNodes;
  report(what: string, ms: number): void;
}

/** Milliseconds from `since` until the node answers a request with this token with the status. */
async function msUntilStatus(status: number, node: ControlNodes['apis'][number], token: string, since: number) {
  for (;;) {
    const response = await sendRequest(node, 'GET', '/v1/me/wallets', { token });
    const elapsedMs = performance.now() - since;
    if (response.status === status) return elapsedMs;
    if (elapsedMs > 10 * ONE_SECOND_MS)
      throw new Error(`${response.status} instead of ${status} after ${elapsedMs} ms`);
    await sleep(POLL_MS);
  }
}

/** Opens a socket as soon as the gateway accepts the key. */
async function openStreamWhenAccepted(gateway: ControlNodes['gateway'], token: string, since: number) {
  for (;;) {
    try {
      const stream = await openStream(gateway, token);
      return { stream, elapsedMs: performance.now() - since };
    } catch (error) {
      if (performance.now() - since > 10 * ONE_SECOND_MS) throw error;
      await sleep(POLL_MS);
    }
  }
}

/** Expects that the best of a few measurements is below one second. Repeats, since the machine may be busy. */
async function expectWithinOneSecond(measure: () => Promise<number>): Promise<void> {
  const elapsed: number[] = [];
  while (elapsed.length < TRIES && !elapsed.some((ms) => ms < ONE_SECOND_MS)) elapsed.push(await measure());
  expect(Math.min(...elapsed)).toBeLessThan(ONE_SECOND_MS);
}

const countEach = <T>(items: readonly T[]) =>
  Object.fromEntries([...new Set(items)].map((item) => [String(item), items.filter((other) => other === item).length]));

const ADDRESS = `0x${'a1'.repeat(20)}`;
const WALLET = { provider: 'venue_b', address: ADDRESS, label: 'treasury' };

export function controlSuite(run: ControlRun): void {
  it('a key created on one node is accepted on all within a second, and refused on all within a second of its revocation', async () => {
    const { apis, gateway } = run.nodes;
    const { token: admin } = await organization(run.nodes, 'Keys');
    const key = { name: 'bot', userId: 'u1', scopes: ['read', 'stream'] };
    await expectWithinOneSecond(async () => {
      const created = await expectStatus(201, apis[0], 'POST', '/keys', { token: admin, body: key });
      const { id, token } = created.body as { id: string; token: string };
      const createdAt = performance.now();
      const [socket, ...acceptedAfter] = await Promise.all([
        openStreamWhenAccepted(gateway, token, createdAt),
        ...apis.map((api) => msUntilStatus(200, api, token, createdAt)),
      ]);
      await expectStatus(204, apis[1], 'DELETE', `/keys/${id}`, { token: admin });
      const revokedAt = performance.now();
      const closing = socket.stream.closed.then((code) => ({ code, elapsedMs: performance.now() - revokedAt }));
      const refusedAfter = await Promise.all(apis.map((api) => msUntilStatus(401, api, token, revokedAt)));
      const closed = await closing;
      expect(closed.code).toBe(REVOKED);
      await expect(openStream(gateway, token)).rejects.toThrow('401');
      run.report('key accepted on all nodes', Math.max(...acceptedAfter));
      run.report('key accepted on the gateway', socket.elapsedMs);
      run.report('revoked key refused on all nodes', Math.max(...refusedAfter));
      run.report('its socket closed', closed.elapsedMs);
      return Math.max(socket.elapsedMs, closed.elapsedMs, ...acceptedAfter, ...refusedAfter);
    });
  });

  it('exactly one of 100 simultaneous identical bindings succeeds', async () => {
    const { apis } = run.nodes;
    const { token } = await organization(run.nodes, 'Bindings');
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, nth) =>
        sendRequest(apis[nth % 3]!, 'POST', '/v1/me/wallets', { token, body: WALLET }),
      ),
    );
    expect(countEach(responses.map(({ status, body }) => body.error?.code ?? status))).toEqual({
      201: 1,
      conflict: 99,
    });
    expect(new Set(responses.filter(({ status }) => status !== 201).map(({ status }) => status))).toEqual(
      new Set([409]),
    );
    const won = responses.find(({ status }) => status === 201)!.body;
    for (const api of apis) {
      const listed = await eventually(
        () => expectStatus(200, api, 'GET', '/v1/me/wallets', { token }),
        ({ body }) => body.wallets.length > 0,
      );
      expect(listed.body.wallets).toEqual([won]);
    }
  });

  it('one Idempotency-Key sent to all nodes at once creates one key', async () => {
    const { apis } = run.nodes;
    const { token } = await organization(run.nodes, 'Repeats');
    const headers = { 'idempotency-key': 'the same' };
    const body = { name: 'bot', userId: 'u1', scopes: ['read'] };
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, nth) => sendRequest(apis[nth % 3]!, 'POST', '/keys', { token, headers, body })),
    );
    const created = responses.filter(({ status }) => status === 201);
    const first = created.filter((answer) => answer.headers.get('idempotent-replayed') === null);
    expect(first).toHaveLength(1);
    expect(first[0]!.body.token).toMatch(/^plx_live_/);
    for (const replay of created.filter((answer) => answer !== first[0])) {
      expect(replay.headers.get('idempotent-replayed')).toBe('true');
      expect(replay.body).toEqual({ ...first[0]!.body, token: null });
    }
    // The other requests arrived while the first one was in progress on their node.
    const others = responses.filter(({ status }) => status !== 201);
    expect(others.map(({ status, body }) => [status, body.error.code])).toEqual(others.map(() => [409, 'conflict']));
    for (const api of apis) {
      const replay = await sendRequest(api, 'POST', '/keys', { token, headers, body });
      expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
      const { body: listed } = await expectStatus(200, api, 'GET', '/keys', { token });
      expect(listed.keys).toHaveLength(2);
      const other = await sendRequest(api, 'POST', '/keys', { token, headers, body: { ...body, name: 'another' } });
      expect([other.status, other.body.error.code]).toEqual([422, 'validation_failed']);
    }
  });

  it('a quota applies across all nodes and survives the restart of one', async () => {
    await waitForTimeLeftInDay(60_000);
    const { token } = await organization(run.nodes, 'Small', 'free');
    const request = (nth: number) => sendRequest(run.nodes.apis[nth % 3]!, 'GET', '/v1/me/wallets', { token });
    const perSecond = 25;
    const requests: ReturnType<typeof request>[] = [];
    for (let nth = 0; nth < 2 * FREE_REQUESTS_A_DAY; nth += 1) {
      requests.push(request(nth));
      await sleep(1_000 / perSecond);
    }
    const responses = await Promise.all(requests);
    const served = responses.filter(({ status }) => status === 200).length;
    run.report('requests served beyond a quota (units)', served - FREE_REQUESTS_A_DAY);
    expect(served).toBeGreaterThanOrEqual(FREE_REQUESTS_A_DAY);
    expect(served).toBeLessThanOrEqual(FREE_REQUESTS_A_DAY + run.nodes.overshoot(perSecond));
    expect(countEach(responses.map(({ status }) => status))).toEqual({ 200: served, 429: responses.length - served });

    const expectExhausted = async (nth: number) => {
      const { status, headers, body } = await request(nth);
      expect([status, body.error.code]).toEqual([429, 'quota_exceeded']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(headers.get('x-quota-remaining')).toBe('0');
    };
    for (const nth of [0, 1, 2]) await expectExhausted(nth);
    await run.nodes.restartApi();
    for (const nth of [0, 1, 2]) await expectExhausted(nth);
  });

  it('a suspended organization is refused on all nodes and its sockets are closed, until the suspension ends', async () => {
    const { apis, gateway } = run.nodes;
    const { id, token } = await organization(run.nodes, 'Suspended');
    const suspend = (suspended: boolean) =>
      expectStatus(200, apis[1], 'PATCH', `/v1/organizations/${id}`, { body: { suspended } });
    await expectWithinOneSecond(async () => {
      const sockets = [await openStream(gateway, token), await openStream(gateway, token)];
      await suspend(true);
      const since = performance.now();
      const closing = sockets.map(async ({ closed }) => ({ code: await closed, elapsedMs: performance.now() - since }));
      const refusedAfter = await Promise.all(apis.map((api) => msUntilStatus(401, api, token, since)));
      const closed = await Promise.all(closing);
      expect(closed.map(({ code }) => code)).toEqual([REVOKED, REVOKED]);
      await expect(openStream(gateway, token)).rejects.toThrow('401');
      await suspend(false);
      const resumedAt = performance.now();
      const [socket] = await Promise.all([
        openStreamWhenAccepted(gateway, token, resumedAt),
        ...apis.map((api) => msUntilStatus(200, api, token, resumedAt)),
      ]);
      await socket.stream.close();
      const closedAfter = Math.max(...closed.map(({ elapsedMs }) => elapsedMs));
      run.report('suspended organization refused on all nodes', Math.max(...refusedAfter));
      run.report('its sockets closed', closedAfter);
      return Math.max(closedAfter, ...refusedAfter);
    });
  });

  it('webhooks receive signed live and test events, and lose none when the gateway is killed', async () => {
    const { apis } = run.nodes;
    const { token } = await organization(run.nodes, 'Hooks');
    // No test event is answered before the gateway is killed, so that most of them are pending then.
    let answersTests = false;
    const endpoint: Endpoint = await openEndpoint((response, nth, total) => {
      if (answersTests || typeOf(endpoint.received.at(-1)!) === LIVE_TYPE) answers.slowly(100)(response, nth, total);
    });
    const answerTests = () => {
      answersTests = true;
    };
    try {
      await testDeliveriesThroughKill(run, apis, token, endpoint, answerTests);
    } finally {
      await endpoint.close();
    }
  });

  it('every node returns the state of all processes, and of the log and the store, to the first organization alone', async () => {
    const { apis, gateway } = run.nodes;
    const { token } = await organization(run.nodes, 'Watching');
    await expectStatus(403, apis[1], 'GET', '/v1/system', { token });
    const stream = await openStream(gateway, token);
    for (const api of new Set(apis)) {
      const { body: system } = await eventually(
        () => expectStatus(200, api, 'GET', '/v1/system'),
        ({ body }) => new Set(body.nodes.flatMap(({ roles }: { roles: string[] }) => roles)).size === 4,
      );
      expect(system.nodes.length).toBeGreaterThanOrEqual(new Set([...apis, gateway]).size);
      const stages = system.stages.map(({ stage }: { stage: string }) => stage);
      expect(stages).toEqual(expect.arrayContaining(['candles', 'organizations', 'view.events', 'view.market-status']));
      expect(system.feeds).toContainEqual(expect.objectContaining({ venue: 'venue_b', state: 'connected', lost1h: 0 }));
      const commands = system.log.topics.find(({ topic }: { topic: string }) => topic === 'control.commands');
      expect(commands.records).toBeGreaterThan(0);
      expect(commands.bytes).toBeGreaterThan(100);
      expect(Date.parse(commands.oldestAt)).toBeLessThan(Date.now());
      expect(system.log.bytes).toBeGreaterThan(1_000);
      expect(system.store.tables.find(({ table }: { table: string }) => table === 'audit_log').rows).toBeGreaterThan(0);
      const { body: own } = await eventually(
        () => expectStatus(200, api, 'GET', '/v1/me/stream', { token }),
        ({ body }) => body.keys.length === 1,
      );
      expect(own.keys).toMatchObject([{ sockets: 1, subscriptions: 0, dropped1h: 0 }]);
      expect(own.nodes.map(({ sockets }: { sockets: number }) => sockets)).toContain(1);
    }
    await stream.close();
  });
}

const TESTS = 40;
const TEST_TYPE = 'broker.trade.executed';
const LIVE_TYPE = 'event.spread.changed';
const typeOf = (received: Received) => (JSON.parse(received.body) as { type: string }).type;

async function testDeliveriesThroughKill(
  run: ControlRun,
  apis: ControlNodes['apis'],
  token: string,
  endpoint: Endpoint,
  answerTests: () => void,
) {
  const subscriptions = [TEST_TYPE, LIVE_TYPE].map((eventType) => ({ eventType, version: 1 }));
  const body = { url: endpoint.url, subscriptions };
  const created = await expectStatus(201, apis[0], 'POST', '/v1/webhooks', { token, body });
  const { id, secret } = created.body as { id: string; secret: string };
  const verifier = new Webhook(secret);
  const createdAt = performance.now();
  await eventually(
    async () => endpoint.received.some((received) => typeOf(received) === LIVE_TYPE),
    (has) => has,
    60_000,
  );
  run.report('first live event at a webhook', performance.now() - createdAt);

  const requestedAt = performance.now();
  const requests = await Promise.all(
    Array.from({ length: TESTS }, (_, nth) =>
      expectStatus(202, apis[nth % 3]!, 'POST', `/v1/webhooks/${id}/test`, { token, body: { eventType: TEST_TYPE } }),
    ),
  );
  const expected = requests.map(({ body }) => body.eventId as string);
  const arrived = () => new Set(endpoint.received.map(({ id }) => id));
  const missing = () => expected.filter((eventId) => !arrived().has(eventId));
  await eventually(
    async () => missing().length,
    (count) => count < TESTS,
  );
  run.report('first test at a webhook', performance.now() - requestedAt);
  expect(missing().length).toBeGreaterThan(0);
  answerTests();
  await run.nodes.killGateway();
  const startedAt = performance.now();
  await eventually(
    async () => missing().length,
    (count) => count === 0,
    60_000,
  );
  run.report('all that was pending delivered after the start', performance.now() - startedAt);

  // Live events continued meanwhile. After they are unsubscribed, all existing deliveries must arrive, too.
  await expectStatus(200, run.nodes.apis[1], 'PATCH', `/v1/webhooks/${id}`, {
    token,
    body: { subscriptions: subscriptions.slice(0, 1) },
  });
  const finished = await eventually(
    () => deliveriesOf(run.nodes.apis[2], id, token),
    // Deliveries are listed once the sink has written them.
    (all) => all.length > TESTS && all.length >= arrived().size && all.every(({ status }) => status !== 'pending'),
    60_000,
  );
  expect(countEach(finished.map(({ status }) => status))).toEqual({ delivered: finished.length });
  expect(new Set(finished.map(({ eventId }) => eventId))).toEqual(arrived());
  const bytes = new Map<string, string>();
  for (const { id: eventId, body: bodyText, headers } of endpoint.received) {
    expect(bodyText).toBe(bytes.get(eventId) ?? bodyText);
    bytes.set(eventId, bodyText);
    expect(JSON.parse(bodyText)).toMatchObject({ specversion: '1.0', id: eventId });
    verifier.verify(bodyText, headers as Record<string, string>);
  }
}

/** Waits for the next UTC day if less than `ms` of this one is left. */
async function waitForTimeLeftInDay(ms: number): Promise<void> {
  const left = 86_400_000 - (Date.now() % 86_400_000);
  if (left < ms) await sleep(left);
}
