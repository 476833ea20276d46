/**
 * Serves reads of bars whose ranges overlap: bars that another read requests at this moment, or that were received a
 * moment ago and may not be in the tables yet, are not requested again (contract, Candles).
 */
import { INTERVALS } from '#schemas/domain/candles/sources';
import { joinNearest, type Span, subtract, union } from '#schemas/domain/candles/spans';
import { INFO_LIFETIMES_MS, type InfoRequest, type InfoResult } from '#schemas/requests/venue-a-info';

/** The range of bars that a read requests. */
export type BarsRequest = NonNullable<InfoRequest['req']>;

/** Requests for the rest of one read. Beyond it, those that are closest share a request. */
const REQUESTS_MAX = 4;

/** A request to the venue. */
interface Requested extends Span {
  readonly coin: string;
  readonly interval: string;
  readonly result: Promise<InfoResult>;
  /** Null until the response was received. */
  fetchedAt: number | null;
}

/** Bars of a request that a read uses. */
interface Part extends Span {
  readonly result: Promise<InfoResult>;
}

/** Holds what was received in the last half minute: as much as the venue's limits allow. */
export class SharedBars {
  private readonly requested = new Set<Requested>();
  private readonly now: () => number;

  /** @param now unix ms. */
  constructor(now: () => number = Date.now) {
    this.now = now;
  }

  /**
   * Resolves with the bars of a range, with `parts` if they are from several responses. Rejects as `send` does, also if
   * it was called for another read.
   * @param send requests a range from the venue.
   */
  async read(req: BarsRequest, send: (req: BarsRequest) => Promise<InfoResult>): Promise<InfoResult> {
    const wanted = { from: req.startTime, until: req.endTime + 1 };
    const shared = this.sharedParts(req, wanted);
    const rest = joinNearest(subtract([wanted], union(shared)), REQUESTS_MAX);
    const own = rest.map((span) => this.request(req, span, send));
    if (shared.length === 0 && own.length === 1) return own[0]!.result;
    return joined(await Promise.all([...shared, ...own].map(receive)));
  }

  private sharedParts({ coin, interval }: BarsRequest, wanted: Span): Part[] {
    const stepMs = INTERVALS[interval];
    const oldest = this.now() - INFO_LIFETIMES_MS.candleSnapshot;
    const parts: Part[] = [];
    for (const one of this.requested) {
      if (one.fetchedAt !== null && one.fetchedAt < oldest) {
        this.requested.delete(one);
        continue;
      }
      if (one.coin !== coin || one.interval !== interval) continue;
      // A request reaches to the start of the bar in progress. That bar has changed since it was received, and a read that
      // reaches further was sent after its close.
      const isClosedOnly = one.fetchedAt !== null || wanted.until > one.until;
      const usableUntil = isClosedOnly ? Math.floor(one.until / stepMs) * stepMs : one.until;
      const from = Math.max(one.from, wanted.from);
      const until = Math.min(usableUntil, wanted.until);
      if (from < until) parts.push({ from, until, result: one.result });
    }
    return parts;
  }

  private request(
    { coin, interval }: BarsRequest,
    { from, until }: Span,
    send: (req: BarsRequest) => Promise<InfoResult>,
  ) {
    const result = send({ coin, interval, startTime: from, endTime: until - 1 });
    const requested: Requested = { coin, interval, from, until, result, fetchedAt: null };
    this.requested.add(requested);
    result.then(
      ({ fetchedAt }) => {
        requested.fetchedAt = fetchedAt;
      },
      () => this.requested.delete(requested),
    );
    return requested;
  }
}

type Received = Span & { readonly response: InfoResult };

const receive = async ({ from, until, result }: Part): Promise<Received> => ({ from, until, response: await result });

/** The bars of several responses as one result. */
function joined(parts: readonly Received[]): InfoResult {
  // A coin that the venue does not know, or a response that cannot be read: the reader decides.
  const other = parts.find(({ response }) => !Array.isArray(response.native));
  if (other) return other.response;
  const sorted = [...parts].sort((a, b) => a.from - b.from);
  return {
    native: sorted.flatMap(({ from, until, response }) =>
      (response.native as { readonly t?: unknown }[]).filter(({ t }) => Number(t) >= from && Number(t) < until),
    ),
    fetchedAt: Math.min(...sorted.map(({ response }) => response.fetchedAt)),
    source: sorted[0]!.response.source,
    parts: sorted.map(({ from, until, response: { fetchedAt } }) => ({
      startTime: from,
      endTime: until - 1,
      fetchedAt,
    })),
  };
}
