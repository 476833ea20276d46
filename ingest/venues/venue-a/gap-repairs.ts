/**
 * Gaps in the recorded trades that the venue's one-minute bars can repair (contract, "Candles"). A gap is open until a
 * response of the venue covers all its buckets, also an earlier one, or the venue stores none of them any more. Pure:
 * follows from the records of ranges.
 */
import { type BackoffBounds, backoffMs } from '#infra/runtime/retry';
import { MINUTE_MS, VENUE_SOURCE } from '#schemas/domain/candles/sources';
import { type Span, subtract, union } from '#schemas/domain/candles/spans';
import { type CandleRange, isTradeGap } from '#schemas/topics/candles';
import { oldestStored } from '#schemas/venues/venue-a/candle-snapshot';
import { isOutcomeCoin } from '#schemas/venues/venue-a/outcome-coin';

/** After the last bucket of a gap was closed, its bar gets final within this time. */
const FINAL_AFTER_MS = 3_000;
/** Time until an answered request is repeated: doubled each time. The range of its response arrives within seconds. */
const REPEAT_MIN_MS = 30_000;
const REPEAT_MAX_MS = 3_600_000;
/** An outcome comes before a coin whose first missing minute is less than this before its own: it may expire. */
const OUTCOMES_AHEAD_MS = 15 * MINUTE_MS;
/** The same for a request without an answer: a shortage may be over at any time, and gaps are repaired within a minute if there is weight. */
const FAILED: BackoffBounds = { firstMs: 2_000, longestMs: 20_000 };

/** A request that is due: buckets of a coin, unix ms. */
export interface GapRepair extends Span {
  readonly coin: string;
}

interface CoinRepairs {
  /** Buckets of each gap, by the id of its range; of a gap that has not ended without an end. */
  readonly gaps: Map<string, Span>;
  /** Requests since the newest gap, and how many of the last ones got no answer. */
  attempts: number;
  failures: number;
  /** The request that is being sent, if there was no other gap since. */
  running: GapRepair | null;
  /** No request is due before, unix ms. */
  notBefore: number;
}

export class GapRepairs {
  /** Coins with gaps. */
  private readonly coins = new Map<string, CoinRepairs>();
  /** Buckets that responses covered, by coin: a trade may turn out to be missed hours later. */
  private readonly covered = new Map<string, readonly Span[]>();
  private readonly random: () => number;

  constructor(random: () => number = Math.random) {
    this.random = random;
  }

  /** Processes a range of any source, also one that was processed before. */
  record(range: CandleRange): void {
    const { coin, source, intervalMs, kind, id, from, until } = range;
    if (intervalMs !== MINUTE_MS) return;
    if (isTradeGap(range)) this.recordGap(coin, id, { from: floor(from), until: endOf(until) });
    else if (kind === 'none') this.coins.get(coin)?.gaps.delete(id);
    else if (source === VENUE_SOURCE) {
      const span = { from, until: until ?? Number.POSITIVE_INFINITY };
      this.covered.set(coin, union([...(this.covered.get(coin) ?? []), span]));
    }
  }

  /**
   * Returns the requests that are due, and forgets gaps that are repaired or too old. Those with the fewest answers are
   * first, and of these the coin whose first missing minute is the oldest, so that further gaps delay no coin. Outcomes are
   * ahead by some minutes: the venue has no bars of an outcome that has expired, those of other coins for days.
   */
  due(now: number): GapRepair[] {
    const oldest = oldestStored(MINUTE_MS, now);
    for (const [coin, spans] of this.covered) {
      const left = spans.filter(({ until }) => until > oldest);
      if (left.length === 0) this.covered.delete(coin);
      else if (left.length < spans.length) this.covered.set(coin, left);
    }
    const due: { readonly repair: GapRepair; readonly attempts: number; readonly since: number }[] = [];
    for (const [coin, repairs] of this.coins) {
      const missing = missingOf(repairs, this.covered.get(coin) ?? [], oldest, floor(now - FINAL_AFTER_MS));
      const [first, last] = [missing[0], missing.at(-1)];
      if (repairs.gaps.size === 0) this.coins.delete(coin);
      if (!first || !last || repairs.running || now < repairs.notBefore) continue;
      const since = first.from - (isOutcomeCoin(coin) ? OUTCOMES_AHEAD_MS : 0);
      // A request costs as much as a thousand bars, so that one for all gaps is cheaper than one for each.
      due.push({ repair: { coin, from: first.from, until: last.until }, attempts: repairs.attempts, since });
    }
    return due.sort((a, b) => a.attempts - b.attempts || a.since - b.since).map(({ repair }) => repair);
  }

  /** Records that a request is sent, or waits to be sent. No other one of its coin is due until it has ended. */
  begin(repair: GapRepair): void {
    const repairs = this.coins.get(repair.coin);
    if (!repairs) return;
    repairs.running = repair;
    repairs.attempts += 1;
  }

  /** Records that the venue answered a request. */
  answered(repair: GapRepair, now: number): void {
    const repairs = this.end(repair);
    if (!repairs) return;
    repairs.failures = 0;
    repairs.notBefore = now + Math.min(REPEAT_MAX_MS, REPEAT_MIN_MS * 2 ** (repairs.attempts - 1));
  }

  /** Records that a request got no answer. */
  failed(repair: GapRepair, now: number): void {
    const repairs = this.end(repair);
    if (!repairs) return;
    repairs.attempts -= 1;
    repairs.notBefore = now + backoffMs(repairs.failures, this.random, FAILED);
    repairs.failures += 1;
  }

  /** Returns what is open of the coin of a request that has ended; undefined if another gap was added meanwhile. */
  private end(repair: GapRepair): CoinRepairs | undefined {
    const repairs = this.coins.get(repair.coin);
    if (repairs?.running !== repair) return undefined;
    repairs.running = null;
    return repairs;
  }

  private recordGap(coin: string, id: string, gap: Span): void {
    let repairs = this.coins.get(coin);
    if (!repairs) {
      repairs = { gaps: new Map(), attempts: 0, failures: 0, running: null, notBefore: 0 };
      this.coins.set(coin, repairs);
    }
    const known = repairs.gaps.get(id);
    if (known?.from === gap.from && known.until === gap.until) return;
    repairs.gaps.set(id, gap);
    repairs.attempts = 0;
    repairs.running = null;
    repairs.notBefore = 0;
  }
}

/** The closed buckets of ended gaps that no response covered. Removes what needs no repair any more. */
function missingOf({ gaps }: CoinRepairs, covered: readonly Span[], oldest: number, closedUntil: number): Span[] {
  const missing: Span[] = [];
  for (const [id, { from, until }] of gaps) {
    const own = subtract([{ from: Math.max(from, oldest), until }], covered);
    // A gap that has not ended by now gets another record when it ends.
    if (own.length === 0 || (until === Number.POSITIVE_INFINITY && from < oldest)) gaps.delete(id);
    else if (until <= closedUntil) missing.push(...own);
  }
  return union(missing);
}

const floor = (time: number) => Math.floor(time / MINUTE_MS) * MINUTE_MS;

/** End of the last bucket that a gap touches: its end is inclusive. */
function endOf(until: number | null): number {
  return until === null ? Number.POSITIVE_INFINITY : floor(until) + MINUTE_MS;
}
