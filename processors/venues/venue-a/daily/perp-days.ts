/**
 * Daily rows of perps and contracts, from bars of every source but an exchange and the ranges in which these are
 * complete. Bars are stored one by one while something can still change their bucket, and joined afterwards.
 */
import type { Emit } from '#infra/stages/stage';
import {
  BUCKET_MS,
  countBuckets,
  DAY_MS,
  joinComplete,
  type KnownDay,
  totalOfDay,
} from '#schemas/domain/candles/daily';
import { joinRanges, type SourceRange } from '#schemas/domain/candles/select';
import { baseLengths, ownRulesOf } from '#schemas/domain/candles/sources';
import { formatDecimal } from '#schemas/domain/decimal';
import { marketKey } from '#schemas/domain/providers';
import type { Candle, CandleRange } from '#schemas/topics/candles';
import { type DailyRow, dailyRowTopic } from '#schemas/topics/daily';
import { isOutcomeCoin } from '#schemas/venues/venue-a/outcome-coin';
import { isSpotCoin } from '#schemas/venues/venue-a/spot-coin';
import { RETAIN_BARS_MS } from '../../../candles/bars.ts';
import { dayText, startOfDay } from './days.ts';
import { markMissed, newSpans, restate } from './missed-parts.ts';
import type { DailyState, Perp, PerpDay } from './state.ts';
import { removeBars, storeBar, storedBars } from './stored-bars.ts';

/** Days before the current one of which bars are used: those that the venue's 5,000 bars of five minutes reach, and some. */
const DAYS_MAX = 21;
/** Buckets are joined in batches of this length. */
const JOIN_STEP_MS = 3_600_000;
/** Perps whose buckets are joined at one mark of the clock, so that it takes some milliseconds. */
const JOINS_PER_MARK = 50;

/** The bars that are used, by provider. */
const USED = new Map(
  ['venue_a_perp', 'venue_a_dex'].map((provider) => {
    const rules = ownRulesOf(provider);
    const sources = new Set(rules.rules.flatMap((rule) => rule.sources));
    return [provider, { recorded: rules.recorded, sources, lengths: new Set(baseLengths(rules, BUCKET_MS)) }] as const;
  }),
);

/** True for what has no bars here, by its coin alone: questions of all venues and spot pairs. */
export function isOther(coin: string): boolean {
  return isOutcomeCoin(coin) || isSpotCoin(coin);
}

export function addBar(state: DailyState, candle: Candle): void {
  const { provider, coin, source, openTime, receivedAt } = candle;
  if (!isUsed(candle)) return;
  const day = startOfDay(openTime);
  const today = startOfDay(receivedAt);
  if (day < today - DAYS_MAX * DAY_MS || day > today + DAY_MS) return;
  const perp = perpOf(state, provider, coin);
  // A trade from the future does not make older bars final.
  if (source === USED.get(provider)!.recorded) perp.newest = Math.max(perp.newest, Math.min(openTime, receivedAt));
  let known = perp.days.get(day);
  if (!known) {
    known = { parts: [], missed: [], bars: new Map(), published: null, isChanged: false, isFinal: false };
    perp.days.set(day, known);
  }
  if (known.parts.some(({ from, until }) => openTime >= from && openTime < until)) return;
  storeBar(known.bars, day, candle);
  const { recorded, sources } = USED.get(provider)!;
  if (source !== recorded && candle.intervalMs === BUCKET_MS) restate(perp, known, openTime, sources);
  markChanged(state, perp, day, known);
}

export function addRange(state: DailyState, range: CandleRange): void {
  const { provider, coin, source, intervalMs, id, kind, from, until, receivedAt } = range;
  if (!isUsed(range)) return;
  const key = `${source} ${intervalMs} ${id}`;
  // A known range may have been open-ended until now.
  const isKnown = state.perps.get(marketKey(provider, coin))?.ranges.has(key) ?? false;
  if (!isKnown && until !== null && until < startOfDay(receivedAt) - DAYS_MAX * DAY_MS) return;
  const perp = perpOf(state, provider, coin);
  const before = perp.ranges.get(key);
  changeJoined(state, perp, range);
  if (kind === 'none') perp.ranges.delete(key);
  else perp.ranges.set(key, { source, intervalMs, kind, from, until });
  const changed = before?.kind === kind ? differences(before, range) : [range, ...(before ? [before] : [])];
  for (const [day, known] of perp.days)
    if (changed.some((part) => touches(part, day))) markChanged(state, perp, day, known);
}

/** Applies a gap in recorded trades to joined buckets. */
function changeJoined(state: DailyState, perp: Perp, range: CandleRange): void {
  if (range.kind !== 'gap' || range.source !== USED.get(perp.provider)!.recorded) return;
  const spans = newSpans(perp.ranges.values(), range);
  for (const [day, known] of perp.days) if (markMissed(known, spans)) markChanged(state, perp, day, known);
}

type Times = Pick<SourceRange, 'from' | 'until'>;

/** The times that only one of two ranges contains: a range is often extended, and most of its days stay the same. */
function differences(a: Times, b: Times): Times[] {
  const [aUntil, bUntil] = [a.until ?? Number.POSITIVE_INFINITY, b.until ?? Number.POSITIVE_INFINITY];
  const parts: Times[] = [];
  if (a.from !== b.from) parts.push({ from: Math.min(a.from, b.from), until: Math.max(a.from, b.from) });
  if (aUntil !== bUntil) parts.push({ from: Math.min(aUntil, bUntil), until: Math.max(aUntil, bUntil) });
  return parts;
}

function isUsed({ provider, source, intervalMs }: Pick<Candle, 'provider' | 'source' | 'intervalMs'>): boolean {
  const used = USED.get(provider);
  return used ? used.sources.has(source) && used.lengths.has(intervalMs) : false;
}

function touches({ from, until }: Times, day: number): boolean {
  return from < day + DAY_MS && (until === null || until >= day);
}

function perpOf({ perps }: DailyState, provider: string, coin: string): Perp {
  const key = marketKey(provider, coin);
  const known = perps.get(key);
  if (known) return known;
  const perp: Perp = { provider, coin, newest: 0, joinedUntil: 0, ranges: new Map(), days: new Map() };
  perps.set(key, perp);
  return perp;
}

function markChanged(state: DailyState, { provider, coin }: Perp, day: number, known: PerpDay): void {
  if (known.isFinal) return;
  known.isChanged = true;
  if (day + DAY_MS <= state.markedAt) state.changed.add(marketKey(provider, coin));
}

/** Emits the rows of the past days that changed; of all perps if a day ended. */
export function emitPerps(state: DailyState, now: number, isNewDay: boolean, emit: Emit): void {
  const keys = isNewDay ? state.perps.keys() : state.changed;
  for (const key of keys) {
    const perp = state.perps.get(key)!;
    for (const [day, known] of perp.days)
      if (known.isChanged && day + DAY_MS <= now) emitDay(perp, day, known, now, emit);
  }
  state.changed.clear();
}

function emitDay(perp: Perp, day: number, known: PerpDay, now: number, emit: Emit): void {
  known.isChanged = false;
  const { total, isComplete } = totalOfDay(knownDay(perp, day, known, day + DAY_MS), day);
  const { bar, traded, amount } = total;
  if (bar !== null || known.published !== null) {
    const row = {
      tradeDate: dayText(day),
      marketType: 'perp',
      symbol: perp.coin,
      open: formatDecimal(bar?.open ?? amount),
      high: formatDecimal(bar?.high ?? amount),
      low: formatDecimal(bar?.low ?? amount),
      close: formatDecimal(bar?.close ?? amount),
      volume: formatDecimal(bar?.volume ?? amount),
      amount: formatDecimal(amount),
      marketCap: null,
      parts: countBuckets(traded),
      complete: isComplete,
      source: 'candle_agg_5m',
    } satisfies Omit<DailyRow, 'receivedAt'>;
    const figures = JSON.stringify(row);
    if (figures !== known.published) emit(dailyRowTopic, perp.coin, { ...row, receivedAt: now });
    known.published = figures;
  }
  if (!isComplete || perp.joinedUntil < day + DAY_MS) return;
  known.isFinal = true;
  known.published = null;
  known.parts = [total];
  known.bars.clear();
}

function knownDay({ provider, ranges }: Perp, day: number, { parts, missed, bars }: PerpDay, until: number): KnownDay {
  const joined = { parts, missed: missed.map(({ part }) => part) };
  return { provider, ...joined, bars: storedBars(bars, day, until), ranges: [...ranges.values()] };
}

/**
 * Joins buckets that are settled: the newest bar from recorded trades is so much later that no late trade is added to
 * their bars, and a lost connection leaves a gap from the newest recorded trade or later. A trade that is later still
 * makes them incomplete (`missed-parts.ts`). It runs at marks of the clock, since a gap and the trades after it have one
 * time.
 */
export function joinBuckets(state: DailyState): void {
  let joins = 0;
  for (const [key, perp] of state.perps) {
    const until = Math.floor((perp.newest - RETAIN_BARS_MS) / BUCKET_MS) * BUCKET_MS;
    if (until < perp.joinedUntil + JOIN_STEP_MS) continue;
    for (const [day, known] of perp.days) {
      if (day >= until || known.isFinal) continue;
      if (known.bars.size > 0) joinDay(perp, day, known, Math.min(until, day + DAY_MS));
      // The day may be final now.
      if (perp.joinedUntil < day + DAY_MS && until >= day + DAY_MS && day + DAY_MS <= state.markedAt) {
        known.isChanged = true;
        state.changed.add(key);
      }
    }
    perp.joinedUntil = until;
    joinPastRanges(perp, until);
    joins += 1;
    if (joins === JOINS_PER_MARK) return;
  }
}

function joinDay(perp: Perp, day: number, known: PerpDay, until: number): void {
  known.parts = joinComplete(knownDay(perp, day, known, until), day, until);
  for (const part of known.parts) removeBars(known.bars, day, part.from, part.until);
}

/** Joins ranges that ended, which are many if the trades of a perp are requested again and again. */
function joinPastRanges({ ranges }: Perp, until: number): void {
  const past = [...ranges].filter(([, range]) => range.until !== null && range.until < until);
  const joined = joinRanges(past.map(([, range]) => range));
  if (joined.length === past.length) return;
  for (const [key] of past) ranges.delete(key);
  for (const range of joined)
    ranges.set(`${range.source} ${range.intervalMs} joined ${range.kind} ${range.from}`, range);
}

/** Drops days and ranges that are too old, and perps of which nothing is left. */
export function dropOldDays({ perps }: DailyState, now: number): void {
  const oldest = startOfDay(now) - DAYS_MAX * DAY_MS;
  for (const [key, { days, ranges }] of perps) {
    for (const day of days.keys()) if (day < oldest) days.delete(day);
    for (const [id, { until }] of ranges) if (until !== null && until < oldest) ranges.delete(id);
    if (days.size === 0 && ranges.size === 0) perps.delete(key);
  }
}
