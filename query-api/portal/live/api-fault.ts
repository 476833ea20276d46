/** The quota that a request found used up. */
export interface UsedQuota {
  readonly sku: string;
  readonly limit: number;
  readonly used: number;
  /** Unix ms at which the window ends. */
  readonly resetAt: number;
}

/** A request that failed: the service's error envelope, or the connection. */
export class ApiFault extends Error {
  /** 0 if there was no response. */
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  /** Unix ms from which a retry may succeed; null if unknown. */
  readonly retryAt: number | null;
  /** Null for other faults. */
  readonly quota: UsedQuota | null;

  constructor(fields: {
    readonly status: number;
    readonly code: string;
    readonly message: string;
    readonly requestId?: string | null;
    readonly retryAt?: number | null;
    readonly quota?: UsedQuota | null;
  }) {
    super(fields.message);
    this.status = fields.status;
    this.code = fields.code;
    this.requestId = fields.requestId ?? null;
    this.retryAt = fields.retryAt ?? null;
    this.quota = fields.quota ?? null;
  }

  get isForbidden(): boolean {
    return this.code === 'forbidden_scope' || this.code === 'insufficient_scope';
  }

  get isMissing(): boolean {
    return this.status === 404;
  }
}

const ADVICE: Readonly<Record<string, string>> = {
  unreachable: 'Check that Parallax runs and that this computer can reach it.',
  timeout: 'The service took too long. Try again in a moment.',
  internal_error: 'Try again. If it fails again, give the request id to whoever runs the service.',
  upstream_unavailable: 'The venue does not answer now. The page tries again when you ask it to.',
  upstream_rate_limited: "The venue's limits are used up. Wait a minute, then try again.",
  quota_exceeded: 'The page goes on by itself when the quota is reset. A larger plan allows more.',
  unauthenticated: 'Sign in with a token that is valid.',
  validation_failed: 'Correct the named field, then try again.',
  bad_request: 'Correct the named field, then try again.',
  conflict: 'Somebody changed the same thing. Reload, then try again.',
};

/** What the person can do about a fault. */
export function adviceFor({ code, status }: ApiFault): string {
  const advice = ADVICE[code];
  if (advice !== undefined) return advice;
  return status >= 500 ? ADVICE.internal_error! : 'Check the address, then try again.';
}
