/** The weight that the external exchange allows, as it counts it: 429 beyond the limit, 418 if requests go on. */

/** Refused requests after which an address is banned. */
const REFUSALS_BEFORE_BAN = 10;
/** Windows for which a ban lasts. */
const BAN_WINDOWS = 2;

export interface ExchangeLimitOptions {
  readonly weight: number;
  readonly windowMs: number;
}
export const EXCHANGE_LIMIT: ExchangeLimitOptions = { weight: 2_400, windowMs: 60_000 };

interface Counted {
  /** Null if the request is allowed. */
  readonly refusal: { readonly status: 418 | 429; readonly retryAfterSeconds: number } | null;
  /** Weight that counts now. */
  readonly used: number;
}

export class ExchangeLimit {
  /** How often the limit was exceeded. */
  exceeded = 0;
  private readonly options: ExchangeLimitOptions;
  private spent: { readonly atMs: number; readonly weight: number }[] = [];
  private refusals = 0;
  private bannedUntilMs = 0;

  constructor(options: ExchangeLimitOptions) {
    this.options = options;
  }

  /** Counts a request. */
  count(weight: number, atMs: number): Counted {
    const { weight: max, windowMs } = this.options;
    this.spent = this.spent.filter((entry) => entry.atMs > atMs - windowMs);
    const used = this.spent.reduce((sum, entry) => sum + entry.weight, 0);
    if (atMs < this.bannedUntilMs) return this.refuse(418, this.bannedUntilMs - atMs, used);
    if (used + weight > max) {
      this.refusals += 1;
      if (this.refusals <= REFUSALS_BEFORE_BAN) return this.refuse(429, this.spent[0]!.atMs + windowMs - atMs, used);
      this.bannedUntilMs = atMs + BAN_WINDOWS * windowMs;
      return this.refuse(418, BAN_WINDOWS * windowMs, used);
    }
    this.refusals = 0;
    this.spent.push({ atMs, weight });
    return { refusal: null, used: used + weight };
  }

  private refuse(status: 418 | 429, waitMs: number, used: number): Counted {
    this.exceeded += 1;
    return { refusal: { status, retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) }, used };
  }
}
