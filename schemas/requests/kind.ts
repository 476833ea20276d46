/**
 * A kind of request to ingest, declared once: query-api sends it through the log, ingest serves it
 * (`docs/architecture.md`, Requests to ingest).
 */
import type { z } from 'zod';

export interface RequestKind<P = unknown, R = unknown> {
  /** Unique; a part of the stored requests. */
  readonly name: string;
  /** Parameters. Requests with equal parameters are equal: one of them is served for all. */
  readonly params: z.ZodType<P>;
  readonly result: z.ZodType<R>;
  /** Maximum of unanswered requests of one organization and of all, on a node and in ingest. */
  readonly limits: { readonly perOrganization: number; readonly total: number };
  /** How long a caller waits for the outcome, ms; below the time limit of a REST response. */
  readonly waitMs: number;
  /**
   * How long after it was produced a result answers equal requests, ms; 0 for not at all.
   * @param tookMs how long it took to produce the result.
   */
  readonly lifetimeMs: (params: P, tookMs: number) => number;
}

export const defineKind = <P, R>(kind: RequestKind<P, R>): RequestKind<P, R> => kind;

/** Identifies equal requests. `params` must come from the schema of the kind, which orders the fields. */
export function requestKey({ name }: Pick<RequestKind, 'name'>, params: unknown): string {
  return `${name} ${JSON.stringify(params)}`;
}
