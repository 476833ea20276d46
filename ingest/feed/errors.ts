/** Why a venue gave no answer, and whether asking again can help. */
export class UpstreamError extends Error {
  override name = 'UpstreamError';
  readonly code: /** No connection, no answer in time, or 5xx, after every attempt. */
    | 'upstream_unavailable'
    /** 429 after every attempt. */
    | 'upstream_rate_limited'
    /** Any other 4xx: the question was wrong. */
    | 'upstream_rejected'
    /** The answer is longer than we take. */
    | 'upstream_too_large'
    /** The answer is not what the venue documents. */
    | 'upstream_malformed';
  readonly canRetry: boolean;
  /** HTTP status, where there was an answer. */
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
