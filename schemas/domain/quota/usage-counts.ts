/**
 * Usage of each organization in the current UTC minute and day. Every node counts what it served and publishes its own
 * totals; the sum over all nodes is the organization's usage. Nodes publish totals rather than increments, so that one
 * that is published twice, or again after a restart, counts once. Within one node the count is exact; over several nodes
 * an organization can exceed its quota by what the others serve before they publish it.
 */
import type { Quota } from './plan-quotas.ts';
import { SKUS, type Sku } from './sku.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Units of one SKU that one node has served to one organization. Times are unix ms, the starts of UTC windows. */
export interface NodeUsage {
  /** Unique to a process, so that a restarted one counts in addition to what it published before. */
  readonly node: string;
  readonly orgId: string;
  readonly sku: Sku;
  readonly minute: number;
  readonly minuteUnits: number;
  readonly day: number;
  readonly dayUnits: number;
}

/** A limited window and what is left of it. */
export interface QuotaWindow {
  readonly name: 'minute' | 'day';
  readonly limit: number;
  /** Units that count in it, reserved ones included. */
  readonly used: number;
  readonly remaining: number;
  /** Unix ms. */
  readonly endsAt: number;
}

interface Totals {
  minute: number;
  minuteUnits: number;
  day: number;
  dayUnits: number;
}

interface Entry {
  readonly orgId: string;
  readonly sku: Sku;
  /** Units that this node served. */
  readonly own: Totals;
  /** Units that all other nodes served. */
  readonly others: Totals;
  readonly byNode: Map<string, Totals>;
  /** Units that are reserved for requests in progress. */
  pending: number;
}

export class UsageCounts {
  private readonly node: string;
  private readonly entries = new Map<string, Entry>();
  private readonly unpublished = new Set<Entry>();

  constructor(node: string) {
    this.node = node;
  }

  /** Reserves a unit for a request if both windows have one left; false if not. `finish` must follow. */
  reserve(orgId: string, sku: Sku, quota: Quota, now: number): boolean {
    const entry = this.entryOf(orgId, sku);
    if (remainingWindows(entry, quota, now).some(({ remaining }) => remaining <= 0)) return false;
    entry.pending += 1;
    return true;
  }

  /** Ends a reservation: a success counts, a failure does not. */
  finish(orgId: string, sku: Sku, isSuccess: boolean, now: number): void {
    const entry = this.entryOf(orgId, sku);
    entry.pending -= 1;
    if (isSuccess) this.addOwn(entry, 1, now);
  }

  /** Counts units that were served already, within what `windows` reported as left. */
  add(orgId: string, sku: Sku, units: number, now: number): void {
    this.addOwn(this.entryOf(orgId, sku), units, now);
  }

  /** The limited windows of a SKU, the one with the least left first, and of two equal ones the one that ends later. */
  windows(orgId: string, sku: Sku, quota: Quota, now: number): QuotaWindow[] {
    const windows = remainingWindows(this.entryOf(orgId, sku), quota, now);
    return windows.sort((a, b) => a.remaining - b.remaining || b.endsAt - a.endsAt);
  }

  /** Units that all nodes together served on the UTC day of `now`, by SKU; SKUs without units are left out. */
  unitsOfDay(orgId: string, now: number): Map<Sku, number> {
    const today = windowStart(now, DAY_MS);
    const units = new Map<Sku, number>();
    for (const sku of SKUS) {
      const entry = this.entries.get(entryName(orgId, sku));
      if (!entry) continue;
      const { own, others } = entry;
      const sum = (own.day === today ? own.dayUnits : 0) + (others.day === today ? others.dayUnits : 0);
      if (sum > 0) units.set(sku, sum);
    }
    return units;
  }

  /** Applies the totals that another node published; ignores this node's own. */
  apply(usage: NodeUsage): void {
    if (usage.node === this.node) return;
    const entry = this.entryOf(usage.orgId, usage.sku);
    const before = entry.byNode.get(usage.node) ?? { minute: 0, minuteUnits: 0, day: 0, dayUnits: 0 };
    // Windows only go forward, so an older record that comes late is ignored.
    if (usage.minute < before.minute || usage.day < before.day) return;
    const { minute, minuteUnits, day, dayUnits } = usage;
    roll(entry.others, minute, day);
    if (entry.others.minute === minute)
      entry.others.minuteUnits += minuteUnits - (before.minute === minute ? before.minuteUnits : 0);
    if (entry.others.day === day) entry.others.dayUnits += dayUnits - (before.day === day ? before.dayUnits : 0);
    entry.byNode.set(usage.node, { minute, minuteUnits, day, dayUnits });
  }

  /** Returns the totals of this node that changed since the last call, to be published. */
  drainUnpublished(): NodeUsage[] {
    const usages = Array.from(this.unpublished, ({ orgId, sku, own }) => ({ node: this.node, orgId, sku, ...own }));
    this.unpublished.clear();
    return usages;
  }

  /** Marks totals that could not be published, so that the next call returns them again. */
  markUnpublished(usages: readonly NodeUsage[]): void {
    for (const { orgId, sku } of usages) this.unpublished.add(this.entryOf(orgId, sku));
  }

  /** Drops the totals that no current window counts. */
  prune(now: number): void {
    const today = windowStart(now, DAY_MS);
    for (const [name, entry] of this.entries) {
      for (const [node, totals] of entry.byNode) if (totals.day < today) entry.byNode.delete(node);
      const hasEnded = entry.own.day < today && entry.others.day < today;
      if (hasEnded && !this.unpublished.has(entry) && entry.pending === 0) this.entries.delete(name);
    }
  }

  private addOwn(entry: Entry, units: number, now: number): void {
    roll(entry.own, windowStart(now, MINUTE_MS), windowStart(now, DAY_MS));
    entry.own.minuteUnits += units;
    entry.own.dayUnits += units;
    this.unpublished.add(entry);
  }

  private entryOf(orgId: string, sku: Sku): Entry {
    const name = entryName(orgId, sku);
    let entry = this.entries.get(name);
    if (!entry) {
      const [own, others] = [emptyTotals(), emptyTotals()];
      entry = { orgId, sku, own, others, byNode: new Map(), pending: 0 };
      this.entries.set(name, entry);
    }
    return entry;
  }
}

function entryName(orgId: string, sku: Sku): string {
  return `${orgId} ${sku}`;
}

function emptyTotals(): Totals {
  return { minute: 0, minuteUnits: 0, day: 0, dayUnits: 0 };
}

function windowStart(now: number, length: number): number {
  return now - (now % length);
}

/** Starts new windows at the given times; never goes back, even if a clock does. */
function roll(totals: Totals, minute: number, day: number): void {
  if (minute > totals.minute) [totals.minute, totals.minuteUnits] = [minute, 0];
  if (day > totals.day) [totals.day, totals.dayUnits] = [day, 0];
}

/** Called twice for each request, so it avoids closures and intermediate lists. */
function remainingWindows({ own, others, pending }: Entry, quota: Quota, now: number): QuotaWindow[] {
  const windows: QuotaWindow[] = [];
  if (quota.minute !== null) {
    const start = windowStart(now, MINUTE_MS);
    const units = (own.minute >= start ? own.minuteUnits : 0) + (others.minute >= start ? others.minuteUnits : 0);
    windows.push(windowOf('minute', quota.minute, pending + units, start + MINUTE_MS));
  }
  if (quota.day !== null) {
    const start = windowStart(now, DAY_MS);
    const units = (own.day >= start ? own.dayUnits : 0) + (others.day >= start ? others.dayUnits : 0);
    windows.push(windowOf('day', quota.day, pending + units, start + DAY_MS));
  }
  return windows;
}

function windowOf(name: QuotaWindow['name'], limit: number, units: number, endsAt: number): QuotaWindow {
  return { name, limit, used: units, remaining: Math.max(0, limit - units), endsAt };
}
