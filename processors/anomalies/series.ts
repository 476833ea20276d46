/**
 * The buckets of a window, oldest first, with their sum and the sum of their squares, so that a bucket is judged without
 * looking at the others. Plain data that survives a snapshot; the values stand packed in bytes (`packed.ts`).
 */
import type { Decimal } from '#schemas/domain/decimal';
import { ENTRY_MAX, type Entry, packEntry, startOfEntry, unpackEntry } from './packed.ts';

/** Bounded by its window: whoever appends drops what is too old. */
export interface Series {
  bytes: Uint8Array;
  /** Where the oldest entry begins, and where the next one goes. */
  start: number;
  end: number;
  count: number;
  /** Key that the gap of the oldest entry counts from, and key of the newest. */
  base: number;
  last: number;
  /** In units of 10^-18, and of 10^-36. */
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

/** Adds a bucket behind all others; several may have one key. */
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

/** A series, made where there is none, without the buckets whose key is below `from`. */
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
 * Gives the newest bucket that has this key and value another value, or takes it out (null); nothing where there is none
 * such. It looks at the buckets behind it alone: what is taken back is seldom old.
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

/** Takes out the entry there, which was read last; the gap of the one behind it grows by its gap. */
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

/** Gives the entry there, which was read last, another value. */
function replaceValue(series: Series, from: number, end: number, value: Decimal): void {
  splice(series, from, end, { gap: entry.gap, value });
}

const packed = new Uint8Array(ENTRY_MAX);

/** Puts an entry in the place of those bytes. There is room for the longest. */
function splice(series: Series, from: number, end: number, { gap, value }: Pick<Entry, 'gap' | 'value'>): void {
  const { bytes } = series;
  const length = packEntry(packed, 0, gap, value);
  bytes.copyWithin(from + length, end, series.end);
  bytes.set(packed.subarray(0, length), from);
  series.end += from + length - end;
}

/** Every bucket, oldest first. */
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

/** Makes room for one more entry behind the newest: by moving the others to the front, else by a quarter more. */
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
