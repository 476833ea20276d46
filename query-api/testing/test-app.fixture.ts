/** The real application with test doubles: views that a test fills, a store that is a function, keys of any scope. */
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { pino, stdSerializers } from 'pino';
import { ReplicaAuthenticator } from '#infra/control/authenticator';
import { HASH_LIMITS, HashLimiter } from '#infra/control/hash-limiter';
import { hashSecret } from '#infra/control/secret-hash';
import { formatToken, mintToken, type Token } from '#infra/control/token';
import type { Parameter, Store } from '#infra/store/store';
import { createHealth, type Health } from '#infra/telemetry/health';
import { createMetrics, type Metrics } from '#infra/telemetry/metrics';
import { putKey, putOrganization } from '#schemas/domain/control/indices';
import { reduceControl } from '#schemas/domain/control/reduce';
import { type ControlState, initialControlState, SCOPES, type Scope } from '#schemas/domain/control/state';
import { KeyUses } from '#schemas/domain/quota/key-uses';
import { DEFAULT_QUOTAS } from '#schemas/domain/quota/plan-quotas';
import { UsageCounts } from '#schemas/domain/quota/usage-counts';
import { type AppDependencies, buildApp } from '../app.ts';
import type { Route } from '../routes/route.ts';
import type { Views } from '../views/views.ts';
import { createViews, emptySandbox } from './records.fixture.ts';
import { unansweredRequests } from './requests.fixture.ts';
import { idleService } from './service.fixture.ts';

/** Returns the rows for a statement. */
export type QueryDouble = (sql: string, parameters: Readonly<Record<string, Parameter>>) => unknown[];

export interface TestApp {
  readonly app: FastifyInstance;
  readonly views: Views;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly control: ControlState;
  /** JSON lines that were logged. */
  readonly logLines: string[];
  /** Advances the clock of the response cache. */
  advance(ms: number): void;
  setReady(ready: boolean): void;
  setQuery(query: QueryDouble): void;
  /** Creates a key with these scopes whose secret has not been verified yet; returns its token. */
  uncachedToken(scopes: readonly Scope[]): Promise<string>;
  /** Creates a key with these scopes that is cached as verified, since hashing is slow; returns its token. */
  cachedToken(scopes: readonly Scope[], sandbox?: boolean): string;
  /** Creates another organization with a key that has all scopes; returns its token. */
  tokenOfOther(orgId: string): string;
  /** Sends a GET with the token of a key that has all scopes. */
  get(url: string, headers?: Readonly<Record<string, string>>): ReturnType<TestApp['request']>;
  request(
    method: string,
    url: string,
    headers?: Readonly<Record<string, string>>,
    payload?: unknown,
  ): Promise<{ status: number; headers: Record<string, unknown>; body: string; bytes: Buffer; json(): never }>;
}

export interface TestAppOptions {
  readonly routes?: readonly Route[];
  readonly app?: Partial<AppDependencies>;
}

const ORGANIZATION = {
  id: 'org_test',
  name: 'Test',
  plan: 'enterprise',
  createdAt: '2026-01-01T00:00:00.000Z',
} as const;
/** Never compared: most test tokens are cached as verified, since hashing is slow by design. */
const NO_HASH = { algorithm: 'scrypt', N: 2, r: 1, p: 1, salt: '', hash: '' } as const;

export async function createTestApp({ routes, app: overrides }: TestAppOptions = {}): Promise<TestApp> {
  const control = initialControlState();
  putOrganization(control, ORGANIZATION);
  control.firstOrganizationId = ORGANIZATION.id;
  const host: AppDependencies['control'] = {
    state: control,
    isCurrent: true,
    submit: async (type, body) =>
      reduceControl(control, {
        id: randomUUID(),
        wallTime: Date.now(),
        type,
        body: JSON.stringify(body),
      }),
  };
  const authenticator = new ReplicaAuthenticator(host, new HashLimiter(HASH_LIMITS));
  const views = createViews();
  const health = createHealth();
  const metrics = createMetrics();
  const logLines: string[] = [];
  let query: QueryDouble = () => [];
  let clock = 1_000;
  let ready = true;
  const store: Pick<Store, 'query'> = {
    query: async <T>(sql: string, parameters: Readonly<Record<string, Parameter>> = {}) =>
      query(sql, parameters) as T[],
  };
  const addKey = (
    token: Token,
    scopes: readonly Scope[],
    secret: typeof NO_HASH | Awaited<ReturnType<typeof hashSecret>>,
    orgId: string = ORGANIZATION.id,
  ) => {
    const { keyId: id, sandbox } = token;
    putKey(control, {
      id,
      orgId,
      name: 'test',
      userId: 'test',
      scopes,
      sandbox,
      secret,
      createdAt: ORGANIZATION.createdAt,
    });
    return formatToken(token);
  };
  const all = mintToken();
  authenticator.remember(all);
  const allToken = addKey(all, SCOPES, NO_HASH);
  const app = await buildApp(
    {
      store,
      tables: { awaitRows: async () => {} },
      sandbox: emptySandbox(),
      views,
      health,
      metrics,
      control: host,
      authenticator,
      requests: unansweredRequests,
      usage: new UsageCounts('test'),
      keyUses: new KeyUses(),
      service: idleService,
      quotas: DEFAULT_QUOTAS,
      targetRules: {},
      stream: { url: null, port: 8081 },
      logger: pino(
        { level: 'warn', serializers: { error: stdSerializers.err } },
        { write: (line: string) => void logLines.push(line) },
      ),
      corsOrigins: null,
      portal: null,
      isReady: () => ready,
      now: () => clock,
      ...overrides,
    },
    routes,
  );
  const request: TestApp['request'] = async (method, url, headers = {}, payload) => {
    const body = payload === undefined ? {} : { payload: payload as object };
    const response = await app.inject({ method: method as 'GET', url, headers: { ...headers }, ...body });
    return {
      status: response.statusCode,
      headers: response.headers,
      body: response.body,
      bytes: response.rawPayload,
      json: () => response.json() as never,
    };
  };
  return {
    app,
    views,
    health,
    metrics,
    control,
    logLines,
    advance: (ms) => {
      clock += ms;
    },
    setReady: (value) => {
      ready = value;
    },
    setQuery: (value) => {
      query = value;
    },
    uncachedToken: async (scopes) => {
      const token = mintToken();
      return addKey(token, scopes, await hashSecret(token.secret));
    },
    cachedToken: (scopes, sandbox) => {
      const token = mintToken(sandbox);
      authenticator.remember(token);
      return addKey(token, scopes, NO_HASH);
    },
    tokenOfOther: (orgId) => {
      putOrganization(control, { ...ORGANIZATION, id: orgId });
      const token = mintToken();
      authenticator.remember(token);
      return addKey(token, SCOPES, NO_HASH, orgId);
    },
    get: (url, headers) => request('GET', url, { authorization: `Bearer ${allToken}`, ...headers }),
    request,
  };
}
