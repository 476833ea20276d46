/**
 * Serves recorded answers of venue_a: each goes through its stage into views and tables as in a service, or through a
 * read, and every route is compared with what the answer states.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { driveStage } from '#processors/testing/drive-stage.fixture';
import { createLeaderboardStage } from '#processors/venues/venue-a/leaderboard/stage';
import { driveVenueA, START, type VenueADriver } from '#processors/venues/venue-a/normalise/venue-a.fixture';
import { insertRows } from '#query-api/testing/insert-rows.fixture';
import { openTestStore } from '#query-api/testing/open-test-store.fixture';
import { applyRecord } from '#query-api/testing/records.fixture';
import { requestsAnsweredBy } from '#query-api/testing/requests.fixture';
import { createTestApp, type TestApp } from '#query-api/testing/test-app.fixture';
import { VIEWS } from '#query-api/views/views';
import { INTERVALS, type Interval } from '#schemas/domain/candles/sources';
import { type Decimal, formatDecimal, parseDecimal, ZERO } from '#schemas/domain/decimal';
import { partPayload } from '#schemas/domain/export-parts';
import type { InfoRequest } from '#schemas/requests/venue-a-info';
import { candleBarsTable } from '#schemas/tables/candle-bars';
import { candleRangesTable } from '#schemas/tables/candle-ranges';
import { leaderboardTable } from '#schemas/tables/leaderboard';
import { tradesTable } from '#schemas/tables/trades';
import { venueCandleRangeTopics, venueCandleTopics } from '#schemas/topics/candles';
import { leaderboardRowTopic, leaderboardTopic } from '#schemas/topics/leaderboard';
import { bookTopics, contextTopics, instrumentTopics, perpDexTopic, tradeTopics } from '#schemas/topics/normalised';
import { rawTopic } from '#schemas/topics/raw';
import { LEADERBOARD_REQUEST } from '#schemas/venues/venue-a/leaderboard-export';
import { RequestError } from '../../requests/request-error.ts';
import type { Store } from '../../store/store.ts';

const FOLDER = join(process.env.PARALLAX_SHARED ?? '../shared', 'data/venue_a');
const isHere = existsSync(FOLDER);
const FILES = isHere ? readdirSync(FOLDER) : [];
const MARKETS = '/v1/markets/venue_a';
/** After this time, no cached response is left. */
const CACHED_MS = 3_600_000;

type Json = Record<string, unknown>;
/** Figures of a context, as the venue writes them. */
type Context = Readonly<Record<string, string | null | undefined>>;
interface Perp {
  readonly name: string;
  readonly szDecimals: number;
  readonly maxLeverage: number;
  readonly isDelisted?: boolean;
}
interface Trade {
  readonly coin: string;
  readonly side: string;
  readonly px: string;
  readonly sz: string;
  readonly time: number;
  readonly hash: string;
}
/** A bar, as the venue sends it. */
interface Bar {
  /** Its start and its end, unix ms. */
  readonly t: number;
  readonly T: number;
  readonly o: string;
  readonly h: string;
  readonly l: string;
  readonly c: string;
  readonly v: string;
  readonly n: number;
}

const textOf = (file: string) => readFileSync(join(FOLDER, file), 'utf8');
const framesOf = (file: string) =>
  textOf(file)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
/** The answer in a file, or the part of it that was recorded. */
function answerOf<T>(file: string): { request: InfoRequest; native: T } {
  const { request, response, excerpt } = JSON.parse(textOf(file));
  return { request, native: response ?? excerpt };
}
const metaOf = (file: string): { universe: readonly Perp[] } => {
  const { native } = answerOf<{ universe: readonly Perp[] } | readonly Perp[]>(file);
  return 'universe' in native ? native : { universe: native };
};
const figure = (written: string | null | undefined) => (written == null ? null : Number(written));
const listedIn = (meta: { universe: readonly Perp[] }) => meta.universe.filter(({ isDelisted }) => !isDelisted);
const symbolOf = (name: string) => name.slice(name.indexOf(':') + 1);

/** The snapshot of a perp, as its route names the figures. */
const coinSnapshot = (coin: string, context: Context) => ({
  coin,
  markPx: figure(context.markPx),
  oraclePx: figure(context.oraclePx),
  midPx: figure(context.midPx),
  funding: figure(context.funding),
  openInterest: figure(context.openInterest),
  dayNtlVlm: figure(context.dayNtlVlm),
  dayBaseVlm: figure(context.dayBaseVlm),
});
const contractSnapshot = (symbol: string, context: Context) => ({
  symbol,
  markPrice: figure(context.markPx),
  oraclePrice: figure(context.oraclePx),
  midPrice: figure(context.midPx),
  fundingRate: figure(context.funding),
  openInterest: figure(context.openInterest),
  dayNotionalVolume: figure(context.dayNtlVlm),
  dayBaseVolume: figure(context.dayBaseVlm),
});

describe.skipIf(!isHere)(`the answers in ${FOLDER} (skipped where they are absent)`, () => {
  let test: TestApp;
  let store: Store;
  let closeStore: () => Promise<void>;
  /** What reads return; without it they fail. */
  let respond: ((request: InfoRequest) => unknown) | null;
  let reads: InfoRequest[];
  let now: number | null;
  let venue: VenueADriver;

  beforeAll(async () => {
    ({ store, close: closeStore } = await openTestStore());
    const requests = requestsAnsweredBy((kind, request: InfoRequest) => {
      if (!respond || kind !== 'venue_a.info') throw new RequestError('unavailable');
      reads.push(request);
      return { native: respond(request), fetchedAt: now ?? Date.now(), source: 'official' };
    });
    test = await createTestApp({ app: { requests, store } });
    const { freshness } = test.views;
    Object.assign(test.views, { freshness: { ...freshness, now: () => now, isLive: () => now !== null } });
  });
  afterAll(async () => {
    await test.app.close();
    await closeStore();
  });
  beforeEach(() => {
    const { instruments, contexts, perpDexes } = test.views.coins.venue_a;
    for (const records of [instruments, contexts, perpDexes, test.views.books.venue_a]) records.clear();
    test.advance(CACHED_MS);
    [respond, reads, now] = [null, [], null];
    venue = driveVenueA();
  });

  async function body<T = Json>(path: string, status = 200): Promise<T> {
    const response = await test.get(path);
    expect(response.status, `${path} ${response.body}`).toBe(status);
    return response.json();
  }
  const errorOf = async (path: string, status: number) =>
    (await body<{ error: { code: string } }>(path, status)).error.code;

  /** Puts what the normaliser has emitted into the views, and returns the driver. */
  function publish(): void {
    expect(venue.stage.deadLetters).toEqual([]);
    const { coins, books } = test.views;
    for (const { topic, key, value } of venue.stage.outputs) {
      for (const known of [instrumentTopics.venue_a, contextTopics.venue_a, perpDexTopic])
        if (known.name === topic) applyRecord(VIEWS.coins, coins, known as never, key, value);
      if (topic === bookTopics.venue_a.name) applyRecord(VIEWS.books, books, bookTopics.venue_a, key, value as never);
    }
    venue.stage.clear();
  }

  describe('with perps', () => {
    it.each(FILES.filter((name) => /^info\.meta\.(2023|main)/.test(name)))(
      'in %s are listed, without delisted ones',
      async (file) => {
        const meta = metaOf(file);
        venue.answer({ type: 'meta' }, meta);
        publish();
        expect(await body(`${MARKETS}/coins`)).toEqual({
          coins: listedIn(meta).map(({ name, szDecimals, maxLeverage }) => ({
            name,
            sizeDecimals: szDecimals,
            maxLeverage,
          })),
        });
        for (const { name } of meta.universe.filter(({ isDelisted }) => isDelisted)) {
          for (const suffix of ['', '/orderbook'])
            expect(await errorOf(`${MARKETS}/coins/${name}${suffix}`, 404)).toBe('unknown_coin');
          expect(await body(`${MARKETS}/coins/${name}/trades`)).toEqual({ trades: [] });
        }
      },
    );

    it('of a builder dex are listed below it, in the order of the venue', async () => {
      const { native: dexes } = answerOf<{ name: string; fullName: string; deployer: string }[]>(
        'info.perpDexs.excerpt-2026-07.json',
      );
      const meta = metaOf('info.meta.xyz-excerpt-2026-07.json');
      venue.answer({ type: 'perpDexs' }, [null, ...dexes]);
      venue.answer({ type: 'meta', dex: 'xyz' }, meta);
      publish();
      expect(await body(`${MARKETS}/perp-dex`)).toEqual({
        dexes: dexes.map(({ name, fullName, deployer }) => ({ name, fullName, deployer })),
      });
      expect(await body(`${MARKETS}/perp-dex/xyz/contracts`)).toEqual({
        contracts: meta.universe.map(({ name, szDecimals, maxLeverage }) => ({
          symbol: symbolOf(name),
          upstreamCoin: name,
          decimals: szDecimals,
          maxLeverage,
        })),
      });
      expect(await body(`${MARKETS}/perp-dex/flx/contracts`)).toEqual({ contracts: [] });
    });

    it('and their contexts have the recorded figures, and null for those that the recorder left out', async () => {
      const main = answerOf<{ universe: Perp[]; assetCtxs: Context[] }>(
        'info.metaAndAssetCtxs.main-excerpt-2026-07.json',
      );
      venue.answer(main.request, [{ universe: main.native.universe }, main.native.assetCtxs]);
      const xyz = answerOf<{ meta: { universe: Perp[] }; assetCtxs: Context[] }>(
        'info.metaAndAssetCtxs.xyz-excerpt-2026-07.json',
      );
      // Contexts are joined by position, so only the contracts whose context was recorded can be sent.
      const recorded = new Set(xyz.native.assetCtxs.map(({ name }) => name));
      const universe = xyz.native.meta.universe.filter(({ name }) => recorded.has(name));
      venue.answer(xyz.request, [{ ...xyz.native.meta, universe }, xyz.native.assetCtxs]);
      venue.answer({ type: 'perpDexs' }, [null, { name: 'xyz' }]);
      publish();
      for (const context of main.native.assetCtxs)
        expect(await body(`${MARKETS}/coins/${context.name}`)).toEqual(coinSnapshot(context.name!, context));
      for (const context of xyz.native.assetCtxs) {
        const symbol = symbolOf(context.name!);
        expect(await body(`${MARKETS}/perp-dex/xyz/contracts/${symbol}`)).toEqual(contractSnapshot(symbol, context));
      }
    });

    it('of all dexes have every figure of the recorded frame, nulls included', async () => {
      const [frame] = framesOf('ws.allDexsAssetCtxs.json') as { data: { ctxs: [string, Context[]][] } }[];
      const dexes = frame!.data.ctxs.filter(([dex]) => dex !== '');
      venue.answer({ type: 'perpDexs' }, [null, ...dexes.map(([name]) => ({ name }))]);
      // The names of that day were not recorded; the frame has figures by position alone.
      for (const [dex, contexts] of frame!.data.ctxs) {
        const universe = contexts.map((_, at) => ({
          name: dex ? `${dex}:C${at}` : `C${at}`,
          szDecimals: 2,
          maxLeverage: 3,
        }));
        venue.answer({ type: 'meta', ...(dex ? { dex } : {}) }, { universe });
      }
      venue.text(JSON.stringify(frame));
      publish();
      const served = await Promise.all(
        frame!.data.ctxs.flatMap(([dex, contexts]) =>
          contexts.map((_, at) =>
            body(dex ? `${MARKETS}/perp-dex/${dex}/contracts/C${at}` : `${MARKETS}/coins/C${at}`),
          ),
        ),
      );
      expect(served).toHaveLength(412);
      expect(served).toEqual(
        frame!.data.ctxs.flatMap(([dex, contexts]) =>
          contexts.map((context, at) => (dex ? contractSnapshot : coinSnapshot)(`C${at}`, context)),
        ),
      );
      expect(JSON.stringify(served)).toContain('"midPx":null');
    });
  });

  describe('with spot pairs', () => {
    interface Spots {
      readonly universe: readonly { name: string; tokens: readonly number[]; index: number }[];
      readonly tokens: readonly { index: number; name: string; szDecimals: number }[];
    }
    /** The rows of the pairs whose tokens were recorded. */
    const rowsOf = ({ universe, tokens }: Spots) =>
      universe.flatMap(({ tokens: [base, quote], index }) => {
        const [baseToken, quoteToken] = [base, quote].map((of) => tokens.find((token) => token.index === of));
        if (!baseToken || !quoteToken) return [];
        return {
          name: `${baseToken.name}/${quoteToken.name}`,
          pair: `${baseToken.name}-${quoteToken.name}`,
          baseToken: baseToken.name,
          quoteToken: quoteToken.name,
          baseDecimals: baseToken.szDecimals,
          quoteDecimals: quoteToken.szDecimals,
          index,
        };
      });

    it('lists them once their volumes are reported, and has the figures of each', async () => {
      const meta = answerOf<Spots>('info.spotMeta.excerpt-2026-07.json');
      venue.answer(meta.request, meta.native);
      publish();
      expect(await body(`${MARKETS}/spot/pairs`)).toEqual({ pairs: [] });
      test.advance(CACHED_MS);

      const { request, native } = answerOf<Spots & { assetCtxs: Context[] }>(
        'info.spotMetaAndAssetCtxs.excerpt-2026-07.json',
      );
      const { assetCtxs, ...spots } = native;
      venue.answer(request, [spots, assetCtxs], 1);
      publish();
      const rows = rowsOf(spots);
      expect(rows).toHaveLength(5);
      expect(rowsOf(meta.native).every((row) => rows.some(({ pair }) => pair === row.pair))).toBe(true);
      expect(await body(`${MARKETS}/spot/pairs`)).toEqual({ pairs: rows });
      for (const { pair, index } of rows) {
        const coin = spots.universe.find((entry) => entry.index === index)!.name;
        const context = assetCtxs.find((entry) => entry.coin === coin)!;
        const { dayChangePct, ...figures } = await body(`${MARKETS}/spot/pairs/${pair}`);
        expect(figures).toEqual({
          pair,
          markPrice: figure(context.markPx),
          midPrice: figure(context.midPx),
          prevDayPrice: figure(context.prevDayPx),
          dayNotionalVolume: figure(context.dayNtlVlm),
          dayBaseVolume: figure(context.dayBaseVlm),
        });
        expect(dayChangePct).toBeCloseTo((Number(context.markPx) / Number(context.prevDayPx) - 1) * 100, 9);
      }
    });
  });

  describe('with books and trades', () => {
    interface Book {
      readonly coin: string;
      readonly time: number;
      readonly levels: readonly (readonly { px: string; sz: string }[])[];
    }
    const listCoin = (name: string) =>
      venue.answer({ type: 'meta' }, { universe: [{ name, szDecimals: 5, maxLeverage: 40 }] });
    const expectBook = async ({ coin, time, levels }: Book) => {
      const [bids, asks] = levels.map((side) => side.map(({ px, sz }) => ({ price: Number(px), size: Number(sz) })));
      expect(await body(`${MARKETS}/coins/${coin}/orderbook`)).toEqual({ coin, bids, asks, ts: time });
    };

    it.each(FILES.filter((name) => name.startsWith('info.l2Book.')))(
      'the book in %s has every level, whether it was received or is read now',
      async (file) => {
        const { request, native } = answerOf<Book>(file);
        listCoin(native.coin);
        publish();
        respond = () => native;
        await expectBook(native);
        expect(reads).toEqual([request]);
        venue.answer(request, native);
        publish();
        test.advance(CACHED_MS);
        await expectBook(native);
        expect(reads).toHaveLength(1);
      },
    );

    it.each(FILES.filter((name) => name.startsWith('ws.frames.')))(
      'the frames in %s are served as books, trades and figures',
      async (file) => {
        await store.command('TRUNCATE TABLE trades');
        const frames = framesOf(file) as { channel: string; data: Json }[];
        const dataOf = (channel: string) => frames.filter((frame) => frame.channel === channel).map(({ data }) => data);
        const contexts = dataOf('activeAssetCtx') as unknown as { coin: string; ctx: Context }[];
        const books = dataOf('l2Book') as unknown as Book[];
        const trades = dataOf('trades').flat() as unknown as Trade[];
        const coins = new Set([...contexts, ...books, ...trades].map(({ coin }) => coin));
        const universe = [...coins].map((name) => ({ name, szDecimals: 5, maxLeverage: 40 }));
        venue.answer({ type: 'meta' }, { universe });
        for (const frame of frames) venue.text(JSON.stringify(frame));
        await insertRows(store, tradesTable, venue.stage.emittedTo(tradeTopics.venue_a));
        publish();
        for (const { coin, ctx } of contexts)
          expect(await body(`${MARKETS}/coins/${coin}`)).toEqual(coinSnapshot(coin, ctx));
        for (const book of books) await expectBook(book);
        for (const coin of coins) {
          const own = trades.filter((trade) => trade.coin === coin);
          // Newest first, by the venue's time, then by arrival.
          const newest = own.map((trade, at) => ({ ...trade, at })).sort((a, b) => b.time - a.time || b.at - a.at);
          expect(await body(`${MARKETS}/coins/${coin}/trades`)).toEqual({
            trades: newest.map(({ px, sz, side, time, hash }) => ({
              coin,
              price: Number(px),
              size: Number(sz),
              side: side === 'B' ? 'buy' : 'sell',
              ts: time,
              // All zero for many trades.
              txHash: hash,
            })),
          });
        }
        expect(coins.size).toBeGreaterThan(0);
      },
    );
  });

  describe('with bars', () => {
    /** The bars in a file, as the venue sends them. The CSV files lack their starts and their numbers of trades. */
    function barsIn(file: string): { coin: string; interval: Interval; bars: readonly Bar[] } {
      if (file.endsWith('.json')) {
        const { request, native } = answerOf<readonly Bar[]>(file);
        return { coin: request.req!.coin, interval: request.req!.interval, bars: native };
      }
      const [, coin, interval] = /\.(\w+)-(1[mh])-/.exec(file) as unknown as [string, string, Interval];
      const bars = textOf(file)
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => {
          const [closes, o, h, l, c, v] = line.split(',') as [string, string, string, string, string, string];
          return { t: Number(closes) + 1 - INTERVALS[interval], T: Number(closes), o, h, l, c, v, n: 1 };
        });
      return { coin, interval, bars };
    }

    /** The buckets of a longer interval of which every bar was recorded. */
    function joined(bars: readonly Bar[], stepMs: number): readonly Bar[] {
      const buckets = new Map<number, Bar[]>();
      for (const bar of bars) {
        const t = bar.t - (bar.t % stepMs);
        buckets.set(t, [...(buckets.get(t) ?? []), bar]);
      }
      const complete = [...buckets].filter(([t]) => t >= bars[0]!.t && t + stepMs <= bars.at(-1)!.T + 1);
      return complete.map(([t, own]) => ({
        t,
        T: t + stepMs - 1,
        o: own[0]!.o,
        h: own.map(({ h }) => h).reduce((a, b) => (Number(a) >= Number(b) ? a : b)),
        l: own.map(({ l }) => l).reduce((a, b) => (Number(a) <= Number(b) ? a : b)),
        c: own.at(-1)!.c,
        v: formatDecimal(own.reduce((sum, { v }) => (sum + parseDecimal(v)) as Decimal, ZERO)),
        n: own.reduce((sum, { n }) => sum + n, 0),
      }));
    }
    const rowOf = ({ t, o, h, l, c, v }: Bar) => ({
      ts: t,
      ...{ open: Number(o), high: Number(h), low: Number(l), close: Number(c), volume: Number(v) },
      source: 'official_api',
    });

    it.each(FILES.filter((name) => name.startsWith('info.candleSnapshot.')))(
      'those in %s are served as they are, whether they are stored or read now, and in longer intervals',
      async (file) => {
        for (const table of [candleBarsTable, candleRangesTable]) await store.command(`TRUNCATE TABLE ${table.name}`);
        const { coin, interval, bars } = barsIn(file);
        const [startTime, endTime] = [bars[0]!.t, bars.at(-1)!.T];
        venue.answer({ type: 'meta' }, { universe: [{ name: coin, szDecimals: 0, maxLeverage: 50 }] });
        publish();
        const candlesOf = async (name: string) => {
          test.advance(CACHED_MS);
          const window = `interval=${name}&limit=5000&start_time=${startTime}&end_time=${endTime + 1}`;
          return (await body<{ candles: unknown[] }>(`${MARKETS}/coins/${coin}/candles?${window}`)).candles;
        };
        now = endTime + 1;
        respond = ({ req }) => bars.filter(({ t, T }) => T >= req!.startTime && t <= req!.endTime);
        expect(await candlesOf(interval)).toEqual(bars.map(rowOf));
        expect(reads).toHaveLength(1);

        now = null;
        const request = { type: 'candleSnapshot', req: { coin, interval, startTime, endTime } };
        venue.answer(request, bars, endTime + 1 - START);
        expect(venue.stage.deadLetters).toEqual([]);
        await insertRows(store, candleBarsTable, venue.stage.emittedTo(venueCandleTopics.venue_a));
        await insertRows(store, candleRangesTable, venue.stage.emittedTo(venueCandleRangeTopics.venue_a));
        expect(await candlesOf(interval)).toEqual(bars.map(rowOf));
        if (interval === '1m')
          for (const [longer, stepMs] of Object.entries(INTERVALS))
            expect(await candlesOf(longer), longer).toEqual(joined(bars, stepMs).map(rowOf));
        expect(reads).toHaveLength(1);
      },
    );
  });

  it('the row of the leaderboard has rank 1 with the figures of every window', async () => {
    const file = 'statsdata.leaderboard.1-row.json';
    const { leaderboardRows } = JSON.parse(textOf(file)) as {
      leaderboardRows: {
        ethAddress: string;
        displayName: string;
        accountValue: string;
        windowPerformances: [string, { pnl: string; roi: string; vlm: string }][];
      }[];
    };
    const stage = driveStage(createLeaderboardStage());
    stage.feed(rawTopic('venue_a', 'stats'), {
      ...{ provider: 'venue_a', stream: 'stats', key: 'venue_a.stats', receivedAt: START },
      ...{ request: LEADERBOARD_REQUEST, requestedAt: null },
      payload: partPayload({ index: 0, count: 1 }, gzipSync(textOf(file))),
    });
    expect(stage.deadLetters).toEqual([]);
    await insertRows(store, leaderboardTable, stage.emittedTo(leaderboardRowTopic));
    for (const board of stage.emittedTo(leaderboardTopic))
      applyRecord(VIEWS.leaderboards, test.views.leaderboards, leaderboardTopic, String(board.capturedAt), board);
    const [{ ethAddress, displayName, accountValue, windowPerformances }] = leaderboardRows as [
      (typeof leaderboardRows)[number],
    ];
    expect(windowPerformances).toHaveLength(4);
    for (const [window, { pnl, roi, vlm }] of windowPerformances) {
      const figures = { accountValue: Number(accountValue), pnl: Number(pnl), roi: Number(roi), vlm: Number(vlm) };
      const { capturedAt, total, rows } = await body(`${MARKETS}/leaderboard?window=${window}`);
      expect([capturedAt, total]).toEqual([new Date(START).toISOString(), 1]);
      expect(rows).toEqual([{ rank: 1, ethAddress, displayName, ...figures }]);
    }
  });

  describe('about accounts and lists', () => {
    const ACCOUNT = `0x${'a1'.repeat(20)}`;
    const ROUTES: Readonly<Record<string, string>> = {
      clearinghouseState: 'clearinghouse-state',
      spotClearinghouseState: 'spot-clearinghouse-state',
      frontendOpenOrders: 'open-orders',
      historicalOrders: 'historical-orders',
      userFills: 'user-fills',
      meta: 'meta',
      spotMeta: 'spotMeta',
      perpDexs: 'perp-dexs',
    };
    const passed = FILES.filter((file) => Object.hasOwn(ROUTES, file.split('.')[1]!));

    it('are in the folder for every route', () => {
      expect(new Set(passed.map((file) => file.split('.')[1]))).toEqual(new Set(Object.keys(ROUTES)));
    });

    it.each(passed)('%s is passed on unchanged, save that every fill has a liquidation or null', async (file) => {
      const { request, native } = answerOf<unknown>(file);
      const { type, user, dex } = request;
      respond = (read) => (read.type === 'perpDexs' && dex ? [null, { name: dex }] : native);
      const needsUser = !['meta', 'spotMeta', 'perpDexs'].includes(type);
      const address = (user ?? ACCOUNT).toLowerCase();
      const query = new URLSearchParams({ ...(needsUser ? { user: address } : {}), ...(dex ? { dex } : {}) });
      const served = await body(`/v1/venue_a/info/${ROUTES[type]}?${query}`);
      expect(reads.at(-1)).toEqual({ type, ...(needsUser ? { user: address } : {}), ...(dex ? { dex } : {}) });
      if (type !== 'userFills') {
        expect(served.native).toEqual(native);
        return;
      }
      const fills = native as { readonly time: number; readonly liquidation?: object }[];
      // The sort is stable: fills of one time keep the order of the venue.
      const newest = fills.toSorted((a, b) => b.time - a.time);
      expect(served.native).toEqual(newest.map((fill) => ({ ...fill, liquidation: fill.liquidation ?? null })));
    });
  });
});
