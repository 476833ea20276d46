import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { arbitrageSignalsTable } from '#schemas/tables/arbitrage-signals';
import type { ArbitrageSignal } from '#schemas/topics/arbitrage-signals';
import { insertRows } from '../testing/insert-rows.fixture.ts';
import { openTestStore } from '../testing/open-test-store.fixture.ts';
import { NOON_MS } from '../testing/records.fixture.ts';
import { readSignals } from './read-signals.ts';

const { store, close } = await openTestStore();
afterAll(close);
beforeEach(() => store.command('TRUNCATE TABLE arbitrage_signals'));

const WEEK_MS = 7 * 86_400_000;
let seq = 0;

/** Inserts a signal that peaks a second after its begin. With `halfLife` null it has not decayed. */
async function insert(id: string, beganAt: number, halfLife: number | null, fields: Partial<ArbitrageSignal> = {}) {
  const peakAt = beganAt + 1_000;
  const signal: ArbitrageSignal = {
    id,
    universalId: 'evt_1',
    kind: 'cross_provider',
    firstProvider: 'venue_a_outcome',
    firstMarketId: '#10',
    secondProvider: 'venue_b',
    secondMarketId: '0xm',
    receivedAt: peakAt,
    beganAt,
    peakAt,
    peakNetEdge: '0.02',
    decayedAt: halfLife === null ? null : peakAt + halfLife,
    endedAt: null,
    ...fields,
  };
  seq += 1;
  await insertRows(store, arbitrageSignalsTable, [signal], seq);
}

const read = (universalIds = ['evt_1'], now = NOON_MS) => readSignals(store, universalIds, now);

describe('readSignals', () => {
  it('returns zeros and no median without signals', async () => {
    expect(await read()).toEqual({ signalsConsidered: 0, decayedSignals: 0, medianHalfLifeMs: null });
  });

  it('counts all signals, and calculates the median over decayed ones only', async () => {
    await insert('a', NOON_MS - 90_000, null);
    expect(await read()).toEqual({ signalsConsidered: 1, decayedSignals: 0, medianHalfLifeMs: null });
    await insert('b', NOON_MS - 80_000, 7_000);
    await insert('c', NOON_MS - 70_000, 1_001);
    await insert('d', NOON_MS - 60_000, 2_000);
    expect(await read()).toEqual({ signalsConsidered: 4, decayedSignals: 3, medianHalfLifeMs: 2_000 });
    // For an even count, the rounded mean of the middle two: (1001 + 2000) / 2.
    await insert('e', NOON_MS - 50_000, 0);
    expect(await read()).toMatchObject({ decayedSignals: 4, medianHalfLifeMs: 1_501 });
  });

  it('uses only the newest version of a signal', async () => {
    await insert('a', NOON_MS - 90_000, null);
    await insert('a', NOON_MS - 90_000, 3_000);
    expect(await read()).toEqual({ signalsConsidered: 1, decayedSignals: 1, medianHalfLifeMs: 3_000 });
    // A higher peak revoked the decay.
    await insert('a', NOON_MS - 90_000, null, { peakAt: NOON_MS - 10_000 });
    expect(await read()).toEqual({ signalsConsidered: 1, decayedSignals: 0, medianHalfLifeMs: null });
  });

  it('includes signals that began in the last 7 days, as of the given time', async () => {
    await insert('out', NOON_MS - WEEK_MS, 5_000);
    await insert('in', NOON_MS - WEEK_MS + 1, 4_000);
    await insert('later', NOON_MS + 1, 3_000);
    await insert('decays later', NOON_MS - 1_500, 3_000);
    expect(await read()).toEqual({ signalsConsidered: 2, decayedSignals: 1, medianHalfLifeMs: 4_000 });
  });

  it('includes only the requested events', async () => {
    await insert('a', NOON_MS - 90_000, 1_000);
    await insert('b', NOON_MS - 90_000, 2_000, { universalId: 'evt_merged' });
    await insert('c', NOON_MS - 90_000, 9_000, { universalId: 'evt_other' });
    expect(await read()).toMatchObject({ signalsConsidered: 1, medianHalfLifeMs: 1_000 });
    expect(await read(['evt_1', 'evt_merged'])).toMatchObject({ signalsConsidered: 2, medianHalfLifeMs: 1_500 });
  });
});
