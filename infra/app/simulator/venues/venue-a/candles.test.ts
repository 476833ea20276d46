import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clockAwayFromHours, openSocket, post, until } from '../../client.fixture.ts';
import { type Simulator, startSimulator } from '../../start-simulator.ts';

let simulator: Simulator;
beforeAll(async () => {
  const wallClock = clockAwayFromHours();
  simulator = await startSimulator({ seed: 2, rate: 400, events: 3, coins: 6, faults: [], wallClock });
});
afterAll(async () => simulator.close());

const info = async (body: unknown) => (await post(`${simulator.urls.venueAApiUrl}/info`, body)).body as never;
const DECIMAL = /^-?\d+\.\d+$/;

describe('the candles of venue_a', () => {
  it('include both ends of the range, calculated from trades', async () => {
    const now = ((await info({ type: 'exchangeStatus' })) as { time: number }).time;
    const minute = Math.floor(now / 60_000) * 60_000;
    const req = { coin: 'ETH', interval: '1m', startTime: minute - 150_000, endTime: minute - 90_000 };
    const bars = (await info({ type: 'candleSnapshot', req })) as { t: number; T: number; n: number; o: string }[];
    expect(bars.map(({ t }) => t)).toEqual([minute - 180_000, minute - 120_000]);
    for (const { t, T, n, o } of bars) {
      expect(T).toBe(t + 59_999);
      expect(n).toBeGreaterThan(0);
      expect(o).toMatch(DECIMAL);
    }
  });

  it('are of any age that the venue stores, and none that are older than the newest 5,000', async () => {
    const now = ((await info({ type: 'exchangeStatus' })) as { time: number }).time;
    const minute = Math.floor(now / 60_000) * 60_000;
    const barsOf = async (from: number, until: number) => {
      const req = {
        coin: 'orb:GOLD',
        interval: '1m',
        startTime: minute + from * 60_000,
        endTime: minute + until * 60_000 - 1,
      };
      const bars = (await info({ type: 'candleSnapshot', req })) as { t: number }[];
      return bars.map(({ t }) => (t - minute) / 60_000);
    };
    expect(await barsOf(-4_990, -4_987)).toEqual([-4_990, -4_989, -4_988]);
    // A minute may have passed since.
    const oldest = await barsOf(-5_005, -4_996);
    expect(oldest.length).toBeLessThanOrEqual(3);
    expect(oldest[0]).toBeGreaterThanOrEqual(-4_999);
    expect(await barsOf(-9_000, -6_000)).toEqual([]);
    expect(await barsOf(5, 9)).toEqual([]);
  });

  it('are all there in a long window, and each is the same in every other window', async () => {
    const now = ((await info({ type: 'exchangeStatus' })) as { time: number }).time;
    const hour = Math.floor(now / 3_600_000) * 3_600_000;
    const barsOf = async (from: number, until: number) => {
      const req = {
        coin: 'BTC',
        interval: '1h',
        startTime: hour + from * 3_600_000,
        endTime: hour + until * 3_600_000,
      };
      return (await info({ type: 'candleSnapshot', req })) as Record<
        't' | 'o' | 'c' | 'h' | 'l' | 'v' | 'n',
        unknown
      >[];
    };
    const bars = await barsOf(-499, 0);
    expect(bars.map(({ t }) => t)).toEqual(Array.from({ length: 500 }, (_, nth) => hour + (nth - 499) * 3_600_000));
    for (const at of [-499, -250, -1]) expect(await barsOf(at, at)).toEqual([bars[499 + at]]);
    expect(Number(bars[0]!.v)).toBeGreaterThan(0);
  });

  it('agree with the trades that it published, in every interval', async () => {
    const socket = await openSocket(simulator.urls.venueAWsUrl);
    socket.send({ method: 'subscribe', subscription: { type: 'trades', coin: 'BTC' } });
    type Trade = { time: number; px: string; sz: string };
    const trades = () =>
      socket
        .frames()
        .filter(({ channel }) => channel === 'trades')
        .flatMap(({ data }) => data as Trade[]);
    // The replay at the start lists the newest trade first.
    await until('a complete second of trades', () => trades().length > 30);
    socket.close();
    const known = trades().sort((a, b) => a.time - b.time);
    const last = known.at(-1)!;
    for (const [interval, length] of [
      ['1m', 60_000],
      ['5m', 300_000],
      ['15m', 900_000],
      ['1h', 3_600_000],
    ] as const) {
      const req = { coin: 'BTC', interval, startTime: last.time, endTime: last.time };
      const [bar] = (await info({ type: 'candleSnapshot', req })) as {
        t: number;
        h: string;
        l: string;
        v: string;
        n: number;
      }[];
      const within = known.filter(({ time }) => time >= bar!.t && time < bar!.t + length);
      expect(bar!.n).toBeGreaterThanOrEqual(within.length);
      expect(Number(bar!.h)).toBeGreaterThanOrEqual(Math.max(...within.map(({ px }) => Number(px))));
      expect(Number(bar!.l)).toBeLessThanOrEqual(Math.min(...within.map(({ px }) => Number(px))));
    }
  });
});
