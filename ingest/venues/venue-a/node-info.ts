/** Reads `info` of a self-hosted node, unless the node lags behind the venue (venue page, section 10). */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Running } from '#infra/runtime/context';
import type { Metrics } from '#infra/telemetry/metrics';
import { asObject, parseJsonOrNull } from '#schemas/domain/json-fields';
import { NODE_REQUESTS } from '#schemas/venues/venue-a/node-requests';
import { Budget } from '../../feed/budget.ts';
import { UpstreamError } from '../../feed/errors.ts';
import { HttpClient } from '../../feed/http-client.ts';
import { NODE } from './declaration.ts';

const STATUS_REQUEST = '{"type":"exchangeStatus"}';
/** A node has no limits. This budget only blocks requests while the node answers 429. */
const UNLIMITED = { max: Number.MAX_SAFE_INTEGER, windowMs: 1_000 };

export interface NodeInfoOptions {
  /** Complete URL of the node's `info`. */
  readonly url: string;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'upstreamRequests'>;
  readonly timeoutMs?: number;
  readonly pollMs?: number;
}

/** Polls the clock of the node until it is closed. */
export class NodeInfo implements Running {
  private readonly options: NodeInfoOptions;
  private readonly http: HttpClient;
  private readonly closing = new AbortController();
  private readonly polled: Promise<void>;
  /** The newest time of the node's clock, unix ms. */
  private newestTime = 0;
  /** True until the clock is known. */
  private isStale = true;

  constructor(options: NodeInfoOptions) {
    this.options = options;
    const { metrics, timeoutMs = NODE.timeoutMs } = options;
    const counter = { source: 'venue_a.node', metrics };
    this.http = new HttpClient({ budget: new Budget(UNLIMITED), timeoutMs, counter });
    this.polled = this.poll();
  }

  /**
   * Resolves with the response of the node; null if the venue must be asked instead. Makes one attempt. Rejects only with
   * the signal's reason.
   */
  async read(body: string, signal?: AbortSignal): Promise<Buffer | null> {
    if (this.isStale || !NODE_REQUESTS.has(asObject(parseJsonOrNull(body)).type)) return null;
    return (await this.send(body, signal))?.payload ?? null;
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.polled;
  }

  private async poll(): Promise<void> {
    const { signal } = this.closing;
    while (!signal.aborted) {
      try {
        const answer = await this.send(STATUS_REQUEST, signal);
        if (typeof answer?.time === 'number') this.newestTime = answer.time;
        this.setStale(isOld(this.newestTime));
      } catch (error) {
        if (!signal.aborted) throw error;
      }
      // An abort ends the wait early.
      await sleep(this.options.pollMs ?? NODE.pollMs, undefined, { signal }).catch(() => {});
    }
  }

  /** Sends one request. Resolves with null if it fails, or if its response is not JSON or too old. */
  private async send(body: string, signal?: AbortSignal): Promise<{ payload: Buffer; time: unknown } | null> {
    const { url, logger } = this.options;
    try {
      const payload = await this.http.send({
        url,
        body,
        weight: 1,
        roomUntil: Date.now(),
        ...(signal ? { signal } : {}),
      });
      const parsed: unknown = JSON.parse(payload.toString());
      const { time } = asObject(parsed);
      if (body !== STATUS_REQUEST && typeof time === 'number' && isOld(time)) return null;
      return { payload, time };
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (!(error instanceof UpstreamError || error instanceof SyntaxError)) throw error;
      logger.debug({ error, body }, 'the node did not answer a request');
      return null;
    }
  }

  private setStale(isStale: boolean): void {
    if (isStale === this.isStale) return;
    this.isStale = isStale;
    const newest = new Date(this.newestTime).toISOString();
    if (isStale) this.options.logger.warn({ newest }, 'the node of venue_a lags behind; requests go to the venue');
    else this.options.logger.info({ newest }, 'the node of venue_a is up to date; requests go to it first');
  }
}

const isOld = (time: number): boolean => Date.now() - time > NODE.lagMaxMs;
