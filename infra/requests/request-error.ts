import type { RequestFailure, RequestOutcome } from '#schemas/topics/requests';

/** Why a request to ingest has no result: its failure, or `late` if there was no outcome in time. */
export class RequestError extends Error {
  override name = 'RequestError';
  readonly code: RequestFailure | 'late';
  /** The response of a venue that failed; both are null without one. */
  readonly upstream: { readonly status: number | null; readonly body: string | null };
  readonly retryAfterMs: number | null;
  constructor(
    code: RequestError['code'],
    details: Partial<Pick<RequestOutcome, 'upstreamStatus' | 'upstreamBody' | 'retryAfterMs'>> = {},
  ) {
    super(`a request to ingest failed: ${code}`);
    this.code = code;
    this.upstream = { status: details.upstreamStatus ?? null, body: details.upstreamBody ?? null };
    this.retryAfterMs = details.retryAfterMs ?? null;
  }
}
