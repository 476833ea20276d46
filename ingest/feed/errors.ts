/** Why a request to a venue failed, and if a retry can help. */
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
  constructor(
    code: UpstreamError['code'],
    message: string,
    options: ErrorOptions & { readonly status?: number | null } = {},
  ) {
    super(message, options);
    this.code = code;
    this.status = options.status ?? null;
    this.canRetry = code === 'upstream_unavailable' || code === 'upstream_rate_limited';
  }
}
