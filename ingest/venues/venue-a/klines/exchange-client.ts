/** Sends requests to the external exchange within its weight, as the exchange itself counts it. */
import type { Logger } from 'pino';
import type { Metrics } from '#infra/telemetry/metrics';
import { Budget } from '../../../feed/budget.ts';
import { HttpClient } from '../../../feed/http-client.ts';
import { joinUrl } from '../../adapter.ts';
import {
  EXCHANGE_LIMITS,
  type ExchangeLimits,
  LIMIT_STATUSES,
  RETRY_AFTER_MAX_MS,
  RETRY_AFTER_MIN_MS,
  USED_WEIGHT_HEADER,
  WEIGHT_MAX,
  WEIGHT_SHARE,
} from './declaration.ts';

export const SOURCE = 'venue_a.klines';
const GET = 'GET ';

interface ExchangeClientOptions {
  /** Base of its REST. */
  readonly url: string;
  readonly metrics: Pick<Metrics, 'upstreamRequests' | 'venueLimits'>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly limits?: ExchangeLimits;
}

export class ExchangeClient {
  /** Requests that were sent, each attempt counted. */
  requests = 0;
  private readonly url: string;
  private readonly logger: ExchangeClientOptions['logger'];
  private readonly limits: ExchangeLimits;
  private readonly budget: Budget;
  private readonly http: HttpClient;

  constructor({ url, metrics, logger, limits = EXCHANGE_LIMITS }: ExchangeClientOptions) {
    this.url = url;
    this.logger = logger;
    this.limits = limits;
    this.budget = new Budget({ max: Math.floor(limits.weight * WEIGHT_SHARE), windowMs: limits.windowMs });
    const used = () => this.budget.used;
    metrics.venueLimits.set(SOURCE, { venue: 'external_exchange', limit: 'weight', max: this.budget.max, used });
    this.http = new HttpClient({
      budget: this.budget,
      counter: { source: SOURCE, metrics },
      limitStatuses: LIMIT_STATUSES,
      retryAfterMinMs: RETRY_AFTER_MIN_MS,
      retryAfterMaxMs: RETRY_AFTER_MAX_MS,
      onAttempt: () => {
        this.requests += 1;
      },
      onResponse: (response) => this.readLimits(response),
    });
  }

  /**
   * Resolves with the body of the response to `GET /path?query`. Waits for room within the weight, and after 429 and 418
   * as long as the exchange demands. Rejects with an `UpstreamError`, or with the signal's reason.
   */
  send(request: string, weight: number, signal: AbortSignal): Promise<Buffer> {
    return this.http.send({ url: joinUrl(this.url, request.slice(GET.length)), weight, signal });
  }

  private readLimits({ status, headers }: Response): void {
    const isLimited = LIMIT_STATUSES.some((limited) => limited === status);
    if (isLimited)
      this.logger.warn({ status, retryAfter: headers.get('retry-after') }, 'the external exchange limits requests');
    // Of other programs too, and of a process that was killed within the window.
    const used = Number(headers.get(USED_WEIGHT_HEADER) ?? 0);
    if (used + 2 * WEIGHT_MAX > this.limits.weight) this.budget.blockFor(this.limits.windowMs);
  }
}
