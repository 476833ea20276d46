import { beforeEach, describe, expect, it } from 'vitest';
import { NOON_MS } from '../testing/records.fixture.ts';
import { FAMILIES, routeOf, useFamilies } from './families.fixture.ts';

const { add, addDex, advance, body, errorOf, get, setFreshness, setQuery } = useFamilies();

describe.each(FAMILIES)('the family of %s', (_plural, one) => {
  const { family, list, make, name } = one;
  const { coin, provider } = make();
  const market = `${list}/${encodeURIComponent(name)}`;
  beforeEach(() => addDex());

  describe('has candles that', () => {
    /** Requests candles and returns the parameters of all store queries. */
    async function queryFor(query: string) {
      add(make());
      const used: Record<string, unknown> = { newestFirst: false };
      setQuery((sql, parameters) => {
        Object.assign(used, parameters);
        if (sql.includes('openTime DESC')) used.newestFirst = true;
        // The newest of few bars.
        return sql.includes('AS counted') ? [{ time: NOON_MS, counted: 1 }] : [];
      });
      routeOf(family, '/candles').response.parse(await body(`${market}/candles${query}`));
      return used;
    }

    it.each([
      ['', 100],
      ['?limit=1', 1],
      ['?limit=0', 1],
      ['?limit=5000', 5_000],
      ['?limit=5001', 5_000],
    ])('treat %j as a limit of %i', async (query, limit) => {
      // Two rows are scanned for each minute of a bar, since the nearest buckets hold too few.
      expect(await queryFor(query)).toMatchObject({ rows: limit * 60 * 2, stepMs: 3_600_000, newestFirst: true });
    });

    it.each([
      ['1m', 60_000],
      ['5m', 300_000],
      ['15m', 900_000],
      ['1h', 3_600_000],
      ['4h', 14_400_000],
      ['1d', 86_400_000],
    ])('support the interval %s', async (interval, stepMs) => {
      expect(await queryFor(`?interval=${interval}`)).toMatchObject({ stepMs, provider0: provider, coin0: coin });
    });

    it('are oldest first, as numbers, with a source only where the family has one', async () => {
      add(make());
      const of = { provider, coin, source: 'venue_node', intervalMs: 60_000 };
      const barsIn = (from: number, until: number) => {
        const times = [120_000, 60_000].filter((time) => time >= from && time < until);
        const list = (value: string) => times.map(() => value).join(' ');
        const prices = { open: list('1.5'), high: list('2'), low: list('1'), close: list('1.25'), volume: list('10') };
        return [{ ...of, ...prices, trades: times.map(() => 3), firstMs: times, receivedAt: times }];
      };
      const packedIn = (from: number, until: number) => {
        const times = [60_000, 120_000].filter((time) => time >= from && time < until);
        return [{ packed: times.map((time) => `;${time} 1.5 2 1 1.25 10 3 `).join(''), counted: times.length }];
      };
      const ranges = [{ ...of, kind: 'complete', from: 60_001, until: null }];
      setQuery((sql, { from, until, source }) => {
        if (sql.includes('FROM candle_ranges')) return ranges;
        if (!sql.includes('FINAL')) return [];
        return (source === undefined ? barsIn : packedIn)(Number(from), Number(until));
      });
      const numbers = { open: 1.5, high: 2, low: 1, close: 1.25, volume: 10 };
      const source = (value: string | null) => (one.hasCandleSource ? { source: value } : {});
      expect(await body(`${market}/candles?interval=1m`)).toEqual({
        candles: [
          { ts: 60_000, ...numbers, ...source(null) },
          { ts: 120_000, ...numbers, ...source('venue_node') },
        ],
      });
    });

    it('state the time up to which their stage and the tables have come, also from the cache', async () => {
      add(make());
      const stateOf = async () => {
        const { headers } = await get(`${market}/candles`);
        return headers['x-fetched-at'];
      };
      setFreshness({ now: () => NOON_MS, asOf: () => NOON_MS + 500, tablesAsOf: async (_, until) => until - 700 });
      expect(await stateOf()).toBe('2026-03-01T11:59:59.800Z');
      setFreshness({ asOf: () => NOON_MS + 9_500 });
      expect(await stateOf()).toBe('2026-03-01T11:59:59.800Z');
      advance(30_001);
      expect(await stateOf()).toBe('2026-03-01T12:00:08.800Z');
    });

    it('state no time while it is unknown', async () => {
      add(make());
      setFreshness({ asOf: () => null });
      expect((await get(`${market}/candles`)).headers).not.toHaveProperty('x-fetched-at');
    });

    it('accept bounds as unix ms and as ISO-8601', async () => {
      const iso = await queryFor(
        '?interval=1m&limit=9&start_time=2026-03-01T12:00:00Z&end_time=2026-03-01T13:00:00.000Z',
      );
      expect(iso).toMatchObject({ from: NOON_MS, until: NOON_MS + 3_600_000, newestFirst: true });
      expect(await queryFor(`?interval=1m&start_time=${NOON_MS}`)).toMatchObject({ from: NOON_MS, newestFirst: false });
    });

    it('refuse an empty window, and an invalid time, interval or limit', async () => {
      add(make());
      const bad = [
        `start_time=${NOON_MS}&end_time=${NOON_MS}`,
        `start_time=${NOON_MS + 1}&end_time=${NOON_MS}`,
        'start_time=1772366400',
        'start_time=noon',
        'end_time=2026-02-30',
        'interval=2m',
        'limit=ten',
      ];
      for (const query of bad) {
        const { code, message } = await errorOf(`${market}/candles?${query}`, 400);
        expect(code, query).toBe('validation_failed');
        expect(message).toContain(query.split('=')[0]);
      }
      await body(`${market}/candles?start_time=${NOON_MS}&end_time=${NOON_MS + 1}`);
    });
  });
});
