import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '#infra/store/store';
import { formatDecimal } from '#schemas/domain/decimal';
import { candleBarsTable } from '#schemas/tables/candle-bars';
import { aCandle } from '#schemas/testing/records.fixture';
import type { Candle } from '#schemas/topics/candles';
import { insertRows } from '../testing/insert-rows.fixture.ts';
import { openTestStore } from '../testing/open-test-store.fixture.ts';
import { anAnomaly, aPhase, insertAnomalies, insertPhases } from '../testing/oracle.fixture.ts';
import { aLink, NOON_MS } from '../testing/records.fixture.ts';
import { readMarketActivity, sumActivity } from './read-market-activity.ts';

const DAY_MS = 86_400_000;
const bar = (coin: string, openTime: number, volume: string, fields: Partial<Candle> = {}) =>
  aCandle({
    provider: 'venue_b',
    source: 'trades',
    coin,
    openTime,
    volume,
    trades: 2,
    closeTs: openTime + 5,
    ...fields,
  });

describe('the activity of markets', () => {
  let opened: Awaited<ReturnType<typeof openTestStore>>;
  let store: Pick<Store, 'query'>;
  let statements: number;
  beforeAll(async () => {
    opened = await openTestStore();
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    for (const table of ['candle_bars', 'anomalies', 'dispute_phases'])
      await opened.store.command(`TRUNCATE TABLE ${table}`);
    statements = 0;
    // Figures are cached per store.
    store = {
      query: (sql, parameters) => {
        statements += 1;
        return opened.store.query(sql, parameters);
      },
    };
  });
  const ofEvent = async (links = [aLink()]) => sumActivity(await readMarketActivity(store, NOON_MS), links);

  it('sums the newest one-minute bars of both tokens in the 24 hours before', async () => {
    await insertRows(opened.store, candleBarsTable, [
      bar('111', NOON_MS - DAY_MS, '0.5'),
      bar('111', NOON_MS - DAY_MS - 60_000, '1000'),
      bar('111', NOON_MS - 60_000, '7'),
      bar('222', NOON_MS - 120_000, '0.000000000000000001'),
      bar('333', NOON_MS - 60_000, '40'),
      bar('111', NOON_MS - 60_000, '40', { source: 'official_api' }),
      bar('111', NOON_MS - 300_000, '40', { intervalMs: 300_000 }),
      bar('111', NOON_MS - 60_000, '40', { provider: 'venue_a_outcome' }),
    ]);
    await insertRows(opened.store, candleBarsTable, [bar('111', NOON_MS - 60_000, '8', { trades: 3 })], 100);
    const activity = await ofEvent();
    expect(formatDecimal(activity.volume)).toBe('8.500000000000000001');
    expect(activity).toMatchObject({ trades: 7, lastTradeAt: NOON_MS - 59_995 });
    expect(await ofEvent([aLink({ yesInstrument: '9', noInstrument: null })])).toMatchObject({
      volume: 0n,
      trades: 0,
      lastTradeAt: null,
    });
  });

  it('counts anomalies of the 24 hours before by market, and finds markets whose newest phase is a dispute', async () => {
    await insertAnomalies(opened.store, [
      anAnomaly({ id: 'an_1', ts: NOON_MS }),
      anAnomaly({ id: 'an_2', ts: NOON_MS - DAY_MS }),
      anAnomaly({ id: 'an_3', ts: NOON_MS - DAY_MS - 1 }),
      anAnomaly({ id: 'an_4', ts: NOON_MS, marketId: 'other' }),
    ]);
    const phases = [
      aPhase({ id: 'p1', phase: 'propose', logIndex: 1 }),
      aPhase({ id: 'p2', phase: 'dispute', logIndex: 2 }),
      aPhase({ id: 'p3', phase: 'settle', logIndex: 3, status: 'reverted' }),
      aPhase({ id: 'p4', phase: 'dispute', logIndex: 4, marketId: 'other' }),
      aPhase({ id: 'p5', phase: 'settle', blockNumber: 99, logIndex: 1, marketId: 'other' }),
      aPhase({ id: 'p6', phase: 'dispute', marketId: null }),
    ];
    await insertPhases(opened.store, phases);
    expect(await ofEvent()).toMatchObject({ anomalies: 2, disputed: true });
    expect(await ofEvent([aLink({ providerMarketId: 'other' })])).toMatchObject({ anomalies: 1, disputed: false });
  });

  it('is read once in 5 s, in the background while it is at most a minute old', async () => {
    let [now, isDown, rows] = [1_000, false, 0];
    const reader = {
      query: async () => {
        rows += 1;
        if (isDown) throw new Error('down');
        return [];
      },
    };
    const read = () => readMarketActivity(reader, NOON_MS, () => now);
    const first = await read();
    now += 4_999;
    expect(await read()).toBe(first);
    expect(rows).toBe(1);
    now += 2;
    expect(await read()).toBe(first);
    await setImmediate();
    const second = await read();
    expect(second).not.toBe(first);
    expect(rows).toBe(2);
    isDown = true;
    now += 59_000;
    expect(await read()).toBe(second);
    now += 2_000;
    await expect(read()).rejects.toThrow('down');
    isDown = false;
    expect(await read()).not.toBe(second);
  });

  it('is one statement', async () => {
    await ofEvent();
    expect(statements).toBe(1);
  });
});
