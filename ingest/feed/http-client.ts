/** An HTTP client for venues with limits on time, size and rate, which retries transient failures. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseRetryAfter } from '#infra/retry-after';
import type { Budget } from './budget.ts';
import { UpstreamError } from './errors.ts';
import { USER_AGENT } from './user-agent.ts';

/** Delays before the attempts of a GET (specification, Errors), plus or minus 20 percent. */
const GET_RETRY_DELAYS_MS = [0, 100, 250, 500, 1_000] as const;
const JITTER = 0.2;
const TIMEOUT_MS = 10_000;
const BODY_BYTES_MAX = 32 * 1024 * 1024;
/** How long a 429 without `Retry-After` blocks requests to the venue. */
const RATE_LIMITED_MS = 5_000;
/** Upper bound of a `Retry-After`. */
const RETRY_AFTER_MAX_MS = 60_000;

export interface HttpRequest {
  readonly url: string;
  /** With a body the request is a POST of JSON, sent once; without, a GET, which is retried. */
  readonly body?: string;
  /** Its cost in the venue's budget. */
  readonly weight: number;
  readonly signal?: AbortSignal;
}

export interface HttpClientOptions {
  readonly budget: Budget;
  readonly timeoutMs?: number;
  readonly bodyBytesMax?: number;
  readonly random?: () => number;
}

export class HttpClient {
  private readonly options: HttpClientOptions;

  constructor(options: HttpClientOptions) {
    this.options = options;
  }

  /** Resolves with the body of a 2xx response. Rejects with an `UpstreamError`, or with the signal's reason. */
  async send(request: HttpRequest): Promise<Buffer> {
    const delays = request.body === undefined ? GET_RETRY_DELAYS_MS : [0];
    let failure: UpstreamError | null = null;
    for (const delay of delays) {
      if (delay > 0) await sleep(this.jittered(delay), undefined, { signal: request.signal });
      await this.options.budget.acquire(request.weight, request.signal);
      try {
        return await this.sendOnce(request);
      } catch (error) {
        if (request.signal?.aborted) throw request.signal.reason;
        if (!(error instanceof UpstreamError) || !error.canRetry) throw error;
        failure = error;
      }
    }
    throw failure!;
  }

  /**
   * Yields the body of a 2xx response to a GET as it arrives, without a retry. Throws an `UpstreamError`, also when the
   * body is cut off, or the signal's reason.
   */
  async *stream(request: Omit<HttpRequest, 'body'>): AsyncGenerator<Uint8Array> {
    await this.options.budget.acquire(request.weight, request.signal);
    try {
      yield* this.chunksOf(request.url, await this.open(request));
    } catch (cause) {
      if (request.signal?.aborted) throw request.signal.reason;
      throw toUpstreamError(request.url, cause);
    }
  }

  private jittered(delay: number): number {
    return delay * (1 + JITTER * (2 * (this.options.random ?? Math.random)() - 1));
  }

  private async sendOnce(request: HttpRequest): Promise<Buffer> {
    try {
      const chunks: Uint8Array[] = [];
      for await (const chunk of this.chunksOf(request.url, await this.open(request))) chunks.push(chunk);
      return Buffer.concat(chunks);
    } catch (cause) {
      throw toUpstreamError(request.url, cause);
    }
  }

  /** Sends the request. The time limit also holds for the body of the response. */
  private async open({ url, body, signal }: HttpRequest): Promise<Response> {
    const timeout = AbortSignal.timeout(this.options.timeoutMs ?? TIMEOUT_MS);
    const response = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'user-agent': USER_AGENT, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body }),
      signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
    });
    if (!response.ok) await this.throwForStatus(url, response);
    return response;
  }

  /** Throws the `UpstreamError` for a status. */
  private async throwForStatus(url: string, response: Response): Promise<never> {
    const { status } = response;
    await response.body?.cancel();
    const text = `${hostAndPath(url)} answered ${status}`;
    if (status === 429) {
      const waitMs = parseRetryAfter(response.headers.get('retry-after'), Date.now(), RETRY_AFTER_MAX_MS);
      this.options.budget.blockFor(waitMs ?? RATE_LIMITED_MS);
      throw new UpstreamError('upstream_rate_limited', text, { status });
    }
    throw new UpstreamError(status >= 500 ? 'upstream_unavailable' : 'upstream_rejected', text, { status });
  }

  private async *chunksOf(url: string, response: Response): AsyncGenerator<Uint8Array> {
    const maxBytes = this.options.bodyBytesMax ?? BODY_BYTES_MAX;
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > maxBytes)
        throw new UpstreamError('upstream_too_large', `${hostAndPath(url)} answered more than ${maxBytes} bytes`);
      yield chunk;
    }
  }
}

/** Host and path of a URL: its query and credentials must not appear in messages. */
function hostAndPath(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

function toUpstreamError(url: string, cause: unknown): UpstreamError {
  if (cause instanceof UpstreamError) return cause;
  return new UpstreamError('upstream_unavailable', `no response from ${hostAndPath(url)}: ${causeText(cause)}`, {
    cause,
  });
}

function causeText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.cause.name : error.message;
}
