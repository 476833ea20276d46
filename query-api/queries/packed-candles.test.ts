import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDecimal, parseDecimal } from '#schemas/domain/decimal';
import { jsonOf } from '../http/json-rows.ts';
import { type Candle, CandleArray } from './candle-list.ts';
import { PackedCandles } from './packed-candles.ts';
import { PackedRows } from './packed-rows.ts';

const SOURCE = 'venue_node';
const MINUTE_MS = 60_000;

function candle(minute: number, fields: Partial<Candle> = {}): Candle {
  const [open, high, low, close] = ['100.5', '101', '0.25', '100'];
  return { ts: minute * MINUTE_MS, open, high, low, close, volume: '3.5', trades: 4, source: SOURCE, ...fields };
}

/** The text of the candles as the store returns it. */
function pack(candles: readonly Candle[]): PackedCandles {
  const texts = candles.map(
    ({ ts, open, high, low, close, volume, trades }) => `;${ts} ${open} ${high} ${low} ${close} ${volume} ${trades} `,
  );
  return new PackedCandles(SOURCE, new PackedRows(texts.join(''), candles.length));
}

const decimal = fc
  .record({
    whole: fc.oneof(fc.constantFrom(0n, 1n), fc.bigInt(-(10n ** 19n), 10n ** 19n)),
    places: fc.integer({ min: 0, max: 18 }),
    digits: fc.oneof(fc.bigInt(0n, 99n), fc.bigInt(0n, 10n ** 18n - 1n)),
  })
  .map(({ whole, places, digits }) => {
    const fraction = String(digits).padStart(places, '0').slice(0, 18);
    return formatDecimal(parseDecimal(`${whole}.${fraction}`));
  });
const figures = fc.record({ open: decimal, high: decimal, low: decimal, close: decimal, volume: decimal });
const candles = fc
  .uniqueArray(fc.integer({ min: 0, max: 100_000_000 }), { maxLength: 8 })
  .chain((minutes) =>
    fc.tuple(
      ...minutes
        .sort((a, b) => a - b)
        .map((minute) => figures.map((fields) => candle(minute, { ...fields, trades: minute % 7 }))),
    ),
  );

describe('packed candles', () => {
  it('are the same list as candles in objects, in every part of it', () => {
    fc.assert(
      fc.property(candles, fc.nat({ max: 9 }), fc.nat({ max: 9 }), (all, from, until) => {
        const [packed, plain] = [pack(all).slice(from, until), new CandleArray(all).slice(from, until)];
        expect(packed.toArray()).toEqual(plain.toArray());
        expect([packed.length, packed.firstTs, packed.lastTs]).toEqual([plain.length, plain.firstTs, plain.lastTs]);
        for (const hasSource of [true, false]) {
          const [found, expected] = [packed.toJson(hasSource), plain.toJson(hasSource)];
          expect(jsonOf({ list: found }).toString()).toBe(jsonOf({ list: expected }).toString());
          expect(found).toHaveLength(plain.length);
        }
        for (const { ts } of all) expect(packed.find(ts)).toEqual(plain.toArray().find((one) => one.ts === ts));
      }),
      { numRuns: 300 },
    );
  });

  it('have the shortest JSON number of each decimal', () => {
    const list = pack([candle(1, { open: '0.0000001', high: '9007199254740993', low: '-0.00000025', close: '0.1' })]);
    expect(jsonOf({ list: list.toJson(true) }).toString()).toBe(
      '{"list":[{"ts":60000,"open":1e-7,"high":9007199254740992,"low":-2.5e-7,"close":0.1,"volume":3.5,"source":"venue_node"}]}',
    );
  });

  it('find no candle outside of their part, nor one whose start only ends like the requested one', () => {
    const list = pack([1, 2, 3, 12].map((minute) => candle(minute))).slice(1, 3);
    expect([1, 2, 3, 12].map((minute) => list.find(minute * MINUTE_MS)?.ts)).toEqual([
      undefined,
      2 * MINUTE_MS,
      3 * MINUTE_MS,
      undefined,
    ]);
    expect(pack([candle(12)]).find(2 * MINUTE_MS)).toBeUndefined();
  });
});
