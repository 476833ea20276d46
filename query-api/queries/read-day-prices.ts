/** Reads the prices of a day of many events, a few of each leg, for small charts in a list. */

import type { Parameter } from '#infra/store/store';
import { unixMs } from '#infra/store/unix-ms';
import { formatDecimal, parseDecimal } from '#schemas/domain/decimal';
import { marketKey } from '#schemas/domain/providers';
import { type Query, query, type Reader } from './query.ts';

const MINUTE_MS = 60_000;
/** Number of steps. */
const STEPS = 48;
/** Lengths of a step, ms: the first one is used with which the steps reach back to the first price of the day. */
const STEP_LENGTHS = [1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS);

export interface LegPrices {
  readonly provider: string;
  readonly marketId: string;
  /** One for each step, oldest first: the last yesMid published in it; null if none was, or none was known. */
  readonly mids: readonly (string | null)[];
}

/** The prices of an event in the day before a time. */
export interface DayPrices {
  /** Unix ms at which the first step begins. */
  readonly from: number;
  /** Length of a step. */
  readonly stepMs: number;
  /** By provider, then market. */
  readonly legs: readonly LegPrices[];
}

interface Row {
  readonly universalId: string;
  readonly provider: string;
  readonly marketId: string;
  readonly step: number;
  readonly ts: number;
  readonly yesMid: string | null;
}

/** When the first of the steps begins of which a time is in the last one. */
const startOf = (until: number, stepMs: number) => (Math.floor(until / stepMs) + 1 - STEPS) * stepMs;

/**
 * Reads the prices of 48 steps of which `until` is in the last one: half hours, or less while all prices of the day are
 * newer than those.
 * @param ids of each event: its own id, and the ids of the events that were merged into it.
 * @param until unix ms.
 * @returns by the keys of `ids`; an event without prices has no legs.
 */
export async function readDayPrices(
  store: Reader,
  ids: ReadonlyMap<string, readonly string[]>,
  until: number,
): Promise<Map<string, DayPrices>> {
  const eventOf = new Map([...ids].flatMap(([event, all]) => all.map((id) => [id, event] as const)));
  const day = { ids: [...eventOf.keys()], from: startOf(until, STEP_LENGTHS.at(-1)!), until };
  const first = eventOf.size === 0 ? null : await query(store, firstTime(day));
  const stepMs = STEP_LENGTHS.find((length) => first === null || startOf(until, length) <= first)!;
  const from = startOf(until, stepMs);
  const rows = first === null ? [] : await query(store, lastMids({ ...day, from, stepMs }));
  const legs = new Map(
    [...ids.keys()].map((event) => [event, new Map<string, LegPrices & { mids: (string | null)[] }>()]),
  );
  // Oldest first, so that of two events that were merged the one that published last counts.
  for (const { universalId, provider, marketId, step, yesMid } of rows.sort((a, b) => a.ts - b.ts)) {
    const found = legs.get(eventOf.get(universalId)!)!;
    const key = marketKey(provider, marketId);
    const leg = found.get(key) ?? { provider, marketId, mids: new Array<string | null>(STEPS).fill(null) };
    found.set(key, leg);
    leg.mids[step] = yesMid === null ? null : formatDecimal(parseDecimal(yesMid));
  }
  const inOrder = (found: ReadonlyMap<string, LegPrices>) =>
    [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, leg]) => leg);
  return new Map([...legs].map(([event, found]) => [event, { from, stepMs, legs: inOrder(found) }]));
}

type Parameters<Name extends string> = Readonly<Record<Name, Parameter>>;

const IN_PERIOD = `universalId IN {ids:Array(String)}
  AND h.receivedAt >= fromUnixTimestamp64Milli({from:Int64}) AND h.receivedAt <= fromUnixTimestamp64Milli({until:Int64})`;

function firstTime(parameters: Parameters<'ids' | 'from' | 'until'>): Query<number | null> {
  return {
    name: 'day-prices-start',
    sql: `SELECT ${unixMs('min(h.receivedAt)')} AS ts FROM spreads AS h WHERE ${IN_PERIOD} HAVING count() > 0`,
    parameters,
    parse: ([first]: { readonly ts: number }[]) => first?.ts ?? null,
  };
}

function lastMids(parameters: Parameters<'ids' | 'from' | 'until' | 'stepMs'>): Query<Row[]> {
  return {
    name: 'day-prices',
    // A tuple, since argMax leaves out rows whose value is null.
    sql: `SELECT universalId, provider, marketId, step, ${unixMs('max(h.receivedAt)')} AS ts,
       argMax(tuple(yesMid), (h.receivedAt, h.version)).1 AS yesMid
     FROM spreads AS h
     ARRAY JOIN \`legs.provider\` AS provider, \`legs.marketId\` AS marketId, \`legs.yesMid\` AS yesMid
     WHERE ${IN_PERIOD}
     GROUP BY universalId, provider, marketId,
       toFloat64(intDiv(toUnixTimestamp64Milli(h.receivedAt) - {from:Int64}, {stepMs:Int64})) AS step`,
    parameters,
    parse: (rows: Row[]) => rows,
  };
}
