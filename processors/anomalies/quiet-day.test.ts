import { describe, expect, it } from 'vitest';
import { type AnomaliesDriver, book, driveAnomalies, event, minute, resolution, trade } from './anomalies.fixture.ts';
import { MINUTE_MS } from './state.ts';

const MARKETS = Array.from({ length: 8 }, (_, at) => `m${at}`);
const SETTLED = Array.from({ length: 40 }, (_, at) => `s${at}`);
const DAY = 1_440;
/** Anomalies injected in the 20th hour, each in its own market. */
const AT = 1_200;

/** Creates a reproducible generator of numbers in 0..1. */
function chances(): () => number {
  let state = 5;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * Simulates an ordinary day: now and then a trade of 1 to 40 shares between few wallets, a book that is a cent or three
 * wide, a settlement half an hour after its end. @param more sends further records in each minute.
 */
function live(more: (stage: AnomaliesDriver, at: number) => void): AnomaliesDriver {
  const stage = driveAnomalies();
  const chance = chances();
  const integer = (below: number) => Math.floor(chance() * below);
  stage.event(event('evt_1', [...MARKETS, ...SETTLED]));
  for (let at = 0; at < DAY; at += 1) {
    for (let step = 0; step < 12; step += 1) {
      const now = minute(at) + step * 5_000;
      stage.tick(now);
      const market = MARKETS[integer(MARKETS.length)]!;
      const wallets = { maker: `0x${integer(50)}`, taker: `0x${integer(50)}` };
      if (chance() < 0.5) stage.trade(trade(market, now + 1, { qty: `${1 + integer(40)}`, ...wallets }));
      else stage.book(book(market, now + 1, `0.${48 + integer(2)}`, `0.${50 + integer(2)}`));
    }
    if (at % 36 === 0) stage.resolution(resolution(`s${at / 36}`, minute(at) + 56_000, 1_800 + integer(600)));
    more(stage, at);
  }
  stage.tick(minute(DAY));
  return stage;
}

describe('a quiet day', () => {
  it('has no anomalies', () => {
    const stage = live(() => {});
    expect(stage.anomalies()).toEqual([]);
    // Anomalies were possible: the baselines are large enough.
    const { markets, delays } = stage.driver.state;
    for (const name of MARKETS) {
      const market = markets.get(`venue_b|${name}`)!;
      for (const series of [market.spreads, market.volumes, market.fills]) expect(series!.count).toBeGreaterThan(500);
    }
    expect(delays.get('venue_b')!.count).toBe(40);
  });

  it('emits each injected anomaly within a minute of the end of its bucket, and no others', () => {
    const stage = live((driver, at) => {
      if (at !== AT) return;
      const now = minute(at) + 57_000;
      driver.trade(trade('m0', now, { qty: '200' }));
      driver.book(book('m1', now, '0.44', '0.56'));
      for (let fill = 0; fill < 12; fill += 1) driver.trade(trade('m2', now, { qty: '0.1', taker: '0xbot' }));
      driver.resolution(resolution('s39', now, 1_800 + 9 * 900));
    });
    const emitted = stage.anomalies().map(({ kind, marketId, ts, receivedAt }) => ({ kind, marketId, ts, receivedAt }));
    const end = minute(AT + 1);
    expect(emitted).toEqual([
      { kind: 'settlement_delay', marketId: 's39', ts: end - 3_000, receivedAt: end - 3_000 },
      { kind: 'spread_widening', marketId: 'm1', ts: minute(AT), receivedAt: end },
      { kind: 'trade_volume_spike', marketId: 'm0', ts: minute(AT), receivedAt: end + 20_000 },
      { kind: 'wallet_burst', marketId: 'm2', ts: minute(AT), receivedAt: end + 20_000 },
    ]);
    for (const { ts, receivedAt } of emitted) expect(receivedAt - ts).toBeLessThan(2 * MINUTE_MS);
    for (const { zScore } of stage.anomalies()) expect(Number(zScore)).toBeGreaterThanOrEqual(8);
  });
});
