/**
 * A ledger that stores every event, sorts all of them and calculates everything from the start with one flat list of
 * lots. It shares no calculation with the ledger that it is compared with.
 */
import type { Fill, LedgerEvent } from './events.ts';

export interface NaiveLot {
  readonly instrument: string;
  readonly builder: string | null;
  readonly openedBy: string;
  qty: bigint;
  readonly price: bigint | null;
}

export interface NaiveRow {
  readonly id: string;
  readonly kind: string;
  readonly instrument: string;
  readonly builder: string | null;
  qty: bigint;
  readonly price: bigint | null;
  realized: bigint | null;
  readonly closes: { openedBy: string; qty: bigint }[];
  partial: boolean;
}

export interface NaiveResult {
  readonly lots: NaiveLot[];
  readonly rows: NaiveRow[];
  /** Ids of the events in the order in which they were applied. */
  readonly order: string[];
}

const ONE = 1_000_000_000_000_000_000n;
const KINDS = ['fill', 'split merge convert', 'settle'];

export function naiveLedger(events: readonly LedgerEvent[]): NaiveResult {
  const ledger = new NaiveLedger();
  const groups = new Map<string, LedgerEvent[]>();
  for (const event of events) groups.set(placeOf(event), [...(groups.get(placeOf(event)) ?? []), event]);
  for (const [, group] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1)))
    for (const event of bestOrder(group.sort(byTie), ledger)) ledger.apply(event);
  return { lots: ledger.lots, rows: ledger.rows, order: ledger.order };
}

class NaiveLedger {
  readonly lots: NaiveLot[] = [];
  readonly rows: NaiveRow[] = [];
  readonly order: string[] = [];

  apply(event: LedgerEvent): void {
    this.order.push(event.id);
    if (event.kind === 'fill') this.fill(event);
    if (event.kind === 'split') {
      const price = round(ONE, BigInt(event.instruments.length));
      for (const instrument of event.instruments) this.open(event, 'split', instrument, null, event.qty, price);
    }
    if (event.kind === 'merge') {
      const price = round(ONE, BigInt(event.instruments.length));
      for (const instrument of event.instruments)
        this.open(event, 'merge', instrument, null, this.sell(event, instrument, event.qty, price), price);
    }
    if (event.kind === 'convert') this.convert(event);
    if (event.kind === 'settle')
      for (const { instrument, payout } of event.payouts)
        for (const lot of this.lots.filter((candidate) => candidate.instrument === instrument))
          this.close(event, 'settle', lot, lot.qty, payout);
    for (let at = this.rows.length - 1; this.rows[at]?.id === event.id; at -= 1) finish(this.rows[at]!);
  }

  position(instrument: string): bigint {
    return this.lots.filter((lot) => lot.instrument === instrument).reduce((sum, lot) => sum + lot.qty, 0n);
  }

  private fill(event: Fill): void {
    const { instrument, builder, price } = event;
    if (event.startPosition !== null) this.see(event, event.startPosition);
    const signed = event.qty - event.feeQty;
    let left = abs(signed);
    this.row(event, 'fill', instrument, builder, price);
    for (const lot of [...this.lots]) {
      if (lot.instrument !== instrument || lot.builder !== builder || lot.qty > 0n === signed > 0n) continue;
      const part = min(left, abs(lot.qty));
      if (part > 0n) this.close(event, 'fill', lot, lot.qty > 0n ? part : -part, price);
      left -= part;
    }
    this.open(event, 'fill', instrument, builder, signed > 0n ? left : -left, price);
  }

  private see(event: Fill, stated: bigint): void {
    const { instrument } = event;
    const position = this.position(instrument);
    const tolerance = max(ONE / 1_000_000n, abs(stated) / 100_000_000n);
    let left = stated - position;
    if (abs(left) <= tolerance) {
      for (const lot of this.lots.filter((candidate) => candidate.instrument === instrument).reverse()) {
        const moved = lot.qty > 0n === left > 0n || abs(lot.qty) > abs(left) ? left : -lot.qty;
        if (moved === 0n) continue;
        const row = this.row(event, 'unseen', instrument, lot.builder, lot.price, true);
        row.qty += moved;
        row.realized = 0n;
        if (lot.qty > 0n !== moved > 0n) row.closes.push({ openedBy: lot.openedBy, qty: -moved });
        this.change(lot, moved);
        left -= moved;
      }
      return;
    }
    const isLong = position > 0n;
    if (position !== 0n && left > 0n !== isLong) {
      let short = min(abs(left), abs(position));
      for (const lot of [...this.lots]) {
        if (lot.instrument !== instrument || lot.qty > 0n !== isLong) continue;
        const part = min(short, abs(lot.qty));
        if (part === 0n) continue;
        this.remove(event, 'unseen', lot, isLong ? part : -part).partial = true;
        short -= part;
      }
    }
    left = stated - this.position(instrument);
    if (left !== 0n) this.open(event, 'unseen', instrument, null, left, null);
  }

  private convert(event: Extract<LedgerEvent, { kind: 'convert' }>): void {
    const { removed, received, qty } = event;
    let cost: bigint | null = 0n;
    let last: NaiveRow | null = null;
    for (const instrument of removed) {
      let left: bigint = qty;
      for (const lot of [...this.lots]) {
        if (lot.instrument !== instrument || lot.qty < 0n) continue;
        const part = min(left, lot.qty);
        if (part === 0n) continue;
        cost = cost === null || lot.price === null ? null : cost + part * lot.price;
        last = this.remove(event, 'convert', lot, part);
        if (lot.price === null) last.partial = true;
        left -= part;
      }
      if (left > 0n) cost = null;
      this.open(event, 'convert', instrument, null, -left, null);
    }
    const amount: bigint | null = cost === null ? null : cost - (BigInt(removed.length) - 1n) * qty * ONE;
    const realizes = amount !== null && (amount < 0n || received.length === 0);
    if (last && realizes) last.realized = round(-amount, ONE);
    if (last && amount === null && received.length === 0) {
      last.realized = null;
      last.partial = true;
    }
    const spread = realizes ? 0n : amount;
    for (const instrument of received)
      this.open(
        event,
        'convert',
        instrument,
        null,
        qty,
        spread === null ? null : round(spread, qty * BigInt(received.length)),
      );
  }

  /** Sells up to `qty` of the oldest long lots; returns what is left, negative. */
  private sell(event: LedgerEvent, instrument: string, qty: bigint, price: bigint): bigint {
    let left = qty;
    for (const lot of [...this.lots]) {
      if (lot.instrument !== instrument || lot.qty < 0n) continue;
      const part = min(left, lot.qty);
      if (part > 0n) this.close(event, 'merge', lot, part, price);
      left -= part;
    }
    return -left;
  }

  private close(event: LedgerEvent, kind: string, lot: NaiveLot, part: bigint, price: bigint): void {
    const row = this.row(event, kind, lot.instrument, lot.builder, price);
    row.qty -= part;
    row.closes.push({ openedBy: lot.openedBy, qty: part });
    if (lot.price === null) row.partial = true;
    else row.realized = (row.realized ?? 0n) + part * (price - lot.price);
    this.change(lot, -part);
  }

  private remove(event: LedgerEvent, kind: string, lot: NaiveLot, part: bigint): NaiveRow {
    const row = this.row(event, kind, lot.instrument, lot.builder, null);
    row.qty -= part;
    row.closes.push({ openedBy: lot.openedBy, qty: part });
    row.realized = 0n;
    this.change(lot, -part);
    return row;
  }

  private open(
    event: LedgerEvent,
    kind: string,
    instrument: string,
    builder: string | null,
    qty: bigint,
    price: bigint | null,
  ): void {
    if (qty === 0n) return;
    const row = this.row(event, kind, instrument, builder, price);
    row.qty += qty;
    if (price === null) row.partial = true;
    this.lots.push({ instrument, builder, openedBy: event.id, qty, price });
  }

  private change(lot: NaiveLot, qty: bigint): void {
    lot.qty += qty;
    if (lot.qty === 0n) this.lots.splice(this.lots.indexOf(lot), 1);
  }

  /** Returns the row of a book, of which the realized amount has 36 decimals until the event is complete. */
  private row(
    event: LedgerEvent,
    kind: string,
    instrument: string,
    builder: string | null,
    price: bigint | null,
    isOwn = false,
  ): NaiveRow {
    const { id } = event;
    const found = this.rows.findLast(
      (row) => !isOwn && row.id === id && row.kind === kind && row.instrument === instrument && row.builder === builder,
    );
    if (found) return found;
    const row: NaiveRow = { id, kind, instrument, builder, qty: 0n, price, realized: null, closes: [], partial: false };
    this.rows.push(row);
    return row;
  }
}

function finish(row: NaiveRow): void {
  const isPriced = row.kind === 'fill' || row.kind === 'merge' || row.kind === 'settle';
  if (isPriced && row.realized !== null) row.realized = round(row.realized, ONE);
  else if (row.closes.length === 0) row.realized = 0n;
}

/** Tries every order of a group that states positions: the fewest breaks count, then the lowest ties. */
function bestOrder(group: LedgerEvent[], ledger: NaiveLedger): LedgerEvent[] {
  const fills = group.filter((event): event is Fill => event.kind === 'fill' && event.startPosition !== null);
  if (fills.length < group.length || fills.length < 2) return group;
  const endOf = ({ startPosition, qty, feeQty }: Fill) => startPosition! + qty - feeQty;
  const before = ledger.position(fills[0]!.instrument);
  const joined = joinNear([before, ...fills.flatMap((fill) => [fill.startPosition!, endOf(fill)])]);
  let best: { order: Fill[]; score: string } | null = null;
  for (const order of permutations(fills)) {
    let position: bigint = before;
    let breaks = 0;
    let ties = '';
    for (const fill of order) {
      const isBreak = joined.get(fill.startPosition!) !== joined.get(position);
      if (isBreak) breaks += 1;
      ties += `${isBreak ? 1 : 0}${String(fills.indexOf(fill)).padStart(3, '0')}`;
      position = endOf(fill);
    }
    const score = `${String(breaks).padStart(3, '0')} ${ties}`;
    if (!best || score < best.score) best = { order, score };
  }
  return best!.order;
}

/** Returns the first of the positions that each is joined with, over neighbours that differ only by rounding. */
function joinNear(positions: readonly bigint[]): Map<bigint, bigint> {
  const joined = new Map<bigint, bigint>();
  let previous: bigint | null = null;
  for (const position of [...positions].sort((a, b) => (a < b ? -1 : 1))) {
    const tolerance = max(ONE / 1_000_000n, abs(position) / 100_000_000n);
    const isNear = previous !== null && position - previous <= tolerance;
    joined.set(position, isNear ? joined.get(previous!)! : position);
    previous = position;
  }
  return joined;
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item) => permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]));
}

function placeOf(event: LedgerEvent): string {
  const kind = KINDS.findIndex((kinds) => kinds.includes(event.kind));
  const parts = [event.at, event.index].map((part) => String(part).padStart(20, '0'));
  return [...parts, kind, event.kind === 'fill' ? event.instrument : ''].join(' ');
}

function byTie(a: LedgerEvent, b: LedgerEvent): number {
  const tieOf = (event: LedgerEvent) => (event.kind === 'fill' ? event.tie : 0);
  return tieOf(a) - tieOf(b) || (a.id < b.id ? -1 : 1);
}

/** Rounds a quotient half to even. */
function round(numerator: bigint, denominator: bigint): bigint {
  let floor = numerator / denominator;
  if (floor * denominator > numerator) floor -= 1n;
  const rest = numerator - floor * denominator;
  const isUp = rest * 2n > denominator || (rest * 2n === denominator && floor % 2n !== 0n);
  return isUp ? floor + 1n : floor;
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
