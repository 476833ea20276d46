import { describe, expect, it } from 'vitest';
import { formatDecimal } from '#schemas/domain/decimal';
import { statusTopics } from '#schemas/topics/normalised';
import { type AnomaliesDriver, book, driveAnomalies, event, minute, trade } from './anomalies.fixture.ts';
import { bucketsOf } from './series.ts';
import { createAnomaliesStage } from './stage.ts';
import { MINUTE_MS } from './state.ts';

/**
 * Minutes with a trade of so many shares each, 8 and 12 in turn: mean 10 over an even number, deviation 2, floored at
 * 10.
 */
function quietTrades(stage: AnomaliesDriver, from: number, to: number, market = 'm'): void {
  for (let at = from; at < to; at += 1) {
    stage.trade(trade(market, minute(at) + 1_000, { qty: at % 2 === 0 ? '8' : '12' }));
  }
}
const ticks = (stage: AnomaliesDriver, from: number, to: number) => {
  for (let at = from; at <= to; at += 5_000) stage.tick(at);
};

describe('the volume detector', () => {
  it('emits a bucket eight deviations above its day at the first tick after which it accepts no more trades', () => {
    const stage = driveAnomalies();
    stage.event(event('evt_1', ['m']));
    quietTrades(stage, 0, 30);
    // YES and NO shares of the market both count.
    stage.trade(trade('m', minute(30) + 5_000, { qty: '40.5' }));
    stage.trade(trade('m', minute(30) + 59_000, { qty: '49.5', instrument: 'm-no', outcome: 'No' }));
    ticks(stage, minute(31), minute(31) + 15_000);
    expect(stage.anomalies()).toEqual([]);
    stage.tick(minute(31) + 20_000);
    const [anomaly, ...more] = stage.anomalies();
    expect(more).toEqual([]);
    expect(anomaly).toEqual({
      id: expect.stringMatching(/^an_[0-9a-f]{24}$/),
      kind: 'trade_volume_spike',
      universalId: 'evt_1',
      provider: 'venue_b',
      marketId: 'm',
      ts: minute(30),
      receivedAt: minute(31) + 20_000,
      bucketVol: '90',
      value: '90',
      baselineMean: '10',
      baselineStddev: '2',
      zScore: '8',
      raw: '{"baselineCount":30,"trades":2}',
    });
  });

  it('closes a bucket with any record after it, not only a tick', () => {
    const stage = driveAnomalies();
    stage.event(event('evt_1', ['m', 'n']));
    quietTrades(stage, 0, 30);
    stage.trade(trade('m', minute(30), { qty: '90' }));
    stage.book(book('n', minute(31) + 20_000, '0.4', '0.5'));
    expect(stage.anomalies()).toMatchObject([{ ts: minute(30), receivedAt: minute(31) + 20_000 }]);
  });

  it('has no score with 29 buckets of data, however long they took', () => {
    const stage = driveAnomalies();
    stage.event(event('evt_1', ['m']));
    for (let at = 0; at < 29; at += 1) stage.trade(trade('m', minute(at * 40)));
    stage.trade(trade('m', minute(29 * 40), { qty: '1000000' }));
    stage.tick(minute(29 * 40 + 2));
    expect(stage.anomalies()).toEqual([]);
  });

  it('compares a bucket with the 1,440 minutes before it and with none older', () => {
    const counts = [0, 1].map((gone) => {
      const stage = driveAnomalies();
      stage.event(event('evt_1', ['m']));
      quietTrades(stage, 0, 30);
      stage.trade(trade('m', minute(1_440 + gone), { qty: '90' }));
      stage.tick(minute(1_442 + gone));
      return stage.anomalies().length;
    });
    expect(counts).toEqual([1, 0]);
  });

  it('emits an episode once, until a bucket with z below 3', () => {
    const stage = driveAnomalies();
    stage.event(event('evt_1', ['m']));
    quietTrades(stage, 0, 60);
    // Each is in the baseline of the next: 110 has z 10; 115 and 180 continue; the quiet one ends it; 400 is another.
    for (const [at, qty] of ['110', '115', '180', '10', '400'].entries()) {
      stage.trade(trade('m', minute(60 + at), { qty }));
    }
    stage.tick(minute(70));
    const scores = stage
      .anomalies()
      .map(({ ts, value, zScore }) => [(ts - minute(60)) / MINUTE_MS, value, Number(zScore) >= 6]);
    expect(scores).toEqual([
      [0, '110', true],
      [4, '400', true],
    ]);
    expect(stage.anomalies()[0]!.zScore).toBe('10');
  });

  it('uses the configured bound', () => {
    const counts = ['8', '8.000000000000000001'].map((bound) => {
      const stage = driveAnomalies(bound);
      stage.event(event('evt_1', ['m']));
      quietTrades(stage, 0, 30);
      stage.trade(trade('m', minute(30), { qty: '90' }));
      stage.tick(minute(32));
      return stage.anomalies().length;
    });
    expect(counts).toEqual([1, 0]);
    expect(() => createAnomaliesStage({ anomalyZ: '0' })).toThrow(RangeError);
  });

  it('ignores trades that come twenty seconds after their minute, so that history is no burst', () => {
    const stage = driveAnomalies();
    stage.event(event('evt_1', ['m']));
    quietTrades(stage, 0, 30);
    for (let at = 0; at < 50; at += 1) {
      stage.trade(trade('m', minute(40), { ts: minute(35) + at * 1_000, qty: '100' }));
    }
    stage.tick(minute(50));
    expect(stage.anomalies()).toEqual([]);
    expect(stage.driver.state.markets.get('venue_b|m')!.volumes!.count).toBe(30);
  });

  it('ignores assets and markets without an event', () => {
    const stage = driveAnomalies();
    stage.event(event('evt_1', ['m']));
    stage.trade(trade('BTC', minute(0), { provider: 'venue_a_perp' }));
    stage.trade(trade('other', minute(0)));
    stage.book({ ...book('BTC', minute(0), '1', '2'), provider: 'venue_a_perp' });
    stage.tick(minute(2));
    expect(stage.driver.state).toMatchObject({ minutes: new Map(), waitingBooks: new Map() });
  });
});

describe('the wallet detector', () => {
  it('emits the wallet with most fills on either side, and counts a trade with itself once', () => {
    const stage = driveAnomalies();
    stage.event(event('evt_1', ['m']));
    quietTrades(stage, 0, 30);
    const burst = (at: number, rest: object) => stage.trade(trade('m', minute(30) + at, { qty: '0.5', ...rest }));
    for (let at = 0; at < 4; at += 1) burst(at, { maker: '0xbot' });
    for (let at = 4; at < 8; at += 1) burst(at, { taker: '0xbot' });
    burst(8, { maker: '0xbot', taker: '0xbot' });
    stage.tick(minute(32));
    expect(stage.anomalies()).toMatchObject([
      {
        kind: 'wallet_burst',
        ts: minute(30),
        value: '9',
        bucketVol: null,
        baselineMean: '1',
        baselineStddev: '0',
        zScore: '8',
        raw: '{"baselineCount":30,"wallet":"0xbot","fills":9}',
      },
    ]);
  });
});

describe('the spread detector', () => {
  const quietBooks = (stage: AnomaliesDriver, from: number, to: number, market = 'm') => {
    for (let at = from; at < to; at += 1) stage.book(book(market, minute(at), '0.49', '0.51'));
  };

  it('emits the widest spread of the YES book in a minute, as soon as the minute has ended', () => {
    const stage = driveAnomalies();
    stage.event(event('evt_1', ['m']));
    quietBooks(stage, 0, 30);
    stage.book(book('m', minute(30) + 1, '0.45', '0.55'));
    stage.book(book('m', minute(30) + 2, '0.49', '0.51'));
    stage.tick(minute(31) - 5_000);
    expect(stage.anomalies()).toEqual([]);
    stage.tick(minute(31));
    expect(stage.anomalies()).toMatchObject([
      {
        kind: 'spread_widening',
        ts: minute(30),
        receivedAt: minute(31),
        value: '0.1',
        baselineMean: '0.02',
        zScore: '8',
        raw: '{"baselineCount":30,"bid":"0.45","ask":"0.55"}',
      },
    ]);
  });

  it('applies changes to the book, and ignores the NO book and one-sided books', () => {
    const stage = driveAnomalies();
    stage.event(event('evt_1', ['m']));
    quietBooks(stage, 0, 30);
    stage.book({ ...book('m', minute(30), '0.01', '0.99'), instrument: 'm-no' });
    stage.book(book('m', minute(31), null, '0.99'));
    stage.tick(minute(32));
    expect(stage.anomalies()).toEqual([]);
    stage.book(book('m', minute(32), '0.49', '0.6'));
    const change = { ...book('m', minute(32) + 1, null, null), snapshot: false };
    stage.book({
      ...change,
      bids: [
        { price: '0.49', size: '0' },
        { price: '0.4', size: '1' },
      ],
    });
    stage.tick(minute(33));
    expect(stage.anomalies()).toMatchObject([{ value: '0.2', zScore: '18' }]);
  });

  it('emits a book that is wide until late in its minute', () => {
    const stage = driveAnomalies();
    stage.event(event('evt_1', ['m']));
    quietBooks(stage, 0, 60);
    // One episode: it is narrow for a moment of the minutes 61 and 62.
    stage.book(book('m', minute(60) + 59_000, '0.2', '0.8'));
    stage.book(book('m', minute(61) + 58_000, '0.49', '0.51'));
    stage.driver.restart();
    stage.book(book('m', minute(62) + 1, '0.2', '0.8'));
    stage.tick(minute(63));
    const { spreads } = stage.driver.state.markets.get('venue_b|m')!;
    const values = bucketsOf(spreads!).map(({ value }) => formatDecimal(value));
    expect(values.slice(59)).toEqual(['0.02', '0.6', '0.6', '0.6']);
    expect(stage.anomalies()).toMatchObject([{ ts: minute(60), value: '0.6' }]);
  });

  it('counts the spread before the next frame in the minute of that frame, unless the feed was lost', () => {
    const values = ['never', 'after its event', 'before its event'].map((lost) => {
      const stage = driveAnomalies();
      stage.book(book('m', minute(0), '0.1', '0.9'));
      if (lost !== 'before its event') stage.event(event('evt_1', ['m']));
      if (lost !== 'never') {
        const status = { provider: 'venue_b', instrument: 'm-yes', marketId: 'm', feed: 'clob', since: minute(1) };
        stage.driver.feed(
          statusTopics.venue_b,
          { ...status, state: 'recovering', receivedAt: minute(1) },
          { key: 'm-yes' },
        );
      }
      if (lost === 'before its event') stage.event(event('evt_1', ['m']));
      for (const at of [5, 6]) stage.book(book('m', minute(at) + 9, '0.49', '0.51'));
      stage.tick(minute(7));
      return bucketsOf(stage.driver.state.markets.get('venue_b|m')!.spreads!).map(({ value }) => formatDecimal(value));
    });
    expect(values).toEqual([
      ['0.8', '0.02'],
      ['0.02', '0.02'],
      ['0.02', '0.02'],
    ]);
  });

  it('counts three frames of a quiet market as three buckets, however long the book is unchanged', () => {
    const stage = driveAnomalies();
    stage.event(event('evt_1', ['m']));
    for (const at of [0, 200, 400]) stage.book(book('m', minute(at), '0.49', '0.51'));
    stage.book(book('m', minute(600), '0.1', '0.9'));
    ticks(stage, minute(601), minute(602));
    expect(stage.anomalies()).toEqual([]);
    expect(stage.driver.state.markets.get('venue_b|m')!.spreads!.count).toBe(4);
  });

  it('stores a book that comes before its event, and drops that of a market that ended', () => {
    const stage = driveAnomalies();
    stage.book(book('m', minute(0), '0.49', '0.51'));
    stage.event(event('evt_1', ['m']));
    const change = { ...book('m', minute(0) + 1, '0.48', null), snapshot: false };
    stage.book(change);
    stage.tick(minute(1));
    const market = () => stage.driver.state.markets.get('venue_b|m')!;
    expect(market().spreads!.count).toBe(1);
    expect(stage.driver.state.waitingBooks.size).toBe(0);
    stage.driver.feed(statusTopics.venue_b, null, { key: 'm-yes', receivedAt: minute(2) });
    expect(market().book).toBeNull();
    stage.book({ ...change, receivedAt: minute(3) });
    stage.tick(minute(4));
    expect(market().spreads!.count).toBe(1);
  });

  it('writes a dead letter for a malformed frame and changes nothing else', () => {
    const stage = driveAnomalies();
    stage.event(event('evt_1', ['m']));
    quietBooks(stage, 0, 30);
    stage.book(book('m', minute(30), '0.45', '0.55'));
    stage.book(book('m', minute(31), '0.45', 'wide'));
    expect(stage.driver.deadLetters).toHaveLength(1);
    stage.driver.deadLetters.length = 0;
    stage.tick(minute(31) + 5_000);
    expect(stage.anomalies()).toMatchObject([{ kind: 'spread_widening', receivedAt: minute(31) + 5_000 }]);
  });

  it('does not read a book of a NO side, whatever is in it', () => {
    const stage = driveAnomalies();
    stage.event(event('evt_1', ['m']));
    stage.book({ ...book('m', minute(0), 'x', '0.5'), instrument: 'm-no' });
    expect(stage.driver.deadLetters).toEqual([]);
    stage.book(book('m', minute(0), 'x', '0.5'));
    expect(stage.driver.deadLetters).toHaveLength(1);
  });
});

describe('markets', () => {
  it('belong to the surviving event after a merge, with their baselines', () => {
    const stage = driveAnomalies();
    stage.event(event('evt_1', ['m']));
    stage.event(event('evt_2', ['n']));
    quietTrades(stage, 0, 30, 'n');
    stage.event(event('evt_1', ['m', 'n'], { receivedAt: minute(30) }));
    stage.event(event('evt_2', [], { receivedAt: minute(30), mergedInto: 'evt_1' }));
    stage.trade(trade('n', minute(30) + 1, { qty: '90' }));
    stage.tick(minute(32));
    expect(stage.anomalies()).toMatchObject([{ universalId: 'evt_1', marketId: 'n' }]);
  });

  it('are evaluated separately', () => {
    const stage = driveAnomalies();
    stage.event(event('evt_1', ['m', 'n']));
    quietTrades(stage, 0, 30, 'm');
    for (let at = 0; at < 30; at += 1) stage.trade(trade('n', minute(at) + 2_000, { qty: '90' }));
    for (const market of ['m', 'n']) stage.trade(trade(market, minute(30) + 3_000, { qty: '90' }));
    stage.tick(minute(32));
    expect(stage.anomalies()).toMatchObject([{ marketId: 'm' }]);
  });

  it('are not stored for an event that is archived when it is first seen', () => {
    const stage = driveAnomalies();
    const days = (count: number) => minute(0) - count * 86_400_000;
    stage.event(event('evt_1', ['old'], { receivedAt: minute(0), status: 'resolved', overAt: days(91) }));
    stage.event(event('evt_2', ['new'], { receivedAt: minute(0), status: 'resolved', overAt: days(89) }));
    stage.event(event('evt_3', ['open'], { receivedAt: minute(0), status: 'closed', resolutionTime: days(91) }));
    expect([...stage.driver.state.markets.keys()]).toEqual(['venue_b|new', 'venue_b|open']);
  });

  it('lose their buckets a day after the last one, and are removed 90 days after their event was closed', () => {
    const stage = driveAnomalies();
    stage.event(event('evt_1', ['m']));
    quietTrades(stage, 0, 5);
    stage.book(book('m', minute(4), '0.4', '0.5'));
    stage.tick(minute(60));
    const market = () => stage.driver.state.markets.get('venue_b|m');
    expect(market()).toMatchObject({ volumes: { count: 5 }, spreads: { count: 1 } });
    stage.tick(minute(1_500));
    expect(market()).toMatchObject({ volumes: null, spreads: null, fills: null });
    const overAt = minute(1_501);
    // Closed only by its catalog.
    stage.event(event('evt_1', ['m'], { receivedAt: overAt, status: 'closed', overAt }));
    expect(market()!.book).not.toBeNull();
    stage.event(event('evt_1', ['m'], { receivedAt: overAt, status: 'resolved', overAt }));
    expect(market()!.book).toBeNull();
    stage.event(event('evt_1', ['m'], { receivedAt: overAt, status: 'closed', overAt }));
    const midnight = minute(12 * 60);
    stage.tick(midnight + 90 * 86_400_000);
    expect(market()).toBeDefined();
    stage.tick(midnight + 92 * 86_400_000);
    expect(stage.driver.state).toMatchObject({ markets: new Map(), yesOf: new Map(), noSides: new Set() });
  });
});
