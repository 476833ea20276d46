/** Why a request to a venue failed, and if a retry can help. */
export interface UpstreamErrorOptions extends ErrorOptions {
  readonly status?: number | null;
  readonly body?: string | null;
  readonly retryAfterMs?: number | null;
}

export class UpstreamError extends Error {
  override name = 'UpstreamError';
  readonly code: /** No connection, no response in time, or 5xx, after every attempt. */
    | 'upstream_unavailable'
    /** 429 after every attempt. */
    | 'upstream_rate_limited'
    /** Any other 4xx: the request was wrong. */
    | 'upstream_rejected'
    /** The response exceeds our limit. */
    | 'upstream_too_large'
    /** The response does not match the venue's documentation. */
    | 'upstream_malformed';
  readonly canRetry: boolean;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** Start of the body of an error response; null without a response. */
  readonly body: string | null;
  /** After how long a retry can succeed, if that is known. */
  readonly retryAfterMs: number | null;
  constructor(code: UpstreamError['code'], message: string, options: UpstreamErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.status = options.status ?? null;
    this.body = options.body ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.canRetry = code === 'upstream_unavailable' || code === 'upstream_rate_limited';
  }
}
