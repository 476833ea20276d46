/**
 * Runs two gateways over one log: one sends webhooks under its lease, the other is a standby. When the first one is
 * killed, or is frozen for longer than its lease, the other one must deliver what is pending.
 */
import { once } from 'node:events';
import { Webhook } from 'standardwebhooks';
import { afterAll, expect, it } from 'vitest';
import { type Answer, answers, type Endpoint, openEndpoint } from '#stream-gateway/webhooks/endpoint.fixture';
import { ATTEMPTS_PER_WEBHOOK } from '#stream-gateway/webhooks/limits';
import type { ControlCluster } from './control-nodes.ts';
import type { ControlRun } from './control-suite.ts';
import { expectStatus } from './rest-client.ts';
import { eventually, getHealth, getMetric, type Service } from './service.ts';
import { type DeliveryRow, deliveriesOf, organization } from './tenants.ts';

/** Environment of the second gateway. */
const SECOND_GATEWAY_ENV = {
  // As many attempts as the first gateway makes, all within three seconds.
  PARALLAX_WEBHOOK_SCHEDULE: '0,0.5,0.5,0.5,0.5',
  // Shorter than the lease, so an attempt that was in flight when the process froze has timed out when it resumes.
  PARALLAX_WEBHOOK_TIMEOUT_MS: '8000',
};
const ATTEMPTS = 5;
const EVENT_TYPE = 'broker.trade.executed';
const EVENTS = 40;
const FEW_EVENTS = 10;
/** Requests after which the first gateway is killed. */
const KILLED_AT = 15;
/** Deliveries that wait when a gateway is frozen are due before another one acquires the lease. */
const LATER = { 'retry-after': '10' };
/** The lease expires after ten seconds; the rest is for a busy machine. */
const TAKEOVER_TIMEOUT_MS = 60_000;

type TakeoverRun = ControlRun & { readonly nodes: ControlCluster };

export function takeoverSuite(run: TakeoverRun): void {
  let second: Service | undefined;
  const endpoints: Endpoint[] = [];
  afterAll(async () => {
    await second?.kill();
    for (const endpoint of endpoints) await endpoint.close();
  });
  const openWebhook = async (token: string, answer: Answer) => {
    const endpoint = await openEndpoint(answer);
    endpoints.push(endpoint);
    return createWebhook(run.nodes, token, endpoint);
  };

  it('a standby delivers what a killed gateway left pending, and nothing to a webhook that was disabled meanwhile', async () => {
    const { gateway: first, apis } = run.nodes;
    second = await run.nodes.startExtra('gateway-2', 'stream-gateway', SECOND_GATEWAY_ENV);
    await waitUntilHealthy(second, 'standby');
    const { token } = await organization(run.nodes, 'Killed');
    const stopped = await openWebhook(token, answers.status(503, LATER));
    await stopped.requestTests(FEW_EVENTS);
    await stopped.arrived();

    const flaky = await openWebhook(token, (response, nth, all) => {
      // Events requested after this are pending for certain.
      if (all === KILLED_AT) process.kill(first.process.pid!, 'SIGKILL');
      if (nth === 1 && all % 3 === 0) answers.status(503)(response, nth, all);
      else answers.slowly(100)(response, nth, all);
    });
    const requesting = flaky.requestTests(EVENTS);
    await waitForExit(first);
    const exitedAt = performance.now();
    const sentBefore = await stopped.disable();
    await requesting;
    await waitUntilHealthy(second, 'active');
    run.report('webhooks taken over after a kill', performance.now() - exitedAt);
    const restarting = run.nodes.killGateway();

    const deliveries = await readFinishedDeliveries(apis[2], second, token, [flaky, stopped]);
    run.report('and all delivered', performance.now() - exitedAt);
    await flaky.arrived();
    flaky.checkRequests();
    expectDelivered(deliveries.get(flaky)!, EVENTS);
    // Only attempts that were in flight, or whose response was not recorded yet, are repeated.
    const recorded = deliveries.get(flaky)!.reduce((sum, { attempts }) => sum + attempts.length, 0);
    expect(flaky.endpoint.received.length).toBeLessThanOrEqual(recorded + ATTEMPTS_PER_WEBHOOK);
    expectWithdrawn(deliveries.get(stopped)!);
    expect(stopped.endpoint.received).toHaveLength(sentBefore);
    await restarting;
    await waitUntilHealthy(run.nodes.gateway, 'standby');
  });

  it('a gateway that was frozen for longer than its lease sends nothing more and disables no webhook', async () => {
    const { apis, gateway: other } = run.nodes;
    const frozen = second!;
    const { token } = await organization(run.nodes, 'Frozen');
    let isFrozen = false;
    const stopped = await openWebhook(token, answers.status(503, LATER));
    const waiting = await openWebhook(token, (response, nth, all) =>
      (isFrozen ? answers.status(204) : answers.status(503, LATER))(response, nth, all),
    );
    const last = await openWebhook(token, (response, nth, all) => {
      if (nth < ATTEMPTS) answers.status(503)(response, nth, all);
      else if (isFrozen) answers.status(204)(response, nth, all);
      else {
        // The last attempt is never answered, since its sender is frozen.
        isFrozen = true;
        process.kill(frozen.process.pid!, 'SIGSTOP');
      }
    });
    const hooks = [stopped, waiting, last];
    await Promise.all([stopped.requestTests(FEW_EVENTS), waiting.requestTests(EVENTS)]);
    await Promise.all([stopped.arrived(), waiting.arrived()]);
    await last.requestTests(1);
    await eventually(
      async () => isFrozen,
      (is) => is,
    );
    const frozenAt = performance.now();
    const sentBefore = await stopped.disable();
    await waitUntilHealthy(other, 'active');
    run.report('webhooks taken over after a freeze', performance.now() - frozenAt);

    const deliveries = await readFinishedDeliveries(apis[2], other, token, hooks);
    for (const hook of hooks) hook.checkRequests();
    expectDelivered(deliveries.get(waiting)!, EVENTS);
    expectDelivered(deliveries.get(last)!, 1);
    expect(deliveries.get(last)![0]!.attempts.map(({ status }) => status)).toEqual([503, 503, 503, 503, 204]);
    expectWithdrawn(deliveries.get(stopped)!);

    // From here on every request comes from the frozen gateway, whose state is outdated.
    const requests = () => hooks.map(({ endpoint }) => endpoint.received.length);
    const requestsBefore = requests();
    frozen.process.kill('SIGCONT');
    const thawedAt = performance.now();
    await waitForExit(frozen);
    run.report('ended after a freeze', performance.now() - thawedAt);
    expect(frozen.process.exitCode).toBe(1);
    expect(frozen.logs()).toContain('another process has taken over');
    expect(requests()).toEqual(requestsBefore);
    expect(stopped.endpoint.received).toHaveLength(sentBefore);
    expect(await stopped.read()).toMatchObject({ enabled: false, disabledReason: 'manual' });
    for (const hook of [waiting, last])
      expect(await hook.read()).toMatchObject({ enabled: true, disabledReason: null });

    // If it appended anything to the log, it is listed before the next deliveries.
    for (const hook of [waiting, last]) await hook.requestTests(1);
    const after = await readFinishedDeliveries(apis[2], other, token, [waiting, last]);
    for (const hook of [waiting, last]) {
      await hook.arrived();
      expect(after.get(hook)!.slice(1)).toEqual(deliveries.get(hook));
    }
  });
}

type Hook = Awaited<ReturnType<typeof createWebhook>>;

/** Creates a webhook that receives only the test events that are requested. */
async function createWebhook({ apis }: ControlCluster, token: string, endpoint: Endpoint) {
  const subscriptions = [{ eventType: EVENT_TYPE, version: 1 }];
  const created = await expectStatus(201, apis[0], 'POST', '/v1/webhooks', {
    token,
    body: { url: endpoint.url, subscriptions },
  });
  const { id, secret } = created.body as { id: string; secret: string };
  const verifier = new Webhook(secret);
  const requestedIds: string[] = [];
  return {
    id,
    endpoint,
    /** Number of requested events. */
    get requested() {
      return requestedIds.length;
    },
    /** Requests test events, on all nodes in turn. */
    async requestTests(count: number): Promise<void> {
      const answered = await Promise.all(
        Array.from({ length: count }, (_, nth) =>
          expectStatus(202, apis[nth % 3]!, 'POST', `/v1/webhooks/${id}/test`, { token }),
        ),
      );
      requestedIds.push(...answered.map(({ body }) => body.eventId as string));
    },
    /** Waits until every requested event has arrived. */
    arrived: () =>
      eventually(
        async () => {
          const arrived = new Set(endpoint.received.map(({ id: eventId }) => eventId));
          return requestedIds.filter((eventId) => !arrived.has(eventId));
        },
        (missing) => missing.length === 0,
      ),
    /** Expects that every request carries a requested event, signed, and with the same bytes each time. */
    checkRequests(): void {
      const bytes = new Map<string, string>();
      for (const { id: eventId, body, headers } of endpoint.received) {
        expect(requestedIds).toContain(eventId);
        expect(body).toBe(bytes.get(eventId) ?? body);
        bytes.set(eventId, body);
        expect(verifier.verify(body, headers as Record<string, string>)).toMatchObject({ id: eventId });
      }
    },
    read: async () => (await expectStatus(200, apis[1], 'GET', `/v1/webhooks/${id}`, { token })).body,
    /** Disables the webhook. Returns the number of requests received by then. */
    async disable(): Promise<number> {
      await expectStatus(200, apis[1], 'PATCH', `/v1/webhooks/${id}`, { token, body: { enabled: false } });
      return endpoint.received.length;
    },
  };
}

async function waitForExit({ process: child }: Service): Promise<void> {
  if (child.exitCode === null && child.signalCode === null)
    await once(child, 'exit', { signal: AbortSignal.timeout(TAKEOVER_TIMEOUT_MS) });
}

/** Waits until a gateway sends webhooks, or is a standby. On a busy machine it is degraded while stages are behind. */
async function waitUntilHealthy(service: Service, expected: 'active' | 'standby'): Promise<void> {
  await eventually(
    () => getHealth(service),
    ({ status, webhooks }) => status === 'ok' && webhooks === expected,
    TAKEOVER_TIMEOUT_MS,
  );
}

/** Reads the deliveries of each webhook, newest first, once none is pending and the sender is idle. */
async function readFinishedDeliveries(
  api: Service,
  sender: Service,
  token: string,
  hooks: readonly Hook[],
): Promise<ReadonlyMap<Hook, readonly DeliveryRow[]>> {
  const read = async () => {
    const rows = new Map<Hook, readonly DeliveryRow[]>();
    for (const hook of hooks) rows.set(hook, await deliveriesOf(api, hook.id, token));
    return rows;
  };
  const rows = await eventually(
    read,
    (all) =>
      [...all].every(
        ([{ requested }, rows]) => rows.length === requested && rows.every(({ status }) => status !== 'pending'),
      ),
    60_000,
  );
  await eventually(
    () => getMetric(sender, 'parallax_webhook_deliveries_pending'),
    (pending) => pending === 0,
  );
  return rows;
}

/** Expects that each delivery succeeded on its last attempt only. */
function expectDelivered(rows: readonly DeliveryRow[], count: number): void {
  expect(rows).toHaveLength(count);
  for (const { status, attempts } of rows) {
    expect(status).toBe('delivered');
    const accepted = attempts.map((attempt) => attempt.status === 200 || attempt.status === 204);
    expect(accepted).toEqual([...accepted.slice(1).fill(false), true]);
  }
}

/** Expects that each delivery failed because its webhook is disabled. */
function expectWithdrawn(rows: readonly DeliveryRow[]): void {
  expect(rows).toHaveLength(FEW_EVENTS);
  for (const { status, attempts } of rows)
    expect({ status, last: attempts.at(-1) }).toMatchObject({ status: 'failed', last: { error: 'webhook_disabled' } });
}
