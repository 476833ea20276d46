/** Runs every route against the data of the sandbox, and records requests and answers. */
import { z } from 'zod';
import { SCOPES } from '#schemas/domain/control/state';
import { auditLogTable } from '#schemas/tables/audit-log';
import { type LedgerEventRow, ledgerEventTopic } from '#schemas/topics/ledgers';
import { cloudEventBody } from '#schemas/webhooks/cloud-event';
import { SAMPLES } from '#schemas/webhooks/samples';
import { ALL_NAMES } from '../markets/family-cases.fixture.ts';
import { ROUTES } from '../routes/index.ts';
import type { Route } from '../routes/route.ts';
import { viewsOf } from '../sandbox/data-set.ts';
import { readDataSet } from '../sandbox/data-set-file.ts';
import { readInfoResponses } from '../sandbox/info-responses.ts';
import { openSandbox } from '../sandbox/open-sandbox.ts';
import { aDelivery, anAttempt, insertAttempts, insertDeliveries } from '../testing/deliveries.fixture.ts';
import { insertRows } from '../testing/insert-rows.fixture.ts';
import { openTestStore } from '../testing/open-test-store.fixture.ts';
import { NOON_MS } from '../testing/records.fixture.ts';
import { requestsAnsweredBy } from '../testing/requests.fixture.ts';
import { openTestService, type TestService } from '../testing/test-service.fixture.ts';
import { ERROR_EXAMPLE, type Example } from './examples.ts';
import { operationId, templateOf } from './naming.ts';
import { createStabiliser, shortened } from './stable-values.fixture.ts';

/** The day of which the data set has daily rows. */
const DAY = '2026-01-14';
const LIMIT = 2;
/** The end of the data set, for the windows of quotas. */
const NOW_MS = Date.UTC(2026, 0, 15, 13, 10);
const ADDRESS = `0x${'1c43'.repeat(10)}`;
const DELIVERY = 'dlv_0f3b9a1c';
const BACKFILL = '5b0c7e1e-6c3a-4f53-9f7e-2f1f5f0c9a10';

/** How a route about resources of the caller is called. */
interface Step {
  readonly call: string;
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string>>;
  /** As the admin of the first organization, where a sandbox key gets nothing. */
  readonly isLive?: boolean;
  /** With the session that an earlier step opened. */
  readonly hasSession?: boolean;
  /** Prepares a later step and is no example. */
  readonly isPreparation?: boolean;
  /** The status, where it is not the first one that the route declares. */
  readonly status?: number;
}

const WALLET = { provider: 'venue_b', address: ADDRESS, label: 'Treasury' };
const ATTRIBUTION = { provider: 'venue_a', builder: ADDRESS, label: 'Our front end' };
const SUBSCRIPTION = { eventType: 'event.arbitrage.detected', version: 1 };

/** In this order, since later steps use what earlier ones created. Other reads of the caller's resources follow. */
const STEPS: readonly Step[] = [
  { call: 'POST /keys', body: { name: 'desk', userId: 'ada', scopes: ['read', 'stream'] }, isLive: true },
  { call: 'GET /keys', isLive: true },
  { call: 'DELETE /keys/:id', isLive: true },
  { call: 'POST /v1/session' },
  { call: 'GET /v1/session', hasSession: true },
  { call: 'DELETE /v1/session', hasSession: true },
  { call: 'POST /v1/organizations', body: { name: 'Fund', plan: 'pro' }, isLive: true },
  { call: 'GET /v1/organizations', isLive: true },
  { call: 'PATCH /v1/organizations/:id', body: { suspended: true }, isLive: true },
  { call: 'DELETE /v1/organizations/:id', isLive: true },
  { call: 'POST /v1/me/wallets', body: WALLET, isLive: true },
  { call: 'GET /v1/me/wallets', isLive: true },
  { call: 'POST /v1/me/wallets/:id/history-backfill', isLive: true },
  { call: 'POST /v1/portfolio/refresh', body: { user: ADDRESS, windows: ['1D'] }, isLive: true },
  { call: 'POST /v1/me/wallets/:id/history-backfill', isLive: true, status: 202 },
  { call: 'GET /v1/me/backfills/:requestId', isLive: true },
  { call: 'DELETE /v1/me/wallets/:id', isLive: true },
  { call: 'POST /v1/me/platform-attributions', body: ATTRIBUTION },
  { call: 'POST /v1/me/platform-attributions', body: ATTRIBUTION, status: 200 },
  { call: 'GET /v1/me/platform-attributions' },
  { call: 'DELETE /v1/me/platform-attributions/:id' },
  {
    call: 'POST /v1/webhooks',
    body: { url: 'https://hooks.example.com/parallax', subscriptions: [{ ...SUBSCRIPTION, filters: {} }] },
  },
  { call: 'GET /v1/webhooks' },
  { call: 'GET /v1/webhooks/:id' },
  { call: 'PATCH /v1/webhooks/:id', body: { enabled: true } },
  { call: 'POST /v1/webhooks/:id/test', body: { eventType: SUBSCRIPTION.eventType } },
  { call: 'POST /v1/webhooks/:id/secret' },
  { call: 'GET /v1/webhooks/:id/deliveries' },
  { call: 'GET /v1/webhooks/:id/deliveries/:deliveryId' },
  { call: 'POST /v1/webhooks/:id/deliveries/:deliveryId/redeliver' },
  { call: 'POST /v1/webhooks/:id/recover', body: { since: '2026-01-15T12:00:00.000Z' } },
  { call: 'POST /v1/webhooks/:id/recover', body: { since: '2026-01-15T12:00:00.000Z', dryRun: true }, status: 200 },
  { call: 'GET /v1/system', isLive: true },
  { call: 'DELETE /v1/webhooks/:id' },
];

const nameOf = ({ method, path }: Route) => `${method} ${path}`;

/** Examples of every operation and status of a success, in the order of the routes, and one of an error. */
export async function makeExamples(): Promise<Example[]> {
  const { store, close } = await openTestStore();
  let backfills = 0;
  /** A backfill that ends in time, then one that takes longer. */
  const answer = (_kind: string, { id = 'bf_1' }: { readonly id?: string }) => {
    backfills += 1;
    const isDone = backfills === 1;
    return {
      id,
      walletId: 'wal_1',
      status: isDone ? 'done' : 'running',
      reason: null,
      fills: 3,
      fromBlock: 71_000_000,
      toBlock: 71_302_400,
      startedAt: NOON_MS,
      endedAt: isDone ? NOON_MS + 9_000 : null,
    };
  };
  const sandbox = openSandbox(store);
  const hints = [{ window: '1D', accepted: true, nextHintAt: NOW_MS + 60_000 }];
  const requests = requestsAnsweredBy((kind, params) =>
    kind.endsWith('.series-refresh') ? { hints } : answer(kind, params),
  );
  const service = await openTestService({ store, sandbox, requests, wallNow: () => NOW_MS });
  try {
    const token = (await service.key(service.admin, SCOPES, true)).token;
    const recorder = new Recorder(service, token);
    const orgId = service.control.state.firstOrganizationId!;
    const keyId = /_([0-9a-f-]{36})\./.exec(token)![1]!;
    const audit = { id: 'cmd_1', orgId, receivedAt: NOON_MS, at: NOON_MS, keyId, userId: 'ada', targetId: DELIVERY };
    await insertRows(store, auditLogTable, [{ ...audit, action: 'webhook.redeliver', sandbox: true }]);
    const moneySteps = await recordMoney(recorder);
    for (const step of STEPS) {
      await recorder.run(step);
      if (step.call === 'POST /v1/webhooks') await addDelivery(store, orgId, recorder.ids.get('/v1/webhooks')!);
    }
    const known = new Set([...moneySteps, ...STEPS].map(({ call }) => call));
    for (const route of ROUTES.filter((one) => one.dependsOnCaller && !known.has(nameOf(one)))) {
      if (route.method !== 'GET' || route.path.includes(':'))
        throw new Error(`add a step for ${nameOf(route)} to STEPS in query-api/openapi/make-examples.fixture.ts`);
      await recorder.run({ call: nameOf(route) });
    }
    for (const route of ROUTES.filter(({ dependsOnCaller }) => !dependsOnCaller)) await recorder.runShared(route);
    await recorder.runError();
    const order = new Map(ROUTES.map((route, at) => [operationId(route), at]));
    return recorder.examples.sort(
      (one, other) => (order.get(one.operationId) ?? order.size) - (order.get(other.operationId) ?? order.size),
    );
  } finally {
    await service.close();
    await close();
  }
}

/** Runs the routes about money with a wallet whose account has fills and a value in the data set. Returns their steps. */
async function recordMoney(recorder: Recorder): Promise<Step[]> {
  const rows = (await readDataSet()).filter(({ topic }) => topic === ledgerEventTopic.name);
  // A sale that closes a lot shows most.
  const {
    account: name,
    instrument,
    builder,
  } = rows
    .map(({ value }) => value as LedgerEventRow)
    .find(({ account, closes }) => account.startsWith('venue_b:') && closes.length > 0)!;
  const [provider, address] = name.split(':');
  await recorder.run({
    call: 'POST /v1/me/wallets',
    body: { provider, address, label: 'Market maker' },
    isPreparation: true,
  });
  const walletId = recorder.ids.get('/v1/me/wallets')!;
  const book = { walletId, tokenId: instrument, ...(builder === null ? {} : { builder }) };
  const positionsOf = (await readInfoResponses()).find(({ request }) => request.user)!.request.user;
  const steps: Step[] = [
    { call: 'GET /v1/me/fills' },
    { call: 'GET /v1/me/pnl' },
    { call: 'GET /v1/me/pnl/curve' },
    { call: 'GET /v1/me/pnl/explain', query: book },
    { call: 'GET /v1/me/platform-volume' },
    { call: 'GET /v1/me/stats' },
    { call: 'GET /v1/me/wallets/:id/nav' },
    { call: 'GET /v1/me/wallets/nav' },
    { call: 'GET /v1/positions', query: { user: positionsOf!, provider: 'venue_a' } },
    { call: 'GET /v1/portfolio/legacy', query: { user: positionsOf!, provider: 'venue_a' } },
  ];
  await recorder.run({ call: 'POST /v1/me/platform-attributions', body: ATTRIBUTION, isPreparation: true });
  for (const step of steps) await recorder.run(step);
  // Later examples are those of a caller without fills and builders.
  await recorder.run({ call: 'DELETE /v1/me/platform-attributions/:id', isPreparation: true });
  await recorder.run({ call: 'DELETE /v1/me/wallets/:id', isPreparation: true });
  return [...steps, ...(await recordCurves(recorder, address!))];
}

/** Runs the routes about series with a wallet of venue_a, whose series is in the data set. Returns their steps. */
async function recordCurves(recorder: Recorder, address: string): Promise<Step[]> {
  const body = { provider: 'venue_a', address, label: 'Market maker' };
  await recorder.run({ call: 'POST /v1/me/wallets', body, isPreparation: true });
  const steps: Step[] = [
    { call: 'GET /v1/me/wallets/:id/pnl-curve', query: { window: '1D' } },
    { call: 'GET /v1/me/wallets/pnl-curve', query: { window: '1D' } },
    { call: 'GET /v1/me/wallets/:id/nav-curve', query: { window: '1D' } },
    { call: 'GET /v1/me/wallets/nav-curve', query: { window: '1D' } },
    { call: 'GET /v1/me/wallets/:id/roi' },
    { call: 'GET /v1/portfolio', query: { user: address, provider: 'venue_a' } },
    { call: 'GET /v1/portfolio/performance', query: { user: address, provider: 'venue_a', windows: '1D' } },
    { call: 'POST /v1/portfolio/performance/heads/batch', body: { users: [address], windows: ['1D'] } },
    { call: 'GET /v1/portfolio/nav', query: { user: address, provider: 'venue_a', window: '1D' } },
    { call: 'GET /v1/portfolio/pnl', query: { user: address, provider: 'venue_a', window: '1D' } },
    { call: 'POST /v1/accounts/batch', body: { users: [address] } },
  ];
  for (const step of steps) await recorder.run(step);
  await recorder.run({ call: 'DELETE /v1/me/wallets/:id', isPreparation: true });
  return steps;
}

async function addDelivery(
  store: Parameters<typeof insertDeliveries>[0],
  orgId: string,
  webhookId: string,
): Promise<void> {
  const eventType = SUBSCRIPTION.eventType as keyof typeof SAMPLES;
  const eventId = 'we_783685afbf73784509e4692ced0172b1';
  const data = SAMPLES[eventType];
  const subject = 'evt_sample';
  const body = cloudEventBody({ id: eventId, type: eventType, version: 1, time: NOON_MS, subject, data });
  await insertDeliveries(store, [aDelivery({ id: DELIVERY, orgId, webhookId, eventId, eventType, body })]);
  const failed = {
    deliveryId: DELIVERY,
    orgId,
    webhookId,
    status: 500,
    outcome: 'retry',
    nextAttemptAt: NOON_MS + 5_000,
  };
  await insertAttempts(store, [
    anAttempt(failed as Parameters<typeof anAttempt>[0]),
    anAttempt({ deliveryId: DELIVERY, orgId, webhookId, attempt: 2, receivedAt: NOON_MS + 5_000 }),
  ]);
}

class Recorder {
  readonly examples: Example[] = [];
  /** The newest id by the path of its collection. */
  readonly ids = new Map<string, string>();
  private readonly service: TestService;
  private readonly token: string;
  private readonly stable = createStabiliser(Date.now());
  private events: Promise<readonly string[]> | null = null;
  private session: Readonly<Record<string, string>> = {};

  constructor(service: TestService, token: string) {
    this.service = service;
    this.token = token;
  }

  /** Runs a route about resources of the caller. */
  async run(step: Step): Promise<void> {
    const route = ROUTES.find((one) => nameOf(one) === step.call);
    if (!route) throw new Error(`there is no route ${step.call}`);
    const search = new URLSearchParams({ ...step.query, ...(this.isLimited(route) ? { limit: String(LIMIT) } : {}) });
    const path = this.fill(route.path) + (search.size > 0 ? `?${search}` : '');
    const { body, isLive = false, hasSession = false, status = route.statuses[0]! } = step;
    const headers = hasSession ? this.session : {};
    const token = hasSession ? null : isLive ? this.service.admin : this.token;
    const got = await this.service.request(route.method, path, { token, headers, ...(body ? { body } : {}) });
    if (got.status !== status) throw new Error(`${step.call} answered ${got.status}: ${got.text}`);
    if (step.call === 'POST /v1/session') {
      const cookie = String(got.headers['set-cookie']).split(';')[0]!;
      const { body: opened } = await this.service.request('GET', path, { token: null, headers: { cookie } });
      this.session = { cookie, 'x-parallax-csrf': opened.csrf };
    }
    if (got.status === 201) this.ids.set(route.path, got.body.id);
    if (!step.isPreparation) this.add(route, { status, path, body, answer: got.body });
  }

  /** Runs a shared route, with the first event of the data set that it has something about. */
  async runShared(route: Route): Promise<void> {
    let found: { readonly path: string; readonly answer: unknown } | null = null;
    for (const path of await this.urlsOf(route)) {
      const { status, body } = await this.service.request('GET', path, { token: this.token });
      if (status !== route.statuses[0]) continue;
      found = { path, answer: body };
      if (!hasEmptyList(body)) break;
    }
    if (found === null) throw new Error(`no answer of ${nameOf(route)}`);
    this.add(route, { status: route.statuses[0]!, ...found });
  }

  async runError(): Promise<void> {
    const path = '/v1/events?limit=many';
    const { status, body } = await this.service.request('GET', path, { token: this.token });
    this.examples.push({ operationId: ERROR_EXAMPLE, status, path, answer: this.stable(body) });
  }

  private add(route: Route, { status, path, body, answer }: Omit<Example, 'operationId'>): void {
    const recorded = this.stable({ path, body, answer: shortened(answer) });
    this.examples.push({
      operationId: operationId(route),
      status,
      path: recorded.path,
      ...(recorded.body === undefined ? {} : { body: recorded.body }),
      ...(status === 204 ? {} : { answer: recorded.answer }),
    });
  }

  private fill(path: string): string {
    return path.replaceAll(/:(\w+)/g, (_found, name: string, at: number) => {
      if (name === 'deliveryId') return DELIVERY;
      if (name === 'requestId') return BACKFILL;
      const id = this.ids.get(path.slice(0, at - 1));
      if (id === undefined) throw new Error(`no step created what ${path} names`);
      return id;
    });
  }

  private isLimited({ query }: Route): boolean {
    return 'limit' in query.shape;
  }

  /** The addresses of a shared route about a market, a day, an account, or any event of the data set. */
  private async urlsOf(route: Route): Promise<string[]> {
    const query = new URLSearchParams();
    if ('date' in route.query.shape) query.set('date', DAY);
    if ('user' in route.query.shape) {
      const account = (await readInfoResponses()).find(({ request }) => request.user !== undefined);
      query.set('user', account!.request.user!);
    }
    if (this.isLimited(route)) query.set('limit', String(LIMIT));
    for (const [name, schema] of Object.entries(route.query.shape))
      if (schema instanceof z.ZodEnum) query.set(name, String(schema.options[0]));
    const end = query.size === 0 ? '' : `?${query}`;
    const names = Object.entries(ALL_NAMES) as [string, string][];
    const filled = names.reduce<string>((path, [name, value]) => path.replace(`:${name}`, value), route.path);
    if (!filled.includes(':')) return [filled + end];
    if (templateOf(filled).replace('{universalId}', '').includes('{'))
      throw new Error(`${route.path} has a parameter without a value in the data set`);
    return (await this.eventIds()).map((id) => filled.replace(':universalId', id) + end);
  }

  /** The events of the data set, those with an arbitrage first. */
  private eventIds(): Promise<readonly string[]> {
    this.events ??= readDataSet().then((records) => {
      const { listed, arbitrage } = viewsOf(records).events;
      const ids = listed.flat().map(({ universalId }) => universalId);
      return [...ids.filter((id) => arbitrage.has(id)), ...ids.filter((id) => !arbitrage.has(id))];
    });
    return this.events;
  }
}

/** True if the first list of an answer is empty. */
function hasEmptyList(answer: unknown): boolean {
  const list = Object.values(answer as object).find(Array.isArray);
  return list?.length === 0;
}
