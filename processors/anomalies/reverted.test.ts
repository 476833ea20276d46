import { describe, expect, it } from 'vitest';
import type { Trade } from '#schemas/topics/normalised';
import { type AnomaliesDriver, driveAnomalies, event, minute, trade } from './anomalies.fixture.ts';
import { bucketsOf } from './series.ts';

const pending = (at: number, rest: Partial<Trade> = {}) => trade('m', at, { status: 'pending', ...rest });
const reverted = (value: Trade): Trade => ({ ...value, status: 'reverted' });
const confirmed = (value: Trade): Trade => ({ ...value, status: 'confirmed' });

function startStage(): AnomaliesDriver {
  const stage = driveAnomalies();
  stage.event(event('evt_1', ['m']));
  return stage;
}
const market = (stage: AnomaliesDriver) => stage.driver.state.markets.get('venue_b|m')!;
const shown = (series: Parameters<typeof bucketsOf>[0] | null) =>
  series === null
    ? []
    : bucketsOf(series).map(({ key, value }) => [key - minute(0) / 60_000, Number(value / 10n ** 18n)]);

describe('a repeated trade', () => {
  it('counts once, whether it is confirmed in its minute or long after it', () => {
    const stage = startStage();
    const [first, second] = [pending(minute(0)), pending(minute(0) + 1)];
    for (const value of [first, second, first, confirmed(first)]) stage.trade(value);
    stage.tick(minute(3));
    stage.trade(confirmed(second), minute(4));
    stage.tick(minute(6));
    expect(shown(market(stage).volumes)).toEqual([[0, 20]]);
    expect(stage.driver.state.pending.size).toBe(0);
    expect(stage.driver.state.minutes.size).toBe(0);
  });

  it('counts once its market is known, if its minute still accepts trades', () => {
    const stage = startStage();
    const early = trade('m', minute(0), { marketId: null });
    const late = trade('m', minute(0), { marketId: null });
    for (const value of [early, late]) stage.trade(value);
    stage.trade({ ...early, marketId: 'm' }, minute(1));
    stage.trade({ ...late, marketId: 'm' }, minute(1) + 20_000);
    stage.tick(minute(3));
    expect(shown(market(stage).volumes)).toEqual([[0, 10]]);
  });
});

describe('a reverted trade', () => {
  it('does not count in a bucket that is evaluated later', () => {
    const stage = startStage();
    for (let at = 0; at < 30; at += 1) stage.trade(trade('m', minute(at)));
    const burst = Array.from({ length: 12 }, (_, at) => pending(minute(30) + at, { taker: '0xbot', qty: '100' }));
    for (const value of burst) stage.trade(value);
    for (const value of burst.slice(2)) stage.trade(reverted(value), minute(30) + 30_000);
    stage.trade(reverted(burst[1]!), minute(31) + 1_000);
    stage.trade(reverted(burst[0]!), minute(31) + 1_000);
    stage.tick(minute(32));
    expect(stage.anomalies()).toEqual([]);
    expect(market(stage).volumes!.count).toBe(30);
  });

  it('is removed from an evaluated bucket, with the fills of its wallets', () => {
    const stage = startStage();
    const values = [
      pending(minute(0), { maker: '0xa', taker: '0xb', qty: '5' }),
      pending(minute(0) + 1, { maker: '0xa', taker: '0xc', qty: '7' }),
      pending(minute(0) + 2, { maker: '0xd', taker: '0xb', qty: '11' }),
    ];
    for (const value of values) stage.trade(value);
    stage.trade(trade('m', minute(1)));
    stage.tick(minute(3));
    expect(shown(market(stage).volumes)).toEqual([
      [0, 23],
      [1, 10],
    ]);
    expect(shown(market(stage).fills)).toEqual([
      [0, 2],
      [1, 1],
    ]);
    stage.driver.restart();
    stage.trade(reverted(values[0]!), minute(4));
    expect(shown(market(stage).volumes)).toEqual([
      [0, 18],
      [1, 10],
    ]);
    expect(shown(market(stage).fills)).toEqual([
      [0, 1],
      [1, 1],
    ]);
    // A repeated reversal is applied once.
    stage.trade(reverted(values[0]!), minute(4));
    stage.trade(confirmed(values[1]!), minute(4));
    stage.trade(reverted(values[2]!), minute(4));
    expect(shown(market(stage).volumes)).toEqual([
      [0, 7],
      [1, 10],
    ]);
    stage.trade(reverted(values[1]!), minute(5));
    expect(shown(market(stage).volumes)).toEqual([
      [0, 7],
      [1, 10],
    ]);
    expect(stage.driver.state.minutes.size).toBe(0);
  });

  it('leaves a minute without data when all its trades were reverted', () => {
    const stage = startStage();
    const only = pending(minute(0));
    stage.trade(only);
    stage.tick(minute(2));
    stage.trade(reverted(only), minute(3));
    expect(market(stage)).toMatchObject({ volumes: { count: 0, sum: 0n }, fills: { count: 0, sum: 0n } });
  });

  it('counts again if it is included again in time', () => {
    const stage = startStage();
    const value = pending(minute(0));
    stage.trade(value);
    stage.trade(reverted(value), minute(0) + 1_000);
    stage.trade({ ...value, arrival: value.arrival + 1, blockHash: '0xc' }, minute(0) + 2_000);
    stage.tick(minute(2));
    expect(shown(market(stage).volumes)).toEqual([[0, 10]]);
  });
});
