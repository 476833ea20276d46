/** Questions to a venue over HTTP: bounded in time, size and rate, and asked again where that can help. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Budget } from './budget.ts';
import { UpstreamError } from './errors.ts';

/** Delays before the attempts of a GET (specification, Errors), plus or minus 20 percent. */
export const GET_RETRY_DELAYS_MS = [0, 100, 250, 500, 1_000] as const;
const JITTER = 0.2;
const TIMEOUT_MS = 10_000;
const BODY_BYTES_MAX = 32 * 1024 * 1024;
/** How long a 429 without `Retry-After` keeps the venue from being asked. */
const RATE_LIMITED_MS = 5_000;
/** No venue is waited for longer than this, whatever it asks for. */
const RETRY_AFTER_MAX_MS = 60_000;
/** Some hosts answer 429 to a request without one (venue page of venue_a, section 1). */
const USER_AGENT = 'parallax/0.1';

export interface Question {
  readonly url: string;
  /** With a body it is a POST of JSON, which is asked once; without, a GET. */
  readonly body?: string;
  /** What it costs of the venue's budget. */
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

  /** The bytes of a 2xx answer. Rejects with an `UpstreamError`, or with the signal's reason. */
  async ask(question: Question): Promise<Buffer> {
    const delays = question.body === undefined ? GET_RETRY_DELAYS_MS : [0];
    let failure: UpstreamError | null = null;
    for (const delay of delays) {
      if (delay > 0) await sleep(this.jittered(delay), undefined, { signal: question.signal });
      await this.options.budget.take(question.weight, question.signal);
      try {
        return await this.askOnce(question);
      } catch (error) {
        if (question.signal?.aborted) throw question.signal.reason;
        if (!(error instanceof UpstreamError) || !error.canRetry) throw error;
        failure = error;
      }
    }
    throw failure!;
  }

  private jittered(delay: number): number {
    return delay * (1 + JITTER * (2 * (this.options.random ?? Math.random)() - 1));
  }

  private async askOnce({ url, body, signal }: Question): Promise<Buffer> {
    const timeout = AbortSignal.timeout(this.options.timeoutMs ?? TIMEOUT_MS);
    try {
      const response = await fetch(url, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'user-agent': USER_AGENT, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body }),
        signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
      });
      if (!response.ok) await this.refuse(url, response);
      return await this.readBody(url, response);
    } catch (cause) {
      if (cause instanceof UpstreamError) throw cause;
      throw new UpstreamError('upstream_unavailable', `no answer from ${placeOf(url)}: ${causeOf(cause)}`, { cause });
    }
  }

  /** Throws what the status means. */
  private async refuse(url: string, response: Response): Promise<never> {
    const { status } = response;
    await response.body?.cancel();
    const text = `${placeOf(url)} answered ${status}`;
    if (status === 429) {
      this.options.budget.blockFor(retryAfterMs(response.headers.get('retry-after')) ?? RATE_LIMITED_MS);
      throw new UpstreamError('upstream_rate_limited', text, { status });
    }
    throw new UpstreamError(status >= 500 ? 'upstream_unavailable' : 'upstream_rejected', text, { status });
  }

  private async readBody(url: string, response: Response): Promise<Buffer> {
    const most = this.options.bodyBytesMax ?? BODY_BYTES_MAX;
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > most)
        throw new UpstreamError('upstream_too_large', `${placeOf(url)} answered more than ${most} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }
}

/** Milliseconds that a `Retry-After` asks for, at most a minute; null when there is none that can be read. */
export function retryAfterMs(header: string | null, now: number = Date.now()): number | null {
  if (header === null) return null;
  const wait = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isFinite(wait) ? Math.min(Math.max(0, wait), RETRY_AFTER_MAX_MS) : null;
}

/** Host and path: queries and credentials of an address are not for messages. */
function placeOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.cause.name : error.message;
}
