/** The declaration of a route. `http/` implements everything declared, so that handlers need not. */
import type { z } from 'zod';
import type { TargetRules } from '#infra/outbound/target-url';
import type { RequestResult } from '#infra/requests/request-client';
import type { Health } from '#infra/telemetry/health';
import type { KeyCommand } from '#schemas/domain/control/command';
import type { Actor } from '#schemas/domain/control/envelope';
import type { ControlState, Plan, Scope, SecretHash } from '#schemas/domain/control/state';
import type { KeyUses } from '#schemas/domain/quota/key-uses';
import type { PlanQuotas } from '#schemas/domain/quota/plan-quotas';
import type { RestSku } from '#schemas/domain/quota/sku';
import type { UsageCounts } from '#schemas/domain/quota/usage-counts';
import type { ErrorCode } from '#schemas/errors';
import type { RequestKind } from '#schemas/requests/kind';
import type { Encodable } from '../http/json-rows.ts';
import type { RequestedAddress, StreamLocation } from '../http/stream-url.ts';
import type { Reader } from '../queries/query.ts';
import type { TableBarrier } from '../queries/table-barrier.ts';
import type { ServiceFigures } from '../service/service-figures.ts';
import type { Views } from '../views/views.ts';

/** What handlers may use. */
export interface Dependencies {
  readonly store: Reader;
  /** Makes reads of tables wait for the effects of earlier commands of the caller. */
  readonly tables: TableBarrier;
  /** Usage of organizations in the current windows, more recent than the table. */
  readonly usage: Pick<UsageCounts, 'unitsOfDay' | 'windows'>;
  readonly quotas: PlanQuotas;
  readonly keyUses: Pick<KeyUses, 'lastUsedAt'>;
  /** Processes, log and store. */
  readonly service: ServiceFigures;
  readonly views: Views;
  readonly health: Health;
  /** Organizations and their resources, read-only. Changes are made by commands. */
  readonly control: { readonly state: ControlState };
  readonly keyGenerator: KeyGenerator;
  readonly ingest: IngestRequests;
  /** Id of the organization in whose turn slow reads of the store run; empty on a public route. No response depends on it. */
  readonly turnOf: string;
  /** Rules for the URLs of webhooks. */
  readonly targetRules: TargetRules;
  readonly stream: StreamLocation;
}

/** Sends requests to ingest, in the turn of the caller's organization. */
export interface IngestRequests {
  /** Rejects with a `RequestError`, or with a `LogError` if the request could not be appended. */
  send<P, R>(kind: RequestKind<P, R>, params: P): Promise<RequestResult<R>>;
}

/** A new key: the token, which is shown once, and the hash that is stored. */
export interface GeneratedKey {
  readonly keyId: string;
  readonly token: string;
  readonly hash: SecretHash;
  /**
   * Caches the key as verified, so that its first use on this node costs no hash. Call it once the key is in the log.
   */
  remember(): void;
}

/** Generates keys. Rejects with an `ApiError` (503) while too many secrets are being hashed. */
export interface KeyGenerator {
  /** @param orgId the organization that requests the key, for itself or for an organization that it creates. */
  generateKey(orgId: string, sandbox: boolean): Promise<GeneratedKey>;
}

/** The caller: the key of the request, or of its portal session. */
export interface Caller extends Actor {
  readonly scopes: readonly Scope[];
  readonly plan: Plan;
  /** The portal session of the request; null for a token. */
  readonly session: CallerSession | null;
}

export interface CallerSession {
  readonly digest: string;
  /** Unix ms. */
  readonly expiresAt: number;
  /** The required value of `X-Parallax-Csrf`. */
  readonly csrf: string;
}

/** Sends a command as the caller. Rejects with an `ApiError` if it is refused or cannot be accepted now. */
export type Command = <B, R>(
  type: KeyCommand<B, R>,
  body: B,
) => Promise<{
  readonly result: R;
  /**
   * True if the result is that of an earlier request with the same `Idempotency-Key`; secrets generated for this
   * request are unused.
   */
  readonly replayed: boolean;
}>;

/**
 * The limits of a venue leave no room (429 `upstream_rate_limited`); or, as `upstream_unavailable`, a venue failed (502),
 * no node of it is available (503), or it took too long (504).
 */
type UpstreamStatus = 429 | 502 | 503 | 504;
type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
type Result<R> = Encodable<R> | CustomResponse<Encodable<R>>;
type HandlerResult<R> = Result<R> | Promise<Result<R>>;

interface CommonDeclaration<P, Q, R> {
  /** Path with `:name` for parameters, for example `/v1/events/:universalId/spread`. */
  readonly path: `/${string}`;
  /** The quota that a success counts against; null is unmetered. */
  readonly sku: RestSku | null;
  /** One sentence for the docs. */
  readonly summary: string;
  /** Codes of a 404 for a name in the path or the query, for the docs; `not_found` by default. */
  readonly notFoundCodes?: readonly ErrorCode[];
  /** Names and descriptions of the headers that only this route sends, for the docs. */
  readonly ownHeaders?: Readonly<Record<string, string>>;
  /** Bodies of errors that are not the error envelope, by status, with an example of each. */
  readonly ownErrors?: Readonly<Record<number, { readonly schema: z.ZodType; readonly example: unknown }>>;
  readonly params: z.ZodType<P>;
  readonly query: z.ZodObject & z.ZodType<Q>;
  readonly response: z.ZodType<R>;
}

/**
 * A shared route: its handler does not know the caller, so the response is the same for every caller and may be cached
 * for all of them.
 */
export interface RouteDeclaration<P, Q, R> extends CommonDeclaration<P, Q, R> {
  readonly method: Method;
  /** The required scope; null is public. */
  readonly scope: Scope | null;
  /** How long a response may be cached (specification, Limits 5); 0 means never. */
  readonly cacheTtlMs: number;
  /** False for a response that must not be cached, such as a list that is still empty. By default all are cached. */
  readonly isCacheable?: (body: R) => boolean;
  /** Returns the body, or throws an `ApiError`. */
  readonly handle: (
    input: { readonly params: P; readonly query: Q },
    dependencies: Dependencies,
  ) => HandlerResult<NoInfer<R>>;
}

/** The input of the handler of a caller route. */
export interface CallerInput<P, Q, B> extends RequestedAddress {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly caller: Caller;
  readonly command: Command;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** The value of `X-Request-Id`. */
  readonly requestId: string;
}

/** A caller route: it reads or changes resources of the caller. Its responses are never cached or shared. */
export interface CallerRouteDeclaration<P, Q, B, R> extends CommonDeclaration<P, Q, R> {
  readonly method: Method;
  /** The required scope; `any` accepts every valid key. */
  readonly scope: Scope | 'any';
  /** Schema of the JSON body. Without it, a body is ignored. A schema with a default makes the body optional. */
  readonly body?: z.ZodType<B>;
  /** Status of a success unless the handler returns a `CustomResponse`; 200 by default. 204 has no body. */
  readonly status?: 200 | 201 | 202 | 204;
  /** Other statuses of a success, for the docs. */
  readonly otherStatuses?: readonly (200 | 201 | 202)[];
  /** Statuses of errors of a venue that it can answer, for the docs; none by default. */
  readonly upstreamStatuses?: readonly UpstreamStatus[];
  /** True if it creates something, and therefore accepts an `Idempotency-Key`. */
  readonly creates?: boolean;
  /** True if it also returns markets or events: a sandbox key then gets those of the data set. */
  readonly servesMarketData?: boolean;
  readonly handle: (input: CallerInput<P, Q, B>, dependencies: Dependencies) => HandlerResult<NoInfer<R>>;
}

/** Any route, as `http/` uses it. */
export interface Route extends CommonDeclaration<unknown, unknown, unknown> {
  readonly method: Method;
  readonly scope: Scope | 'any' | null;
  readonly cacheTtlMs: number;
  readonly isCacheable?: (body: unknown) => boolean;
  /** Null if it accepts none. */
  readonly body: z.ZodType | null;
  /** Statuses of a success; the first is the default. */
  readonly statuses: readonly number[];
  /** Statuses of errors of a venue that it can answer. */
  readonly upstreamStatuses: readonly UpstreamStatus[];
  readonly creates: boolean;
  /** True for a caller route. */
  readonly dependsOnCaller: boolean;
  /** True if it returns markets or events, so that a sandbox key gets the views and tables of the data set. */
  readonly servesMarketData: boolean;
  readonly handle: (
    input: CallerInput<unknown, unknown, unknown>,
    dependencies: Dependencies,
  ) => HandlerResult<unknown>;
}

/** Declares a shared route. */
export function defineRoute<P, Q, R>(route: RouteDeclaration<P, Q, R>): Route {
  return {
    ...(route as object as Route),
    body: null,
    statuses: [200],
    upstreamStatuses: /^\/v1\/(markets|venue_a)\//.test(route.path) ? [429, 502] : [],
    creates: false,
    dependsOnCaller: false,
    servesMarketData: true,
  };
}

/** Declares a caller route. */
export function defineCallerRoute<P, Q, R, B = undefined>(route: CallerRouteDeclaration<P, Q, B, R>): Route {
  const { status = 200, otherStatuses = [], upstreamStatuses = [], body = null } = route;
  const { creates = false, servesMarketData = false } = route;
  const statuses = [status, ...otherStatuses];
  const declared = { body, statuses, upstreamStatuses, creates, servesMarketData };
  return { ...(route as object as Route), ...declared, cacheTtlMs: 0, dependsOnCaller: true };
}

/** A handler result with its own status or headers, or produced some time ago. */
export class CustomResponse<R> {
  readonly statusCode: number;
  readonly body: R;
  /** Names and values alternating. */
  readonly headers: readonly string[];
  /** When the data was produced or fetched, unix ms: the lifetime of a cached response counts from then. */
  readonly producedAt: number | null;
  constructor(statusCode: number, body: R, headers: readonly string[] = [], producedAt: number | null = null) {
    this.statusCode = statusCode;
    this.body = body;
    this.headers = headers;
    this.producedAt = producedAt;
  }
}

/** A response whose lifetime counts from an earlier time, unix ms; null for now. */
export function producedAt<R>(at: number | null, body: R): CustomResponse<R> {
  return new CustomResponse(200, body, [], at);
}

/** Path families that report a missing scope as `insufficient_scope` (contract, REST and Organizations). */
const INSUFFICIENT_SCOPE_FAMILIES = [
  '/v1/portfolio',
  '/v1/positions',
  '/v1/accounts',
  '/v1/markets',
  '/v1/me/stats',
  '/v1/me/platform-volume',
];

/** The error code with which a route reports a missing scope. */
export function missingScopeCode({ path }: Pick<Route, 'path'>): 'insufficient_scope' | 'forbidden_scope' {
  const isInsufficient = INSUFFICIENT_SCOPE_FAMILIES.some((family) => path === family || path.startsWith(`${family}/`));
  return isInsufficient ? 'insufficient_scope' : 'forbidden_scope';
}

/** True if the schema has a default for a missing body. */
export function isBodyOptional(body: z.ZodType): boolean {
  return body.safeParse(undefined).data !== undefined;
}
