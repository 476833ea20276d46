/** Every error code that a client can see (specification, Errors), with its status and whether a retry can succeed. */

interface ErrorKind {
  readonly status: number;
  /** Other statuses that it can have (`ApiErrorOptions.status`). */
  readonly otherStatuses?: readonly number[];
  readonly canRetry: boolean;
  /** Meaning, for the documentation. */
  readonly meaning: string;
}

export const ERRORS = {
  bad_request: { status: 400, canRetry: false, meaning: 'malformed JSON or bad query' },
  validation_failed: {
    status: 400,
    otherStatuses: [413, 422],
    canRetry: false,
    meaning: 'schema violation; the message names the field path',
  },
  unknown_provider: { status: 400, canRetry: false, meaning: 'provider list holds an unsupported name' },
  no_platform_attribution: { status: 400, canRetry: false, meaning: 'platform figures without a registered builder' },
  unauthenticated: { status: 401, canRetry: false, meaning: 'missing or invalid Authorization header' },
  forbidden_scope: { status: 403, canRetry: false, meaning: 'the key lacks the required scope' },
  insufficient_scope: {
    status: 403,
    canRetry: false,
    meaning: 'the key lacks the required scope (portfolio, stats, markets and positions)',
  },
  not_found: { status: 404, canRetry: false, meaning: 'no such route, event, wallet or webhook' },
  unknown_coin: { status: 404, canRetry: false, meaning: 'no such coin' },
  unknown_pair: { status: 404, canRetry: false, meaning: 'no such spot pair' },
  unknown_dex: { status: 404, canRetry: false, meaning: 'no such builder dex' },
  unknown_symbol: { status: 404, canRetry: false, meaning: 'no such symbol on this dex' },
  method_not_allowed: { status: 405, canRetry: false, meaning: 'the route has no such method' },
  conflict: { status: 409, canRetry: false, meaning: 'uniqueness violation' },
  quota_exceeded: { status: 429, canRetry: true, meaning: 'the quota is exhausted; Retry-After states for how long' },
  upstream_rate_limited: { status: 429, canRetry: true, meaning: 'the venue rate-limited the service' },
  upstream_unauthorized: { status: 401, canRetry: false, meaning: 'the provider rejected provider credentials' },
  internal_error: {
    status: 500,
    otherStatuses: [503],
    canRetry: true,
    meaning:
      'service fault; with 503 the service cannot do it now, as while it starts: Retry-After states for how long',
  },
  upstream_unavailable: {
    status: 502,
    otherStatuses: [503, 504],
    canRetry: true,
    meaning: 'the venue returned nothing that can be served',
  },
  portfolio_snapshot_incomplete: { status: 502, canRetry: true, meaning: 'a provider returned no complete snapshot' },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERRORS;

/** Every status that an error of this code can have, the usual one first. */
export function statusesOf(code: ErrorCode): readonly number[] {
  const { status, otherStatuses = [] }: ErrorKind = ERRORS[code];
  return [status, ...otherStatuses];
}

/** The response of a venue, for an error that the venue caused (specification, Errors). */
export interface UpstreamDetail {
  readonly provider: string;
  readonly status: number | null;
  readonly body: unknown;
}

export interface ApiErrorOptions {
  /** Set where it differs from the usual status of the code, e.g. 413 for a body that is too large. */
  readonly status?: number;
  /** Seconds, for `Retry-After`. */
  readonly retryAfterSeconds?: number;
  readonly upstream?: UpstreamDetail;
  /** Logged, never sent to the client. */
  readonly cause?: unknown;
}

/** An error for a client. It becomes the envelope `{error: {code, message, requestId}}`. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly canRetry: boolean;
  /** Seconds, for `Retry-After`. */
  readonly retryAfterSeconds: number | null;
  readonly upstream: UpstreamDetail | null;
  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = options.status ?? ERRORS[code].status;
    this.canRetry = ERRORS[code].canRetry;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
    this.upstream = options.upstream ?? null;
  }
}

/** `Retry-After` of a 503, in seconds. */
const UNAVAILABLE_RETRY_SECONDS = 1;

/** A 503, for what cannot be done now but may succeed in a moment. `cause` is logged, never sent to the client. */
export function unavailable(message: string, cause?: unknown): ApiError {
  const retryAfterSeconds = UNAVAILABLE_RETRY_SECONDS;
  return new ApiError('internal_error', message, { status: 503, retryAfterSeconds, cause });
}
