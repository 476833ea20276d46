/** What a route declares. Plugins read the declaration; a handler repeats none of it. */
import type { z } from 'zod';
import type { Settings } from '#infra/config/settings';
import type { Store } from '#infra/store/store';
import type { Health } from '#infra/telemetry/health';
import type { Metrics } from '#infra/telemetry/metrics';
import type { Scope } from '#schemas/domain/control/state';
import type { Views } from './views/views.ts';

/** What handlers may use. */
export interface Dependencies {
  readonly settings: Pick<Settings, 'corsOrigins'>;
  readonly store: Store;
  readonly views: Views;
  readonly health: Health;
  readonly metrics: Metrics;
}

export interface Route<P = unknown, Q = unknown> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With `:name` for path parameters, as `/v1/events/:universalId/spread`. */
  readonly path: string;
  /** The scope it needs, exactly; null is public. */
  readonly scope: Scope | null;
  /** Which quota a success counts against; null is unmetered. */
  readonly sku: 'markets.read' | 'api.request' | 'portfolio.read' | 'pnl.read' | null;
  /** How long an answer may be served again (specification, Limits 5); 0 is never. */
  readonly cacheTtlMs: number;
  /** One sentence for the docs. */
  readonly summary: string;
  readonly params: z.ZodType<P>;
  readonly query: z.ZodType<Q>;
  readonly response: z.ZodType;
  /** Gives the body, or throws an `ApiError`. */
  readonly handle: (input: { readonly params: P; readonly query: Q }, dependencies: Dependencies) => unknown;
}

/** Identity, for the inference of the input types from the schemas. */
export function defineRoute<P, Q>(route: Route<P, Q>): Route {
  return route as unknown as Route;
}

/** Routes whose missing scope is called `insufficient_scope` (the contract, REST). */
export function missingScopeCode(route: Pick<Route, 'path'>): 'insufficient_scope' | 'forbidden_scope' {
  const families = [
    '/v1/portfolio',
    '/v1/positions',
    '/v1/accounts',
    '/v1/markets',
    '/v1/me/stats',
    '/v1/me/platform-volume',
  ];
  return families.some((family) => route.path.startsWith(family)) ? 'insufficient_scope' : 'forbidden_scope';
}

/** A body with another status than 200, as a handler may give it. */
export class Answer {
  readonly statusCode: number;
  readonly body: unknown;
  constructor(statusCode: number, body: unknown) {
    this.statusCode = statusCode;
    this.body = body;
  }
}
