/** What a route declares. `http/` reads the declaration; a handler repeats none of it. */
import type { z } from 'zod';
import type { Store } from '#infra/store/store';
import type { Health } from '#infra/telemetry/health';
import type { Scope } from '#schemas/domain/control/state';
import type { Views } from '../views/views.ts';

/** What handlers may use. */
export interface Dependencies {
  readonly store: Pick<Store, 'query'>;
  readonly views: Views;
  readonly health: Health;
}

/** What a success counts against (specification, Limits). */
export type Sku = 'markets.read' | 'api.request' | 'portfolio.read' | 'pnl.read';

/**
 * One endpoint. A handler is told nothing of who asks, so what it gives is the same for every caller and its answer may
 * be kept for all of them.
 */
export interface RouteDeclaration<P, Q, R> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With `:name` for path parameters, as `/v1/events/:universalId/spread`. */
  readonly path: `/${string}`;
  /** The scope it needs, exactly; null is public. */
  readonly scope: Scope | null;
  /** Which quota a success counts against; null is unmetered. */
  readonly sku: Sku | null;
  /** How long an answer may be served again (specification, Limits 5); 0 is never. */
  readonly cacheTtlMs: number;
  /** False for an answer that is only right for the moment, as an empty list; it is not kept. Left out: always true. */
  readonly isKept?: (body: R) => boolean;
  /** One sentence for the docs. */
  readonly summary: string;
  readonly params: z.ZodType<P>;
  readonly query: z.ZodType<Q>;
  readonly response: z.ZodType<R>;
  /** Gives the body, or throws an `ApiError`. */
  readonly handle: (
    input: { readonly params: P; readonly query: Q },
    dependencies: Dependencies,
  ) => R | Answer<R> | Promise<R | Answer<R>>;
}

/** Any route, as `http/` sees it. */
export type Route = RouteDeclaration<unknown, unknown, unknown>;

/** Identity, for the inference of input and body types from the schemas. */
export function defineRoute<P, Q, R>(route: RouteDeclaration<P, Q, R>): Route {
  return route as unknown as Route;
}

/** A body with another status than 200, as a handler may give it. */
export class Answer<R> {
  readonly statusCode: number;
  readonly body: R;
  constructor(statusCode: number, body: R) {
    this.statusCode = statusCode;
    this.body = body;
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
