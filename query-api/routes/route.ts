/** What a route declares. `http/` reads the declaration; a handler repeats none of it. */
import type { z } from 'zod';
import type { BackfillHost } from '#infra/backfills/backfill-host';
import type { TargetRules } from '#infra/outbound/target-url';
import type { Store } from '#infra/store/store';
import type { Health } from '#infra/telemetry/health';
import type { KeyCommand } from '#schemas/domain/control/command';
import type { Actor } from '#schemas/domain/control/envelope';
import type { ControlState, Plan, Scope, SecretHash } from '#schemas/domain/control/state';
import type { RestSku } from '#schemas/domain/quota/sku';
import type { UsageCounts } from '#schemas/domain/quota/usage-counts';
import type { TableBarrier } from '../queries/table-barrier.ts';
import type { Views } from '../views/views.ts';

/** What handlers may use. */
export interface Dependencies {
  readonly store: Pick<Store, 'query'>;
  /** Makes reads of tables wait for what the caller just caused. */
  readonly tables: TableBarrier;
  /** What organizations used today, ahead of the table. */
  readonly usage: Pick<UsageCounts, 'unitsOfDay'>;
  readonly views: Views;
  readonly health: Health;
  /** Organizations and what they own: to be read. Whoever changes something sends a command. */
  readonly control: { readonly state: ControlState };
  readonly secrets: SecretMaker;
  readonly backfills: Pick<BackfillHost, 'ask'>;
  /** What targets of webhooks may be. */
  readonly targetRules: TargetRules;
}

/** A key that was just made: the token, to be told once, and what is kept of it. */
export interface MadeKey {
  readonly keyId: string;
  readonly token: string;
  readonly hash: SecretHash;
  /** To be called once the key is in the log: its first use on this node then costs no hash. */
  remember(): void;
}

/** Makes keys. Rejects with an `ApiError` (503) while too many secrets are being hashed. */
export interface SecretMaker {
  /** A key that an organization makes, for itself or for one that it founds. */
  makeKey(orgId: string, sandbox: boolean): Promise<MadeKey>;
}

/** Who asks: the key of the request, or of the session that it came with. */
export interface Caller extends Actor {
  readonly scopes: readonly Scope[];
  readonly plan: Plan;
  /** The portal session that the request came with; null for a token. */
  readonly session: CallerSession | null;
}

export interface CallerSession {
  readonly digest: string;
  /** Unix ms. */
  readonly expiresAt: number;
  /** What `X-Parallax-Csrf` must say. */
  readonly csrf: string;
}

/** Sends a command as the caller. Rejects with an `ApiError` when it is refused, or could not be taken. */
export type Command = <B, R>(
  type: KeyCommand<B, R>,
  body: B,
) => Promise<{
  readonly result: R;
  /** The answer to an earlier request with the same `Idempotency-Key`: what was made for this one is not used. */
  readonly replayed: boolean;
}>;

/** A venue failed, has no node that could be asked, or took too long. */
type UpstreamStatus = 502 | 503 | 504;
type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
type Given<R> = R | Answer<R> | Promise<R | Answer<R>>;

interface Common<P, Q, R> {
  /** With `:name` for path parameters, as `/v1/events/:universalId/spread`. */
  readonly path: `/${string}`;
  /** Which quota a success counts against; null is unmetered. */
  readonly sku: RestSku | null;
  /** One sentence for the docs. */
  readonly summary: string;
  readonly params: z.ZodType<P>;
  readonly query: z.ZodType<Q>;
  readonly response: z.ZodType<R>;
}

/**
 * An endpoint whose handler is told nothing of who asks, so what it gives is the same for every caller and its answer
 * may be kept for all of them.
 */
export interface RouteDeclaration<P, Q, R> extends Common<P, Q, R> {
  readonly method: Method;
  /** The scope it needs, exactly; null is public. */
  readonly scope: Scope | null;
  /** How long an answer may be served again (specification, Limits 5); 0 is never. */
  readonly cacheTtlMs: number;
  /** False for an answer that is only right for the moment, as an empty list; it is not kept. Left out: always true. */
  readonly isKept?: (body: R) => boolean;
  /** Gives the body, or throws an `ApiError`. */
  readonly handle: (input: { readonly params: P; readonly query: Q }, dependencies: Dependencies) => Given<R>;
}

/** What the handler of an endpoint that depends on the caller is given. */
export interface OwnInput<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly caller: Caller;
  readonly command: Command;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** What `X-Request-Id` says. */
  readonly requestId: string;
  /** The host that the client asked for, as `Host` says it. */
  readonly host: string;
}

/** An endpoint that gives or changes what is the caller's own. No answer is ever kept or shared between requests. */
export interface OwnRouteDeclaration<P, Q, B, R> extends Common<P, Q, R> {
  readonly method: Method;
  /** The scope it needs, exactly; `any` takes every good key. */
  readonly scope: Scope | 'any';
  /** The JSON body; left out: it takes none, and whatever comes is not looked at. One with a default may be left away. */
  readonly body?: z.ZodType<B>;
  /** Of a success, unless the handler gives an `Answer`; 200 when left out. 204 has no body. */
  readonly status?: 200 | 201 | 202 | 204;
  /** Other statuses of a success, for the docs. */
  readonly otherStatuses?: readonly (200 | 201 | 202)[];
  /** Statuses with which it may answer `upstream_unavailable`, for the docs; none when left out. */
  readonly upstreamStatuses?: readonly UpstreamStatus[];
  /** Whether it creates something, and so takes an `Idempotency-Key`. */
  readonly creates?: boolean;
  /** Whether it tells of markets or events beside what is the caller's own: a sandbox key is told those of its data set. */
  readonly tellsMarkets?: boolean;
  readonly handle: (input: OwnInput<P, Q, B>, dependencies: Dependencies) => Given<R>;
}

/** Any route, as `http/` sees it. */
export interface Route extends Common<unknown, unknown, unknown> {
  readonly method: Method;
  readonly scope: Scope | 'any' | null;
  readonly cacheTtlMs: number;
  readonly isKept?: (body: unknown) => boolean;
  /** Null: it takes none. */
  readonly body: z.ZodType | null;
  /** Of a success; the first is the usual one. */
  readonly statuses: readonly number[];
  /** With which it may answer `upstream_unavailable`. */
  readonly upstreamStatuses: readonly UpstreamStatus[];
  readonly creates: boolean;
  /** Whether its answer depends on who asks. */
  readonly isOwn: boolean;
  /** Whether it tells of markets or events, so that a sandbox key gets views and tables of its data set. */
  readonly tellsMarkets: boolean;
  readonly handle: (input: OwnInput<unknown, unknown, unknown>, dependencies: Dependencies) => Given<unknown>;
}

/** A route that is the same for everyone. */
export function defineRoute<P, Q, R>(route: RouteDeclaration<P, Q, R>): Route {
  return {
    ...(route as object as Route),
    body: null,
    statuses: [200],
    upstreamStatuses: route.path.startsWith('/v1/markets/') ? [502] : [],
    creates: false,
    isOwn: false,
    tellsMarkets: true,
  };
}

/** A route that depends on who asks. */
export function defineOwnRoute<P, Q, R, B = undefined>(route: OwnRouteDeclaration<P, Q, B, R>): Route {
  const { status = 200, otherStatuses = [], upstreamStatuses = [], body = null } = route;
  const { creates = false, tellsMarkets = false } = route;
  const statuses = [status, ...otherStatuses];
  const told = { body, statuses, upstreamStatuses, creates, tellsMarkets };
  return { ...(route as object as Route), ...told, cacheTtlMs: 0, isOwn: true };
}

/** A body with another status than the route's, or with headers, as a handler may give it. */
export class Answer<R> {
  readonly statusCode: number;
  readonly body: R;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  constructor(statusCode: number, body: R, headers: readonly string[] = []) {
    this.statusCode = statusCode;
    this.body = body;
    this.headers = headers;
  }
}

/** Path families whose missing scope is called `insufficient_scope` (the contract, REST and Organizations). */
const INSUFFICIENT_SCOPE_FAMILIES = [
  '/v1/portfolio',
  '/v1/positions',
  '/v1/accounts',
  '/v1/markets',
  '/v1/me/stats',
  '/v1/me/platform-volume',
];

/** The code under which a route of this path tells that a scope is missing. */
export function missingScopeCode({ path }: Pick<Route, 'path'>): 'insufficient_scope' | 'forbidden_scope' {
  const named = INSUFFICIENT_SCOPE_FAMILIES.some((family) => path === family || path.startsWith(`${family}/`));
  return named ? 'insufficient_scope' : 'forbidden_scope';
}

/** Whether a request may come without the body: its schema has a default for it. */
export function mayLackBody(body: z.ZodType): boolean {
  return body.safeParse(undefined).data !== undefined;
}
