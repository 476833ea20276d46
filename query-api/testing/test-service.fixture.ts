/** The real application with a real embedded log, control replica and usage, and the first organization's admin key. */
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { createAuthenticator } from '#infra/control/authenticator';
import { type ControlReplica, openControlReplica } from '#infra/control/control-replica';
import { openTestLog } from '#infra/control/open-test-log.fixture';
import { seedAdminKey } from '#infra/control/seed';
import { readPartition } from '#infra/log/read-partition';
import type { TargetRules } from '#infra/outbound/target-url';
import { openUsageReplica } from '#infra/quota/usage-replica';
import type { RequestClient } from '#infra/requests/request-client';
import type { Store } from '#infra/store/store';
import { createHealth } from '#infra/telemetry/health';
import { createMetrics } from '#infra/telemetry/metrics';
import type { Plan, Scope } from '#schemas/domain/control/state';
import { DEFAULT_QUOTAS, type PlanQuotas } from '#schemas/domain/quota/plan-quotas';
import { type ControlCommand, commandTopic } from '#schemas/topics/control';
import { buildApp } from '../app.ts';
import type { TableBarrier } from '../queries/table-barrier.ts';
import type { Route } from '../routes/route.ts';
import type { Sandbox } from '../sandbox/open-sandbox.ts';
import type { Views } from '../views/views.ts';
import { createViews, emptySandbox } from './records.fixture.ts';
import { unansweredRequests } from './requests.fixture.ts';
import { idleService } from './service.fixture.ts';

export interface TestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** The body as JSON; tests know its shape. */
  readonly body: ReturnType<typeof JSON.parse>;
}

/** Options of a request. */
export interface TestRequest {
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface TestService {
  readonly app: FastifyInstance;
  readonly control: ControlReplica;
  readonly views: Views;
  /** Admin token of the first organization. */
  readonly admin: string;
  readonly logLines: string[];
  request(method: string, url: string, options?: TestRequest): Promise<TestResponse>;
  /** Creates an organization by the API; returns its id and its admin token. */
  organization(name: string, plan?: Plan): Promise<{ readonly id: string; readonly token: string }>;
  /** Creates a key by the API. */
  key(
    token: string,
    scopes: readonly Scope[],
    sandbox?: boolean,
  ): Promise<{ readonly id: string; readonly token: string }>;
  /** Reads all commands in the log. */
  commands(): Promise<ControlCommand[]>;
  close(): Promise<void>;
}

export interface TestServiceOptions {
  readonly routes?: readonly Route[];
  readonly quotas?: PlanQuotas;
  readonly store?: Pick<Store, 'query'>;
  /** By default reads do not wait for tables. */
  readonly tables?: TableBarrier;
  /** By default no request to ingest is answered. */
  readonly requests?: Pick<RequestClient, 'send'>;
  readonly sandbox?: Sandbox;
  readonly wallNow?: () => number;
  readonly targetRules?: TargetRules;
}

export async function openTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const { log, codec, close } = await openTestLog();
  const logLines: string[] = [];
  const logger = pino({ level: 'debug' }, { write: (line: string) => void logLines.push(line) });
  const host = await openControlReplica({ log, codec, logger });
  const usage = await openUsageReplica({ log, codec, logger });
  const authenticator = createAuthenticator(host);
  const admin = (await seedAdminKey({ replica: host, authenticator, logger, adminToken: null, plan: 'enterprise' }))!;
  const { routes, quotas = DEFAULT_QUOTAS, store = { query: async () => [] }, wallNow, targetRules = {} } = options;
  const { tables = { awaitRows: async () => {} } } = options;
  const { sandbox = emptySandbox(), requests = unansweredRequests } = options;
  const views = createViews();
  const app = await buildApp(
    {
      store,
      tables,
      sandbox,
      views,
      health: createHealth(),
      metrics: createMetrics(),
      control: host,
      authenticator,
      usage: usage.counts,
      keyUses: usage.keyUses,
      service: idleService,
      requests,
      quotas,
      targetRules,
      stream: { url: null, port: 8081 },
      logger,
      corsOrigins: null,
      portal: null,
      isReady: () => true,
      ...(wallNow ? { wallNow } : {}),
    },
    routes,
  );
  const request: TestService['request'] = async (method, url, { token = admin, headers = {}, body } = {}) => {
    const response = await app.inject({
      method: method as 'GET',
      url,
      headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
      ...(body === undefined ? {} : { payload: body as object }),
    });
    const text = response.body;
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    return {
      status: response.statusCode,
      headers: response.headers as TestResponse['headers'],
      text,
      body: isJson && text !== '' ? JSON.parse(text) : null,
    };
  };
  const created = (got: TestResponse) => {
    if (got.status !== 201) throw new Error(`${got.status}: ${got.text}`);
    return got.body;
  };
  return {
    app,
    control: host,
    views,
    admin,
    logLines,
    request,
    async organization(name, plan = 'pro') {
      const { id, adminKey } = created(await request('POST', '/v1/organizations', { body: { name, plan } }));
      return { id, token: adminKey.token };
    },
    async key(token, scopes, sandbox = false) {
      return created(
        await request('POST', '/keys', { token, body: { name: 'a key', userId: 'someone', scopes, sandbox } }),
      );
    },
    async commands() {
      const commands: ControlCommand[] = [];
      await readPartition(log, { topic: commandTopic.name, partition: 0 }, ({ value }) => {
        commands.push(codec.decode(commandTopic, value!));
      });
      return commands;
    },
    async close() {
      await app.close();
      await usage.close();
      await host.close();
      await close();
    },
  };
}
