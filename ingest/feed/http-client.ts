/** An HTTP client for venues with limits on time, size and rate, which retries transient failures. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseRetryAfter } from '#infra/outbound/retry-after';
import { timeLimit } from '#infra/runtime/time-limit';
import type { Metrics } from '#infra/telemetry/metrics';
import type { Reservation } from './budget-options.ts';
import { UpstreamError } from './errors.ts';
import { readBody } from './read-body.ts';
import { isNoRoom, reserveInTime } from './reserve-in-time.ts';
import type { SpendableBudget } from './reserved-weight.ts';
import { USER_AGENT } from './user-agent.ts';

/** Delays before the attempts of a read (specification, Errors), plus or minus 20 percent. */
const RETRY_DELAYS_MS = [0, 100, 250, 500, 1_000] as const;
const JITTER = 0.2;
const TIMEOUT_MS = 10_000;
const BODY_BYTES_MAX = 32 * 1024 * 1024;
/** How long a request that was given up may take to reach the venue, which then counts it. */
const GIVEN_UP_MS = 2_000;
/** How much of the body of an error is read. */
const ERROR_BODY_BYTES = 2 * 1024;
/** How long a 429 without `Retry-After` blocks requests to the venue. */
const RATE_LIMITED_MS = 5_000;
/** Upper bound of a `Retry-After`, by default. */
const RETRY_AFTER_MAX_MS = 60_000;

export interface HttpRequest {
  readonly url: string;
  /** With a body the request is a POST of JSON; without, a GET. */
  readonly body?: string;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called with each response before its body is read. */
  readonly onResponse?: (response: Response) => void;
  /** Its largest cost in the venue's budget. */
  readonly weight: number;
  /** Its cost, for a venue that counts the length of the response; `weight` by default. */
  readonly weightOf?: (response: Buffer) => number;
  /** Its cost if the venue answers with an error, which has no rows; `weight` by default, and without an answer. */
  readonly weightOfError?: number;
  /** Priority in the budget; 0 by default. */
  readonly priority?: number;
  /** Who spends the weight, also those that are added while it waits; nobody by default. */
  readonly payers?: Iterable<string>;
  /** Until when it waits for room in the budget, unix ms; then it fails as rate-limited. Without a limit by default. */
  readonly roomUntil?: number;
  readonly signal?: AbortSignal;
  /** Called before each attempt, when there is room for it. */
  readonly onSend?: () => void;
}

export interface HttpClientOptions {
  readonly budget: SpendableBudget;
  readonly timeoutMs?: number;
  readonly bodyBytesMax?: number;
  /**
   * The requests that are sent again after a failure: GETs, also after a 429 (by default); or all, since POSTs of this
   * venue only read, but never after a 4xx.
   */
  readonly retries?: 'gets' | 'reads';
  /** Statuses that state that a limit was exceeded, whose `Retry-After` blocks all requests; 429 by default. */
  readonly limitStatuses?: readonly number[];
  /** Bounds of a `Retry-After`; 0 and a minute by default. */
  readonly retryAfterMinMs?: number;
  readonly retryAfterMaxMs?: number;
  /** Called before each attempt. */
  readonly onAttempt?: () => void;
  /** Called with each response before its body is read. */
  readonly onResponse?: (response: Response) => void;
  /** Where its requests are counted. */
  readonly counter?: { readonly source: string; readonly metrics: Pick<Metrics, 'upstreamRequests'> };
  readonly random?: () => number;
}

/** A response whose body has not been read, and the signal that ends it. */
interface Opened {
  readonly response: Response;
  readonly signal: AbortSignal;
}

export class HttpClient {
  private readonly options: HttpClientOptions;

  constructor(options: HttpClientOptions) {
    this.options = options;
  }

  /** Resolves with the body of a 2xx response. Rejects with an `UpstreamError`, or with the signal's reason. */
  async send(request: HttpRequest): Promise<Buffer> {
    const { retries = 'gets' } = this.options;
    const delays = retries === 'reads' || request.body === undefined ? RETRY_DELAYS_MS : [0];
    let failure: UpstreamError | null = null;
    for (const delay of delays) {
      if (delay > 0) await this.pause(this.jittered(delay), request.signal);
      const reservation = await this.reserve(request);
      let weight = request.weight;
      let isAnswered = false;
      request.onSend?.();
      try {
        const body = await this.sendOnce(request);
        isAnswered = true;
        weight = request.weightOf?.(body) ?? weight;
        this.count('success');
        return body;
      } catch (error) {
        if (request.signal?.aborted) throw request.signal.reason;
        if (!(error instanceof UpstreamError)) throw error;
        this.count(error.code);
        isAnswered ||= error.status !== null;
        if (error.status !== null) weight = request.weightOfError ?? weight;
        const mayRetry = retries === 'reads' ? error.code === 'upstream_unavailable' : error.canRetry;
        if (!mayRetry) throw error;
        failure = error;
      } finally {
        if (isAnswered) reservation.settle(weight);
        else settleLater(reservation, weight);
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
      this.count('success');
    } catch (cause) {
      if (request.signal?.aborted) throw request.signal.reason;
      const error = toUpstreamError(request.url, cause);
      this.count(error.code);
      throw error;
    }
  }

  private async reserve(request: HttpRequest): Promise<Reservation> {
    const { weight, priority, payers, roomUntil, signal } = request;
    try {
      return await reserveInTime(this.options.budget, weight, { priority, payers, roomUntil, signal });
    } catch (error) {
      if (isNoRoom(error)) this.count('no_room');
      throw error;
    }
  }

  private count(outcome: string): void {
    const { counter } = this.options;
    counter?.metrics.upstreamRequests.inc({ source: counter.source, outcome });
  }

  /** Rejects with the signal's reason if that aborts first. */
  private async pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    try {
      await sleep(ms, undefined, { signal });
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
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
  private async open({ url, body, headers, onResponse, signal }: HttpRequest): Promise<Opened> {
    const ending = timeLimit(this.options.timeoutMs ?? TIMEOUT_MS, signal);
    this.options.onAttempt?.();
    const response = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'user-agent': USER_AGENT,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
      signal: ending,
    });
    this.options.onResponse?.(response);
    onResponse?.(response);
    const opened = { response, signal: ending };
    if (!response.ok) await this.throwForStatus(url, opened);
    return opened;
  }

  /** Throws the `UpstreamError` for a status. */
  private async throwForStatus(url: string, { response, signal }: Opened): Promise<never> {
    const { status } = response;
    const body = await readStart(response, signal);
    const text = `${hostAndPath(url)} answered ${status}`;
    const { limitStatuses = [429], retryAfterMinMs = 0, retryAfterMaxMs = RETRY_AFTER_MAX_MS } = this.options;
    if (limitStatuses.includes(status)) {
      const wait = parseRetryAfter(response.headers.get('retry-after'), Date.now(), retryAfterMaxMs);
      const retryAfterMs = Math.max(retryAfterMinMs, wait ?? RATE_LIMITED_MS);
      this.options.budget.blockFor(retryAfterMs);
      throw new UpstreamError('upstream_rate_limited', text, { status, body, retryAfterMs });
    }
    throw new UpstreamError(status >= 500 ? 'upstream_unavailable' : 'upstream_rejected', text, { status, body });
  }

  private async *chunksOf(url: string, { response, signal }: Opened): AsyncGenerator<Uint8Array> {
    const maxBytes = this.options.bodyBytesMax ?? BODY_BYTES_MAX;
    let bytes = 0;
    for await (const chunk of readBody(response, signal)) {
      bytes += chunk.length;
      if (bytes > maxBytes)
        throw new UpstreamError('upstream_too_large', `${hostAndPath(url)} answered more than ${maxBytes} bytes`);
      yield chunk;
    }
  }
}

/** Settles a cost of which the venue may not know yet. */
function settleLater(reservation: Reservation, weight: number): void {
  setTimeout(() => reservation.settle(weight), GIVEN_UP_MS).unref();
}

/** The first bytes of a body as text, and cancels the rest. */
async function readStart(response: Response, signal: AbortSignal): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of readBody(response, signal)) {
    chunks.push(chunk);
    bytes += chunk.length;
    // Leaving the loop cancels the stream.
    if (bytes >= ERROR_BODY_BYTES) break;
  }
  return errorBody(Buffer.concat(chunks));
}

/** The part of a body that an error carries. */
export function errorBody(body: Buffer): string {
  return body.subarray(0, ERROR_BODY_BYTES).toString();
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
