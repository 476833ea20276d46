/**
 * Who used how much in the current UTC minute and day. Every node counts what it served and tells the others its own
 * totals; everyone's totals added up are the organization's. Totals rather than increments, so that one that is told
 * twice, or again after a restart, counts once. Within one node the count is exact; over several, an organization can
 * overshoot by what the others serve until they tell it.
 */
import type { Quota } from './plan-quotas.ts';
import { SKUS, type Sku } from './sku.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** What one node has served of one SKU to one organization. Times are unix ms, the beginnings of UTC windows. */
export interface NodeUsage {
  /** A name that a process has for itself alone, so that a restarted one goes on beside what it told before. */
  readonly node: string;
  readonly orgId: string;
  readonly sku: Sku;
  readonly minute: number;
  readonly minuteUnits: number;
  readonly day: number;
  readonly dayUnits: number;
}

/** The window that a request has least left of. */
export interface QuotaWindow {
  readonly name: 'minute' | 'day';
  readonly limit: number;
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
  /** What this node served. */
  readonly own: Totals;
  /** What all others served. */
  readonly others: Totals;
  readonly byNode: Map<string, Totals>;
  /** Units of requests that are being served. */
  pending: number;
}

export class UsageCounts {
  private readonly node: string;
  private readonly entries = new Map<string, Entry>();
  private readonly untold = new Set<Entry>();

  constructor(node: string) {
    this.node = node;
  }

  /** Takes a unit for something about to be served, if both windows have one left. End it by `settle`. */
  reserve(orgId: string, sku: Sku, quota: Quota, now: number): boolean {
    const entry = this.entryOf(orgId, sku);
    if (leftIn(entry, quota, now).some(({ remaining }) => remaining <= 0)) return false;
    entry.pending += 1;
    return true;
  }

  /** Ends what `reserve` began: a success counts, a failure does not. */
  settle(orgId: string, sku: Sku, isSuccess: boolean, now: number): void {
    const entry = this.entryOf(orgId, sku);
    entry.pending -= 1;
    if (isSuccess) this.addOwn(entry, 1, now);
  }

  /** Counts what was served already, within what `windows` said was left. */
  add(orgId: string, sku: Sku, units: number, now: number): void {
    this.addOwn(this.entryOf(orgId, sku), units, now);
  }

  /** The limited windows of a SKU, the one with the least left first; a tie is told by the window that ends later. */
  windows(orgId: string, sku: Sku, quota: Quota, now: number): QuotaWindow[] {
    const windows = leftIn(this.entryOf(orgId, sku), quota, now);
    return windows.sort((a, b) => a.remaining - b.remaining || b.endsAt - a.endsAt);
  }

  /** Units that all nodes together served on the UTC day of `now`, by SKU; SKUs without any are left out. */
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

  /** What another node has told of itself, or what this one told before. */
  apply(told: NodeUsage): void {
    if (told.node === this.node) return;
    const entry = this.entryOf(told.orgId, told.sku);
    const before = entry.byNode.get(told.node) ?? { minute: 0, minuteUnits: 0, day: 0, dayUnits: 0 };
    // Windows only go forward: an older record that comes late tells nothing new.
    if (told.minute < before.minute || told.day < before.day) return;
    const { minute, minuteUnits, day, dayUnits } = told;
    roll(entry.others, minute, day);
    if (entry.others.minute === minute)
      entry.others.minuteUnits += minuteUnits - (before.minute === minute ? before.minuteUnits : 0);
    if (entry.others.day === day) entry.others.dayUnits += dayUnits - (before.day === day ? before.dayUnits : 0);
    entry.byNode.set(told.node, { minute, minuteUnits, day, dayUnits });
  }

  /** Totals of this node that changed since the last call, to be told to the others. */
  takeUntold(): NodeUsage[] {
    const told = Array.from(this.untold, ({ orgId, sku, own }) => ({ node: this.node, orgId, sku, ...own }));
    this.untold.clear();
    return told;
  }

  /** Tells again what could not be told. */
  untell(usages: readonly NodeUsage[]): void {
    for (const { orgId, sku } of usages) this.untold.add(this.entryOf(orgId, sku));
  }

  /** Forgets what no current window counts. */
  prune(now: number): void {
    const today = windowStart(now, DAY_MS);
    for (const [name, entry] of this.entries) {
      for (const [node, totals] of entry.byNode) if (totals.day < today) entry.byNode.delete(node);
      const isOver = entry.own.day < today && entry.others.day < today;
      if (isOver && !this.untold.has(entry) && entry.pending === 0) this.entries.delete(name);
    }
  }

  private addOwn(entry: Entry, units: number, now: number): void {
    roll(entry.own, windowStart(now, MINUTE_MS), windowStart(now, DAY_MS));
    entry.own.minuteUnits += units;
    entry.own.dayUnits += units;
    this.untold.add(entry);
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

/** Begins the windows that the given time lies in; never goes back, whatever a clock says. */
function roll(totals: Totals, minute: number, day: number): void {
  if (minute > totals.minute) [totals.minute, totals.minuteUnits] = [minute, 0];
  if (day > totals.day) [totals.day, totals.dayUnits] = [day, 0];
}

/** Asked for with each request, twice: without closures or lists of what is added up. */
function leftIn({ own, others, pending }: Entry, quota: Quota, now: number): QuotaWindow[] {
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
  return { name, limit, remaining: Math.max(0, limit - units), endsAt };
}
