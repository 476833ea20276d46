/**
 * Serves reads of bars whose ranges overlap: bars that another read requests at this moment, or that were received a
 * moment ago and may not be in the tables yet, are not requested again (contract, Candles).
 */
import { INTERVALS } from '#schemas/domain/candles/sources';
import { joinNearest, type Span, subtract, union } from '#schemas/domain/candles/spans';
import { INFO_LIFETIMES_MS, type InfoRequest, type InfoResult } from '#schemas/requests/venue-a-info';
import { isNoRoom } from '../../feed/reserve-in-time.ts';
import { JoinedPayers } from '../../requests/joined-payers.ts';

/** The range of bars that a read requests. */
export type BarsRequest = NonNullable<InfoRequest['req']>;

/** Requests for the rest of one read. Beyond it, those that are closest share a request. */
const REQUESTS_MAX = 4;

/** Who reads bars, and how long it waits for them. */
export interface BarsReader {
  /** More can join until the bars are there. */
  readonly orgIds: Iterable<string>;
  /** Until when it waits for room within the limits, unix ms. */
  readonly roomUntil: number;
  /** Aborts when the read has taken too long, or ingest closes. */
  readonly signal: AbortSignal;
  /**
   * Requests a range from the venue, within `roomUntil` and `signal`.
   * @param payers whose weight it spends: also those of reads that share it later.
   */
  readonly send: (req: BarsRequest, payers: Iterable<string>) => Promise<InfoResult>;
}

/** A request to the venue. */
interface Requested extends Span {
  readonly coin: string;
  readonly interval: string;
  readonly result: Promise<InfoResult>;
  readonly payers: JoinedPayers;
  /** The signal of the read that sent it. */
  readonly signal: AbortSignal;
  /** Null until the response was received. */
  fetchedAt: number | null;
}

/** Bars of a request that a read uses. */
interface Part extends Span {
  readonly request: Requested;
}

type Received = Part & { readonly response: InfoResult };

export interface SharedBarsOptions {
  /** Called when a read shares a request that may wait for room, and so adds payers to it. */
  readonly onJoin: () => void;
  /** Unix ms. */
  readonly now?: () => number;
}

/** Holds what was received in the last half minute: as much as the venue's limits allow. */
export class SharedBars {
  private readonly requested = new Set<Requested>();
  private readonly onJoin: () => void;
  private readonly now: () => number;

  constructor({ onJoin, now = Date.now }: SharedBarsOptions) {
    this.onJoin = onJoin;
    this.now = now;
  }

  /**
   * Resolves with the bars of a range, with `parts` if they are from several responses. Rejects as `send` does, also if
   * it was called for another read. But if that found no room or ran out of time, this read requests the bars itself.
   */
  async read(req: BarsRequest, reader: BarsReader): Promise<InfoResult> {
    const received = await this.receiveAll(req, reader);
    const [{ from, until, request, response }] = received as [Received];
    const isWholeResponse = received.length === 1 && from === request.from && until === request.until;
    return isWholeResponse ? response : joined(received);
  }

  private async receiveAll(req: BarsRequest, reader: BarsReader): Promise<Received[]> {
    const wanted = { from: req.startTime, until: req.endTime + 1 };
    const shared = this.sharedParts(req, wanted);
    const rest = joinNearest(subtract([wanted], union(shared)), REQUESTS_MAX);
    const own = rest.map((span) => this.request(req, span, reader));
    this.join(shared, reader);
    const received = [...shared.map((part) => this.receiveShared(req, part, reader)), ...own.map(receive)];
    return (await Promise.all(received)).flat();
  }

  /** Its organizations pay for the requests that are still running. */
  private join(parts: readonly Part[], { orgIds }: BarsReader): void {
    const running = parts.filter(({ request }) => request.fetchedAt === null);
    for (const { request } of running) request.payers.add(orgIds);
    if (running.length > 0) this.onJoin();
  }

  private async receiveShared(req: BarsRequest, part: Part, reader: BarsReader): Promise<Received[]> {
    try {
      return await receive(part);
    } catch (error) {
      const hasTimeLeft = isNoRoom(error) ? this.now() < reader.roomUntil : part.request.signal.aborted;
      if (!hasTimeLeft || reader.signal.aborted) throw error;
      return this.receiveAll({ ...req, startTime: part.from, endTime: part.until - 1 }, reader);
    }
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
      if (from < until) parts.push({ from, until, request: one });
    }
    return parts;
  }

  private request({ coin, interval }: BarsRequest, { from, until }: Span, { orgIds, signal, send }: BarsReader): Part {
    const payers = new JoinedPayers();
    payers.add(orgIds);
    const result = send({ coin, interval, startTime: from, endTime: until - 1 }, payers);
    const request: Requested = { coin, interval, from, until, result, payers, signal, fetchedAt: null };
    this.requested.add(request);
    result.then(
      ({ fetchedAt }) => {
        request.fetchedAt = fetchedAt;
      },
      () => this.requested.delete(request),
    );
    return { from, until, request };
  }
}

async function receive(part: Part): Promise<Received[]> {
  return [{ ...part, response: await part.request.result }];
}

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
