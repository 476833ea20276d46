import { describe, expect, it } from 'vitest';
import type { SpotSample } from '#schemas/topics/daily';
import { barsOf, DAY, driveDaily, figuresOf, HOUR, MIDNIGHT, MINUTE, type PlainTrade } from './daily.fixture.ts';

type Driver = ReturnType<typeof driveDaily>;

/** Trades of a day with gaps of many lengths between them. */
function tradesOf(day: number, salt: number): PlainTrade[] {
  const trades: PlainTrade[] = [];
  for (let ts = day, nth = salt; ts < day + DAY; ts += ((nth * 7919) % 900) * 1_000 + 17, nth += 1)
    trades.push({ ts, price: `${90 + ((nth * 31) % 20)}.${(nth * 13) % 9}5`, qty: `0.${((nth * 7) % 98) + 1}` });
  return trades;
}

const within = (trades: readonly PlainTrade[]) => (from: number, until: number) =>
  trades.filter(({ ts }) => ts >= from && ts < until);

/** Feeds the minutes of trades, with the marks of the hours between them. */
function play(daily: Driver, trades: readonly PlainTrade[], fields: { coin?: string; provider?: string } = {}): void {
  let hour = 0;
  for (const bar of barsOf(trades, MINUTE)) {
    const passed = Math.floor(bar.openTime! / HOUR);
    if (hour > 0) for (let at = hour + 1; at <= passed; at += 1) daily.clock(at * HOUR);
    hour = passed;
    daily.bar({ ...bar, ...fields });
  }
}

describe('the daily row of a perp', () => {
  it('is published at the day mark and equals what its trades give, also on a builder dex', () => {
    const daily = driveDaily();
    const [btc, tsla] = [tradesOf(MIDNIGHT, 3), tradesOf(MIDNIGHT, 11)];
    const contract = { coin: 'xyz:TSLA', provider: 'venue_a_dex' };
    daily.range({ kind: 'complete', from: MIDNIGHT - 1 });
    daily.range({ kind: 'complete', from: MIDNIGHT + 1, ...contract });
    play(daily, btc);
    daily.stage.restart();
    play(daily, tsla, contract);
    expect(daily.rows()).toEqual([]);
    daily.clock(MIDNIGHT + DAY);
    const common = { tradeDate: '2026-03-01', marketType: 'perp', receivedAt: MIDNIGHT + DAY, source: 'candle_agg_5m' };
    expect(daily.rows()).toEqual([
      { ...common, symbol: 'BTC', marketCap: null, complete: true, ...figuresOf(MIDNIGHT, within(btc)) },
      // Its recorded trades begin within the first bucket.
      { ...common, symbol: 'xyz:TSLA', marketCap: null, complete: false, ...figuresOf(MIDNIGHT, within(tsla)) },
    ]);
  });

  it('does not exist without a bar, for spot pairs and outcomes, and from bars of an exchange', () => {
    const daily = driveDaily();
    for (const coin of ['@107', 'PURR/USDC', '#120']) daily.bar({ coin, openTime: MIDNIGHT });
    daily.bar({ provider: 'venue_b', coin: '123456', openTime: MIDNIGHT });
    daily.bar({ source: 'external_exchange', openTime: MIDNIGHT });
    daily.bar({ source: 'official_api', intervalMs: HOUR, openTime: MIDNIGHT });
    daily.range({ kind: 'complete', from: 0, coin: 'ETH' });
    daily.clock(MIDNIGHT + DAY);
    expect(daily.rows()).toEqual([]);
  });

  it("is incomplete while a gap is not repaired, and is published again with the venue's minutes of the gap", () => {
    const daily = driveDaily();
    const truth = tradesOf(MIDNIGHT, 5);
    const [lost, back] = [MIDNIGHT + 10 * HOUR, MIDNIGHT + 10 * HOUR + 30 * MINUTE];
    const recorded = truth.filter(({ ts }) => ts < lost || ts >= back);
    const newest = truth.findLast(({ ts }) => ts < lost)!.ts;
    const oldest = truth.find(({ ts }) => ts >= back)!.ts;
    daily.range({ kind: 'complete', from: MIDNIGHT - 1 });
    play(daily, within(recorded)(MIDNIGHT, lost));
    daily.range({ kind: 'gap', id: 'gap 1', from: lost, until: null, receivedAt: lost });
    daily.range({ kind: 'gap', id: 'gap 1', from: newest, until: oldest, receivedAt: back });
    play(daily, within(recorded)(lost, MIDNIGHT + DAY));
    daily.clock(MIDNIGHT + DAY);
    expect(daily.rows()).toMatchObject([{ complete: false, ...figuresOf(MIDNIGHT, within(recorded)) }]);

    daily.stage.clear();
    daily.stage.restart();
    const range = { from: Math.floor(newest / MINUTE) * MINUTE, until: Math.ceil(oldest / MINUTE) * MINUTE };
    const missing = truth.filter(({ ts }) => ts >= range.from && ts < range.until);
    expect(missing.length).toBeGreaterThan(2);
    for (const bar of barsOf(missing, MINUTE)) daily.venueBar(bar);
    daily.venueRange(range);
    expect(daily.rows()).toEqual([]);
    daily.clock(MIDNIGHT + DAY + 5_000);
    const repaired = { complete: true, ...figuresOf(MIDNIGHT, within(truth)) };
    expect(daily.rows()).toMatchObject([{ receivedAt: MIDNIGHT + DAY + 5_000, ...repaired }]);
    // What changes no figure is not published again.
    for (const bar of barsOf(missing, MINUTE)) daily.venueBar(bar);
    daily.clock(MIDNIGHT + DAY + 10_000);
    expect(daily.rows()).toHaveLength(1);
  });

  it("of an earlier day follows from the venue's own bars of five minutes, which may arrive weeks later", () => {
    const daily = driveDaily();
    const truth = tradesOf(MIDNIGHT, 8);
    const now = MIDNIGHT + 17 * DAY;
    daily.clock(now);
    daily.bar({ openTime: now });
    daily.range({ kind: 'complete', from: now + 1 });
    for (const bar of barsOf(truth, 5 * MINUTE)) daily.venueBar({ ...bar, receivedAt: now });
    daily.venueRange({ intervalMs: 5 * MINUTE, from: MIDNIGHT, until: MIDNIGHT + DAY, receivedAt: now });
    daily.clock(now + 5_000);
    const figures = { complete: true, ...figuresOf(MIDNIGHT, within(truth)) };
    expect(daily.rows()).toMatchObject([{ tradeDate: '2026-03-01', ...figures }]);
  });

  it.each([
    { kind: 'none', until: MIDNIGHT },
    { kind: 'gap', until: MIDNIGHT + HOUR },
  ] as const)('is complete after a gap that began weeks ago and then turns out to have ended then: $kind', (end) => {
    const daily = driveDaily();
    const today = MIDNIGHT + 23 * DAY;
    daily.range({ kind: 'complete', from: MIDNIGHT - 1 });
    daily.range({ kind: 'gap', id: 'gap 1', from: MIDNIGHT, until: null, receivedAt: MIDNIGHT });
    daily.bar({ openTime: today });
    daily.range({ id: 'gap 1', from: MIDNIGHT, receivedAt: today + HOUR, ...end });
    daily.clock(today + DAY);
    expect(daily.rows()).toMatchObject([{ complete: true, parts: 1 }]);
  });

  it('is published again for a trade that was recorded after the day mark, and not for one of weeks ago', () => {
    const daily = driveDaily();
    daily.range({ kind: 'complete', from: MIDNIGHT - 1 });
    daily.bar({ openTime: MIDNIGHT, close: '101' });
    daily.clock(MIDNIGHT + DAY);
    daily.bar({ openTime: MIDNIGHT + DAY - MINUTE, close: '102', receivedAt: MIDNIGHT + DAY + 1 });
    daily.bar({ openTime: MIDNIGHT - 40 * DAY, receivedAt: MIDNIGHT + DAY + 1 });
    daily.clock(MIDNIGHT + DAY + 5_000);
    expect(daily.rows().map(({ close, parts }) => [close, parts])).toEqual([
      ['101', 1],
      ['102', 2],
    ]);
  });

  it.each([
    ['joined', 20 * HOUR],
    ['final', 30 * HOUR],
  ])(
    'of %s buckets is incomplete without a trade that came too late, until the venue states all of them',
    (_, last) => {
      const daily = driveDaily();
      const truth = tradesOf(MIDNIGHT, 5);
      const missed = truth.find(({ ts }) => ts > MIDNIGHT + 9 * HOUR)!;
      const recorded = truth.filter((trade) => trade !== missed);
      const incomplete = { complete: false, ...figuresOf(MIDNIGHT, within(recorded)) };
      daily.range({ kind: 'complete', from: MIDNIGHT - 1 });
      /** States the trade as a gap, as the stage of candles does. */
      const miss = (at: number) =>
        daily.range({
          kind: 'gap',
          id: `missed ${Math.floor(missed.ts / MINUTE)}`,
          from: missed.ts,
          until: missed.ts,
          receivedAt: MIDNIGHT + at,
        });
      play(daily, within(recorded)(MIDNIGHT, MIDNIGHT + last));
      if (last < DAY) miss(last);
      play(daily, within(recorded)(MIDNIGHT + last, MIDNIGHT + DAY));
      daily.clock(MIDNIGHT + DAY);
      if (last > DAY) {
        daily.bar({ openTime: MIDNIGHT + last });
        daily.clock(MIDNIGHT + last);
        daily.clock(MIDNIGHT + last + 5_000);
        expect(daily.stage.state.perps.get('venue_a_perp|BTC')!.days.get(MIDNIGHT)!.isFinal).toBe(true);
        expect(daily.rows()).toMatchObject([{ complete: true, ...figuresOf(MIDNIGHT, within(recorded)) }]);
        miss(last + 6_000);
        daily.stage.restart();
        daily.clock(MIDNIGHT + last + 10_000);
      }
      expect(daily.rows().at(-1)).toMatchObject(incomplete);

      // Bars of one half are not enough; the row does not change with them.
      const now = MIDNIGHT + 31 * HOUR;
      const noon = MIDNIGHT + 12 * HOUR;
      const state = (from: number, until: number, at: number) => {
        for (const bar of barsOf(within(truth)(from, until), 5 * MINUTE)) daily.venueBar({ ...bar, receivedAt: at });
        daily.venueRange({ id: 'response', intervalMs: 5 * MINUTE, from: MIDNIGHT, until, receivedAt: at });
        daily.clock(at + 1_000);
      };
      daily.stage.clear();
      state(MIDNIGHT, noon, now);
      if (last > DAY) expect(daily.rows()).toEqual([]);
      daily.stage.restart();
      state(noon, MIDNIGHT + DAY, now + 5_000);
      expect(daily.rows().at(-1)).toMatchObject({ complete: true, ...figuresOf(MIDNIGHT, within(truth)) });
      // It is final, or final again.
      daily.bar({ openTime: now });
      daily.clock(now + 10_000);
      daily.clock(now + 15_000);
      const { isFinal, missed: left } = daily.stage.state.perps.get('venue_a_perp|BTC')!.days.get(MIDNIGHT)!;
      expect([isFinal, left]).toEqual([true, []]);
    },
  );

  it('follows from one response about the day, whatever earlier ones covered', () => {
    const daily = driveDaily();
    // The market is quiet from 10:00 to 14:00, when the first missed trade was.
    const quiet = MIDNIGHT + 12 * HOUR;
    const all = tradesOf(MIDNIGHT, 5).filter(({ ts }) => Math.abs(ts - quiet) > 2 * HOUR);
    const late = [quiet, quiet + 5 * HOUR].map((ts) => ({ ts, price: '95', qty: '1' }));
    const truth = [...all, ...late].sort((a, b) => a.ts - b.ts);
    const missed = (ts: number, at: number) =>
      daily.range({ kind: 'gap', id: `missed ${ts / MINUTE}`, from: ts, until: ts, receivedAt: at });
    const state = (from: number, until: number, at: number) => {
      const bars = barsOf(within(truth)(from, until), 5 * MINUTE);
      for (const bar of bars) daily.venueBar({ ...bar, receivedAt: at });
    };
    daily.range({ kind: 'complete', from: MIDNIGHT - 1 });
    play(daily, all);
    // A client reads the bars of the day.
    state(MIDNIGHT, MIDNIGHT + DAY, MIDNIGHT + DAY);
    daily.venueRange({ intervalMs: 5 * MINUTE, from: MIDNIGHT, until: MIDNIGHT + DAY, receivedAt: MIDNIGHT + DAY });
    daily.clock(MIDNIGHT + DAY);
    const now = MIDNIGHT + 30 * HOUR;
    daily.bar({ openTime: now });
    for (const at of [now, now + 5_000]) daily.clock(at);
    missed(late[0]!.ts, now + 6_000);
    daily.clock(now + 10_000);
    expect(daily.rows().at(-1)).toMatchObject({ complete: false, ...figuresOf(MIDNIGHT, within(all)) });
    // The second half, then another missed trade in it, then the whole day. Its range does not change, so none is emitted.
    daily.stage.clear();
    state(quiet, MIDNIGHT + DAY, now + 11_000);
    missed(late[1]!.ts, now + 12_000);
    state(MIDNIGHT, quiet, now + 13_000);
    daily.stage.restart();
    daily.clock(now + 15_000);
    expect(daily.rows()).toEqual([]);
    state(MIDNIGHT, MIDNIGHT + DAY, now + 16_000);
    daily.clock(now + 20_000);
    const row = { tradeDate: '2026-03-01', complete: true, ...figuresOf(MIDNIGHT, within(truth)) };
    expect(daily.rows()).toMatchObject([row]);
  });

  it('stays complete if a trade came too late for a bucket with the minutes of the venue', () => {
    const daily = driveDaily();
    const truth = tradesOf(MIDNIGHT, 5);
    const lost = MIDNIGHT + 9 * HOUR;
    daily.range({ kind: 'complete', from: MIDNIGHT - 1 });
    play(daily, within(truth)(MIDNIGHT, lost));
    daily.range({ kind: 'gap', id: 'gap', from: lost, until: lost + MINUTE - 1, receivedAt: lost + MINUTE });
    for (const bar of barsOf(within(truth)(lost, lost + MINUTE), MINUTE)) daily.venueBar(bar);
    daily.venueRange({ from: lost, until: lost + MINUTE, receivedAt: lost + 2 * MINUTE });
    play(daily, within(truth)(lost + MINUTE, MIDNIGHT + DAY));
    const late = { from: lost + 1, until: lost + 1, receivedAt: MIDNIGHT + DAY - 1 };
    daily.range({ kind: 'gap', id: 'missed', ...late });
    daily.clock(MIDNIGHT + DAY);
    expect(daily.rows()).toMatchObject([{ complete: true, ...figuresOf(MIDNIGHT, within(truth)) }]);
  });

  it('does not count bars of the venue from before a trade was missed, which are dropped', () => {
    const daily = driveDaily();
    const truth = tradesOf(MIDNIGHT, 5);
    daily.range({ kind: 'complete', from: MIDNIGHT - 1 });
    const response = { id: 'response', intervalMs: 5 * MINUTE, from: MIDNIGHT };
    play(daily, truth);
    for (const bar of barsOf(truth, 5 * MINUTE)) daily.venueBar(bar);
    daily.venueRange({ ...response, until: MIDNIGHT + DAY, receivedAt: MIDNIGHT + DAY });
    daily.clock(MIDNIGHT + DAY);
    daily.bar({ openTime: MIDNIGHT + 2 * DAY });
    daily.clock(MIDNIGHT + 2 * DAY);
    daily.clock(MIDNIGHT + 2 * DAY + 5_000);
    daily.range({
      kind: 'gap',
      id: 'missed',
      from: MIDNIGHT + HOUR,
      until: MIDNIGHT + HOUR,
      receivedAt: MIDNIGHT + 2 * DAY,
    });
    // The range of the same response grows.
    daily.venueRange({ ...response, until: MIDNIGHT + 2 * DAY, receivedAt: MIDNIGHT + 2 * DAY });
    daily.clock(MIDNIGHT + 2 * DAY + 10_000);
    const ofDay = daily.rows().filter(({ tradeDate }) => tradeDate === '2026-03-01');
    expect(ofDay.map(({ complete }) => complete)).toEqual([true, false]);
    expect(ofDay[1]).toMatchObject({ ...figuresOf(MIDNIGHT, within(truth)) });
  });

  it('stays incomplete if the venue states that nothing was traded although a trade was recorded', () => {
    const daily = driveDaily();
    daily.bar({ openTime: MIDNIGHT });
    daily.clock(MIDNIGHT + DAY);
    daily.venueRange({ from: MIDNIGHT, until: MIDNIGHT + DAY });
    daily.clock(MIDNIGHT + DAY + 5_000);
    expect(daily.rows().map(({ parts, complete }) => [parts, complete])).toEqual([[1, false]]);
  });
});

describe('the state', () => {
  it('holds no bars of a complete day once no late trade can change it, and nothing after weeks', () => {
    const daily = driveDaily();
    daily.range({ kind: 'complete', from: 0 });
    play(daily, [...tradesOf(MIDNIGHT, 2), ...tradesOf(MIDNIGHT + DAY, 4)]);
    const stored = () => [...daily.stage.state.perps.get('venue_a_perp|BTC')!.days.values()];
    expect(stored().map(({ isFinal, bars, parts }) => [isFinal, bars.size, parts.length])).toEqual([
      [true, 0, 1],
      [false, 1, 1],
    ]);
    expect(stored()[1]!.bars.get('60000 venue_node')!.size).toBeLessThan(4 * 60);
    daily.clock(MIDNIGHT + 30 * DAY);
    expect(stored()).toEqual([]);
  });

  it('joins ranges of a perp whose trades are requested again and again', () => {
    const daily = driveDaily();
    daily.range({ kind: 'complete', from: 0 });
    for (let nth = 0; nth < 100; nth += 1) {
      const at = MIDNIGHT + nth * 30_000;
      daily.range({ kind: 'gap', id: `gap ${nth}`, from: at, until: at + 20_000, receivedAt: at + 20_000 });
    }
    daily.bar({ openTime: MIDNIGHT + 6 * HOUR });
    daily.clock(MIDNIGHT + 7 * HOUR);
    expect([...daily.stage.state.perps.get('venue_a_perp|BTC')!.ranges.values()]).toMatchObject([
      { kind: 'complete', from: 0, until: null },
      { kind: 'gap', from: MIDNIGHT, until: MIDNIGHT + 50 * MINUTE - 1 },
    ]);
  });
});

describe('the daily row of a spot pair', () => {
  const sample = (hour: number, fields: Partial<SpotSample> = {}): SpotSample => ({
    coin: '@107',
    receivedAt: MIDNIGHT + hour * HOUR,
    pair: 'HYPE-USDC',
    canonical: true,
    markPrice: String(20 + ((hour * 7) % 24)),
    dayBaseVolume: String(1_000 + hour),
    dayNotionalVolume: String(2_000 + hour),
    circulatingSupply: '1000.5',
    ...fields,
  });
  /** Feeds the samples of a day and its end. */
  const rowsOf = (samples: readonly SpotSample[]) => {
    const daily = driveDaily();
    daily.clock(MIDNIGHT);
    for (const each of samples) {
      daily.sample(each);
      daily.stage.restart();
    }
    daily.clock(MIDNIGHT + DAY);
    return daily.rows();
  };
  const day = (change: (hour: number) => Partial<SpotSample> = () => ({})) =>
    Array.from({ length: 24 }, (_, hour) => sample(hour, change(hour)));

  it('follows from the samples of 00:00 to 23:00', () => {
    expect(rowsOf(day())).toEqual([
      {
        tradeDate: '2026-03-01',
        marketType: 'spot',
        symbol: 'HYPE-USDC',
        receivedAt: MIDNIGHT + DAY,
        open: '20',
        high: '43',
        low: '20',
        close: '37',
        volume: '1023',
        amount: '2023',
        marketCap: '37018.5',
        parts: 24,
        complete: true,
        source: 'ctx_sample',
      },
    ]);
  });

  it('does not exist without 24 samples of that day', () => {
    expect(rowsOf(day().slice(1))).toEqual([]);
    expect(rowsOf([sample(-1), ...day().slice(1)])).toEqual([]);
  });

  it('exists for the pair that is canonical at the end of the day', () => {
    expect(rowsOf(day((hour) => ({ canonical: hour < 23 })))).toEqual([]);
    expect(rowsOf(day((hour) => ({ canonical: hour === 23 })))).toHaveLength(1);
  });

  it('has null where a figure is unknown', () => {
    const unknown = { dayBaseVolume: null, dayNotionalVolume: null, circulatingSupply: null };
    expect(rowsOf(day(() => unknown))).toMatchObject([{ volume: null, amount: null, marketCap: null }]);
  });
});
