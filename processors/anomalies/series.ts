/**
 * The buckets of a window, oldest first, with their sum and the sum of their squares, so that a bucket is evaluated
 * without reading the others. Plain data that survives a snapshot; the values are encoded in bytes (`packed.ts`).
 */
import type { Decimal } from '#schemas/domain/decimal';
import { ENTRY_MAX, type Entry, packEntry, startOfEntry, unpackEntry } from './packed.ts';

/** Bounded by its window: the caller that appends drops the old buckets. */
export interface Series {
  bytes: Uint8Array;
  /** Start of the oldest entry, and end of the newest. */
  start: number;
  end: number;
  count: number;
  /** Key from which the gap of the oldest entry counts, and key of the newest entry. */
  base: number;
  last: number;
  /** Sum in units of 10^-18, and sum of squares in units of 10^-36. */
  sum: bigint;
  squares: bigint;
}

/** A bucket: its key (a minute, a moment) and its value. */
export interface Bucket {
  readonly key: number;
  readonly value: Decimal;
}

export function createSeries(): Series {
  const bytes = new Uint8Array(ENTRY_MAX);
  return { bytes, start: 0, end: 0, count: 0, base: 0, last: 0, sum: 0n, squares: 0n };
}

const entry: Entry = { gap: 0, value: 0n as Decimal, end: 0 };

/** Adds a bucket after all others; several may have the same key. */
export function append(series: Series, key: number, value: Decimal): void {
  if (series.count === 0) {
    series.base = key;
    series.last = key;
    series.start = 0;
    series.end = 0;
  }
  makeRoom(series);
  series.end = packEntry(series.bytes, series.end, key - series.last, value);
  series.last = key;
  series.count += 1;
  series.sum += value;
  series.squares += value * value;
}

/** Returns the series, or a new one, without the buckets whose key is below `from`. */
export function windowOf(series: Series | null | undefined, from: number): Series {
  if (!series) return createSeries();
  dropBefore(series, from);
  return series;
}

/** Drops the buckets whose key is below `key`. */
export function dropBefore(series: Series, key: number): void {
  while (series.count > 0) {
    unpackEntry(series.bytes, series.start, entry);
    const at = series.base + entry.gap;
    if (at >= key) return;
    series.base = at;
    series.start = entry.end;
    series.count -= 1;
    series.sum -= entry.value;
    series.squares -= entry.value * entry.value;
  }
}

/**
 * Changes the value of the newest bucket with this key and value, or removes it (null). Does nothing without such a
 * bucket. It reads only the buckets from the newest to this one, since a reverted value is seldom old.
 */
export function amend(series: Series, { key, value }: Bucket, next: Decimal | null): void {
  if (series.count === 0 || key > series.last || key < series.base) return;
  makeRoom(series);
  const { bytes, start } = series;
  let at = series.last;
  for (let end = series.end; end > start && at >= key; at -= entry.gap) {
    const from = startOfEntry(bytes, end);
    unpackEntry(bytes, from, entry);
    if (at === key && entry.value === value) {
      if (next === null) removeEntry(series, from, end);
      else replaceValue(series, from, end, next);
      series.sum += (next ?? 0n) - value;
      series.squares += (next ?? 0n) ** 2n - value * value;
      return;
    }
    end = from;
  }
}

/** Removes the entry between `from` and `end`, which was read last; its gap is added to that of the next entry. */
function removeEntry(series: Series, from: number, end: number): void {
  const { bytes } = series;
  const { gap } = entry;
  series.count -= 1;
  if (end === series.end) {
    series.last -= gap;
    series.end = from;
    return;
  }
  unpackEntry(bytes, end, entry);
  splice(series, from, entry.end, { gap: gap + entry.gap, value: entry.value });
}

/** Changes the value of the entry between `from` and `end`, which was read last. */
function replaceValue(series: Series, from: number, end: number, value: Decimal): void {
  splice(series, from, end, { gap: entry.gap, value });
}

const packed = new Uint8Array(ENTRY_MAX);

/** Replaces the bytes between `from` and `end` by an entry. There is room for the longest one. */
function splice(series: Series, from: number, end: number, { gap, value }: Pick<Entry, 'gap' | 'value'>): void {
  const { bytes } = series;
  const length = packEntry(packed, 0, gap, value);
  bytes.copyWithin(from + length, end, series.end);
  bytes.set(packed.subarray(0, length), from);
  series.end += from + length - end;
}

/** Returns every bucket, oldest first. */
export function bucketsOf(series: Series): Bucket[] {
  const buckets: Bucket[] = [];
  let key = series.base;
  for (let at = series.start; at < series.end; at = entry.end) {
    unpackEntry(series.bytes, at, entry);
    key += entry.gap;
    buckets.push({ key, value: entry.value });
  }
  return buckets;
}

/** Makes room for one more entry: by moving the entries to the front, or by growing the buffer by a quarter. */
function makeRoom(series: Series): void {
  const { bytes, start, end } = series;
  if (end + ENTRY_MAX <= bytes.length) return;
  const used = end - start;
  if (used + ENTRY_MAX <= bytes.length && start >= used) bytes.copyWithin(0, start, end);
  else {
    series.bytes = new Uint8Array(used + Math.max(ENTRY_MAX, used >> 2));
    series.bytes.set(bytes.subarray(start, end));
  }
  series.start = 0;
  series.end = used;
}
