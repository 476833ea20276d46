/** How ingest serves one kind of request. */
import type { RequestKind } from '#schemas/requests/kind';
import type { UpstreamError } from '../feed/errors.ts';

/** What a handler may use besides the parameters. */
export interface RequestContext {
  /** Aborts when ingest closes. The request then stays unanswered, and the next process serves it. */
  readonly signal: AbortSignal;
  /** When the oldest of the equal requests was sent, unix ms. */
  readonly requestedAt: number;
  /** The organizations that wait for the result. More can join until it is there (`onJoin`). */
  readonly orgIds: ReadonlySet<string>;
}

export interface RequestHandler<P = unknown, R = unknown> {
  readonly kind: RequestKind<P, R>;
  /** Requests served at once. */
  readonly running: number;
  /** A request that has waited longer is not served any more, ms; at most `REQUEST_AGE_MAX_MS`. */
  readonly expiresAfterMs: number;
  /**
   * Resolves with the result. A rejection becomes the failure of the request: `rate_limited` or `upstream_failed`, with
   * the response of an `UpstreamError`.
   */
  readonly run: (params: P, context: RequestContext) => Promise<R>;
  /** Called when a request was added, which can have joined one that runs. */
  readonly onJoin?: () => void;
  /** Why a request that has waited too long was not served; without it, too many were ahead of it (`expired`). */
  readonly expiredBecause?: (params: P, orgId: string) => UpstreamError;
}

/** Declares how a kind is served. */
export const defineHandler = <P, R>(handler: RequestHandler<P, R>): RequestHandler =>
  handler as unknown as RequestHandler;

/** No request is served that is older, ms. */
export const REQUEST_AGE_MAX_MS = 10 * 60_000;
