import { deserialize, serialize } from 'node:v8';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lotsOf } from './books.ts';
import type { LedgerEvent } from './events.ts';
import {
  conversion,
  decimal,
  effectsOf,
  fill,
  readable,
  readableNaive,
  settlement,
  splitOrMerge,
} from './ledger.fixture.ts';
import { type AppliedEvent, changeLedger, createLedger, foldLedger, type Ledger, type LedgerChange } from './ledger.ts';
import { naiveLedger } from './naive-ledger.fixture.ts';
import { addSums, hasLots, NOTHING_OPEN, type OpenSums, openChangeOf, sumsOf } from './open-position.ts';

const TOKENS = ['Y1', 'N1', 'Y2', 'N2', 'Y3', 'N3'] as const;
const PRICES = ['0.1', '0.333333333333333333', '0.5', '0.7', '0.999999999999999999'] as const;
const ROUNDINGS = ['', '.0000005', '.000001', '.0000011'] as const;

const place = { at: fc.integer({ min: 1, max: 6 }), index: fc.integer({ min: 0, max: 2 }) };
const quantity = fc.integer({ min: 1, max: 6 });
const signed = fc.tuple(quantity, fc.boolean()).map(([qty, isSale]) => (isSale ? -qty : qty));
const builder = fc.constantFrom(undefined, undefined, 'p', 'q');
const price = fc.constantFrom(...PRICES);

const chainFill = fc
  .record({ ...place, token: fc.constantFrom(...TOKENS), qty: signed, price, builder })
  .map(({ at, index, token, qty, price, builder }) => fill(at, token, qty, price, { index, builder: builder! }));
/** Fills of a coin state their position: right, wrong, or rounded. */
const coinFill = fc
  .record({
    at: place.at,
    qty: signed,
    price,
    builder,
    start: fc.tuple(fc.integer({ min: -4, max: 4 }), fc.constantFrom(...ROUNDINGS)).map(([n, rest]) => `${n}${rest}`),
    feeQty: fc.constantFrom('0', '0', '0.25'),
    tie: fc.integer({ min: 0, max: 2 }),
  })
  .map(({ at, qty, price, builder, ...rest }) =>
    fill(at, 'C', qty, price, { ...rest, builder: builder!, feeQty: qty > 0 ? rest.feeQty : '0' }),
  );
const market = fc.constantFrom(['Y1', 'N1'], ['Y2', 'N2'], ['Y3', 'N3']);
const setEvent = fc
  .record({ ...place, kind: fc.constantFrom('split' as const, 'merge' as const), market, qty: quantity })
  .map(({ at, index, kind, market, qty }) => splitOrMerge(kind, at, market, qty, { index }));
const conversionEvent = fc
  .record({ ...place, removed: fc.subarray(['1', '2', '3'], { minLength: 1 }), qty: quantity })
  .map(({ at, index, removed, qty }) => {
    const received = ['1', '2', '3'].filter((question) => !removed.includes(question));
    const tokens = [removed.map((n) => `N${n}`), received.map((n) => `Y${n}`)] as const;
    return conversion(at, ...tokens, qty, { index });
  });
const settleEvent = fc
  .record({ ...place, market, payout: fc.constantFrom('0', '0.5', '1') })
  .map(({ at, index, market: [yes, no], payout }) =>
    settlement(at, { [yes!]: payout, [no!]: payout === '0.5' ? payout : 1 - Number(payout), C: 7 }, { index }),
  );

const event: fc.Arbitrary<LedgerEvent> = fc.oneof(
  { weight: 5, arbitrary: chainFill },
  { weight: 4, arbitrary: coinFill },
  { weight: 2, arbitrary: setEvent },
  { weight: 2, arbitrary: conversionEvent },
  { weight: 1, arbitrary: settleEvent },
);
const events = fc
  .array(event, { minLength: 1, maxLength: 16 })
  .map((list) => list.map((own, at) => ({ ...own, id: `e${String(at).padStart(2, '0')}` })));

/** The price of a fill changes, or its builder where no price is stated. */
type Correction = { correct: number; price: string | null };
/** A step of an account's life: batches of events that arrive, are corrected or removed; time that is folded. */
type Step = { put: number[] } | { remove: number } | Correction | { fold: number } | { restart: true };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.array(fc.nat(15), { minLength: 1, maxLength: 4 }).map((put) => ({ put })) },
  { weight: 2, arbitrary: fc.nat(15).map((remove) => ({ remove })) },
  { weight: 2, arbitrary: fc.record({ correct: fc.nat(15), price: fc.option(price) }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 4 }).map((at) => ({ fold: at * 1000 })) },
  { weight: 1, arbitrary: fc.constant({ restart: true as const }) },
);

function corrected(event: LedgerEvent, to: string | null): LedgerEvent {
  if (event.kind !== 'fill') return event;
  return to === null ? { ...event, builder: event.builder === 'p' ? 'q' : 'p' } : { ...event, price: decimal(to) };
}

/** The table that follows from what the ledger wrote and removed. */
class Table {
  readonly rows = new Map<string, string[]>();
  private readonly applied = new Map<string, AppliedEvent>();

  update({ written, removed }: { written: readonly AppliedEvent[]; removed: readonly AppliedEvent[] }): void {
    for (const { event } of removed) {
      this.rows.delete(event.id);
      this.applied.delete(event.id);
    }
    for (const one of written) {
      this.rows.set(one.event.id, effectsOf([one]));
      this.applied.set(one.event.id, one);
    }
  }

  /** Ids in the order of the rows. */
  order(): string[] {
    const rows = [...this.applied.values()];
    const order = rows.sort((a, b) => a.event.at - b.event.at || a.event.index - b.event.index || a.nth - b.nth);
    return order.map(({ event }) => event.id);
  }

  /** What is open, by book: the sum of what each event changed. */
  open(): Map<string, OpenSums> {
    const sums = new Map<string, OpenSums>();
    for (const { effects } of this.applied.values())
      for (const effect of effects) {
        const key = `${effect.instrument} ${effect.builder}`;
        const change = openChangeOf(effect);
        expect(change.qty).toBe(effect.qty);
        sums.set(key, addSums(sums.get(key) ?? NOTHING_OPEN, change));
      }
    for (const [key, open] of sums)
      if (!hasLots(open) && open.knownQty === 0n && open.knownCost === 0n) sums.delete(key);
    return sums;
  }
}

/** The same from the lots. */
function openOf({ books: { holdings } }: Ledger): Map<string, OpenSums> {
  return new Map(
    [...holdings].flatMap(([instrument, { books }]) =>
      books.map((book) => [`${instrument} ${book.builder}`, sumsOf(lotsOf(book))] as const),
    ),
  );
}

it('any account equals a naive ledger that stores all events and sorts them, whatever the order of arrival', () => {
  fc.assert(
    fc.property(events, fc.array(step, { minLength: 1, maxLength: 24 }), (pool, steps) => {
      let ledger: Ledger = createLedger();
      const table = new Table();
      const known = new Map<string, LedgerEvent>();
      let foldedBefore = 0;
      for (const step of steps) {
        if ('restart' in step) ledger = deserialize(serialize(ledger)) as Ledger;
        else if ('fold' in step) {
          foldedBefore = Math.max(foldedBefore, step.fold);
          foldLedger(ledger, step.fold);
        } else {
          const changes = changesOf(step, pool, known);
          for (const change of changes) {
            const event = 'put' in change ? change.put : change.remove;
            if (event.ts < foldedBefore) continue;
            if ('put' in change) known.set(event.id, event);
            else known.delete(event.id);
          }
          table.update(changeLedger(ledger, changes));
        }
        const expected = readableNaive(naiveLedger([...known.values()]));
        const actual = readable(ledger);
        expect(actual.lots).toEqual(expected.lots);
        expect(actual.order).toEqual(expected.order.slice(expected.order.length - actual.order.length));
        expect(actual.order.length).toBe([...known.values()].filter(({ ts }) => ts >= foldedBefore).length);
        expect(expected.order.flatMap((id) => table.rows.get(id) ?? [])).toEqual(expected.effects);
        expect(table.rows.size).toBe(known.size);
        expect(table.order()).toEqual(expected.order);
        expect(table.open()).toEqual(openOf(ledger));
        expectPositions(ledger);
      }
    }),
    { numRuns: 1000 },
  );
});

function changesOf(
  step: Exclude<Step, { fold: number } | { restart: true }>,
  pool: LedgerEvent[],
  known: Map<string, LedgerEvent>,
) {
  const at = (index: number) => pool[index % pool.length]!;
  const changes: LedgerChange[] = [];
  if ('put' in step) for (const index of step.put) changes.push({ put: at(index) });
  else if ('correct' in step) changes.push({ put: corrected(at(step.correct), step.price) });
  else changes.push({ remove: known.get(at(step.remove).id) ?? at(step.remove) });
  return changes;
}

/** Positions are the sums of the lots, books are never empty, and lots are in the order of their numbers. */
function expectPositions({ books: { holdings } }: Ledger): void {
  for (const { position, books } of holdings.values()) {
    expect(books.flatMap(lotsOf).reduce((sum, { qty }) => sum + qty, 0n)).toBe(position);
    for (const { longs, shorts } of books) {
      expect(longs.length + shorts.length).toBeGreaterThan(0);
      expect(longs.every(({ qty }) => qty > 0n) && shorts.every(({ qty }) => qty < 0n)).toBe(true);
      for (const side of [longs, shorts]) expect(side.every(({ n }, at) => at === 0 || n > side[at - 1]!.n)).toBe(true);
    }
  }
}
