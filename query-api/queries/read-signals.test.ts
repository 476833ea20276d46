import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { arbitrageSignalsTable } from '#schemas/tables/arbitrage-signals';
import type { ArbitrageSignal } from '#schemas/topics/arbitrage-signals';
import { keepRows } from '../testing/keep-rows.fixture.ts';
import { openTestStore } from '../testing/open-test-store.fixture.ts';
import { NOON_MS } from '../testing/records.fixture.ts';
import { readSignals } from './read-signals.ts';

const { store, close } = await openTestStore();
afterAll(close);
beforeEach(() => store.command('TRUNCATE TABLE arbitrage_signals'));

const WEEK_MS = 7 * 86_400_000;
let seq = 0;

/** Keeps a signal that peaks a second after its beginning; `halfLife` null: it lives on. */
async function keep(id: string, beganAt: number, halfLife: number | null, fields: Partial<ArbitrageSignal> = {}) {
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
  await keepRows(store, arbitrageSignalsTable, [signal], seq);
}

const read = (universalIds = ['evt_1'], now = NOON_MS) => readSignals(store, universalIds, now);

describe('the figures of signals', () => {
  it('are none where there was no signal', async () => {
    expect(await read()).toEqual({ signalsConsidered: 0, decayedSignals: 0, medianHalfLifeMs: null });
  });

  it('count live signals, and take the median over decayed ones alone', async () => {
    await keep('a', NOON_MS - 90_000, null);
    expect(await read()).toEqual({ signalsConsidered: 1, decayedSignals: 0, medianHalfLifeMs: null });
    await keep('b', NOON_MS - 80_000, 7_000);
    await keep('c', NOON_MS - 70_000, 1_001);
    await keep('d', NOON_MS - 60_000, 2_000);
    expect(await read()).toEqual({ signalsConsidered: 4, decayedSignals: 3, medianHalfLifeMs: 2_000 });
    // Of an even count the mean of the middle two, rounded: (1001 + 2000) / 2.
    await keep('e', NOON_MS - 50_000, 0);
    expect(await read()).toMatchObject({ decayedSignals: 4, medianHalfLifeMs: 1_501 });
  });

  it('take a signal once, as it was told last', async () => {
    await keep('a', NOON_MS - 90_000, null);
    await keep('a', NOON_MS - 90_000, 3_000);
    expect(await read()).toEqual({ signalsConsidered: 1, decayedSignals: 1, medianHalfLifeMs: 3_000 });
    // A higher peak took the decay back.
    await keep('a', NOON_MS - 90_000, null, { peakAt: NOON_MS - 10_000 });
    expect(await read()).toEqual({ signalsConsidered: 1, decayedSignals: 0, medianHalfLifeMs: null });
  });

  it('are of what began in the trailing 7 days, and had happened by then', async () => {
    await keep('out', NOON_MS - WEEK_MS, 5_000);
    await keep('in', NOON_MS - WEEK_MS + 1, 4_000);
    await keep('later', NOON_MS + 1, 3_000);
    await keep('decays later', NOON_MS - 1_500, 3_000);
    expect(await read()).toEqual({ signalsConsidered: 2, decayedSignals: 1, medianHalfLifeMs: 4_000 });
  });

  it('are of the events that are asked for', async () => {
    await keep('a', NOON_MS - 90_000, 1_000);
    await keep('b', NOON_MS - 90_000, 2_000, { universalId: 'evt_merged' });
    await keep('c', NOON_MS - 90_000, 9_000, { universalId: 'evt_other' });
    expect(await read()).toMatchObject({ signalsConsidered: 1, medianHalfLifeMs: 1_000 });
    expect(await read(['evt_1', 'evt_merged'])).toMatchObject({ signalsConsidered: 2, medianHalfLifeMs: 1_500 });
  });
});
