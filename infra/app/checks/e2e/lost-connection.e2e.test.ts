/**
 * Plays a recording in which a connection was lost for ten minutes through a whole service: the venue's bars in it repair
 * the gap, and without them its candles have no source. A day ends within the gap, so that its daily row has the gap, too.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dailyRowsTable } from '#schemas/tables/daily-rows';
import { type DailyRow, dailyRowTopic } from '#schemas/topics/daily';
import { createCodec } from '../../../codec/create-codec.ts';
import { openLogRegistry } from '../../../codec/log-registry.ts';
import { openEmbeddedLog } from '../../../log/embedded/open-embedded-log.ts';
import { readPartition } from '../../../log/read-partition.ts';
import { openStore } from '../../../store/open-store.ts';
import type { Verification } from '../../cli/replay/difference.ts';
import { metricsIn, readExpressions } from '../expressions.ts';
import { runCommand } from './command.ts';
import { eventually, get, type Service, startService, TEST_TOKEN, temporaryFolder } from './service.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const MIDNIGHT = Date.UTC(2026, 2, 2);
/** The start of the recording. */
const START = MIDNIGHT - 15 * MINUTE;
const BUCKET = 5 * MINUTE;
const FEED = 'venue_a.ws.2';

interface Trade {
  readonly at: number;
  readonly tid: number;
}

/** A trade every 20 s from 15 s after the start on, for 20 minutes. */
const TRADES: readonly Trade[] = Array.from({ length: 60 }, (_, nth) => ({ at: 15_000 + nth * 20_000, tid: nth + 1 }));
/** Trades of the day before the start, of which the recording has only the venue's bars. Oldest first. */
const EARLIER: readonly Trade[] = Array.from({ length: 23 }, (_, nth) => ({
  at: (nth - 23) * HOUR,
  tid: 100 + nth * 7,
}));
/** The connection is lost between these times. */
const [LOST, BACK] = [5.5 * MINUTE, 15.5 * MINUTE];
/** Price and size follow from the number of a trade. */
const priceOf = ({ tid }: Trade) => 1_000 + tid;
const sizeOf = ({ tid }: Trade) => tid / 4;

const at = (ms: number, rest: string, source = 'venue_a.ws') => `{"at":${START + ms},"source":"${source}",${rest}}`;
const socket = (ms: number, rest: string) => at(ms, `"feed":"${FEED}",${rest}`);
const frame = (ms: number, channel: string, data: unknown) => socket(ms, `"data":${JSON.stringify({ channel, data })}`);
const answer = (ms: number, request: unknown, data: unknown) =>
  at(ms, `"request":${JSON.stringify(request)},"data":${JSON.stringify(data)}`, 'venue_a.info');

const wire = (trade: Trade) => ({
  coin: 'BTC',
  side: 'B',
  px: `${priceOf(trade)}.0`,
  sz: String(sizeOf(trade)),
  time: START + trade.at,
  hash: `0x${'0'.repeat(64)}`,
  tid: trade.tid,
  users: [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`],
});
const acknowledged = (ms: number) =>
  frame(ms, 'subscriptionResponse', { method: 'subscribe', subscription: { type: 'trades', coin: 'BTC' } });

/** The venue's bar of the trades in the bucket that starts at a time after the start; none if there are no trades. */
function venueBars(at: number, lengthMs: number, trades: readonly Trade[]) {
  const of = trades.filter((trade) => trade.at >= at && trade.at < at + lengthMs);
  if (of.length === 0) return [];
  const prices = of.map(priceOf);
  const t = START + at;
  const bar = {
    ...{ t, T: t + lengthMs - 1, s: 'BTC', i: `${lengthMs / MINUTE}m`, n: of.length },
    ...{ o: `${prices[0]}.0`, c: `${prices.at(-1)}.0`, h: `${Math.max(...prices)}.0`, l: `${Math.min(...prices)}.0` },
    v: String(of.reduce((sum, trade) => sum + sizeOf(trade), 0)),
  };
  return [bar];
}

/** The venue's response to a request for its bars between two times after the start. */
function barsAnswer(receivedAt: number, interval: '1m' | '5m', from: number, until: number): string {
  const req = { coin: 'BTC', interval, startTime: START + from, endTime: START + until - 1 };
  const lengthMs = interval === '1m' ? MINUTE : BUCKET;
  const starts = Array.from({ length: (until - from) / lengthMs }, (_, nth) => from + nth * lengthMs);
  const bars = starts.flatMap((at) => venueBars(at, lengthMs, [...EARLIER, ...TRADES]));
  return answer(receivedAt, { type: 'candleSnapshot', req }, bars);
}

/** The lines of the socket. Once the connection is back, the venue replays the newest trade. */
function socketLines(): string[] {
  const received = TRADES.filter((trade) => trade.at < LOST || trade.at > BACK);
  const replayed = TRADES.filter((trade) => trade.at < BACK).slice(-1);
  return [
    socket(0, '"life":"connected"'),
    acknowledged(1_000),
    ...received.filter((trade) => trade.at < LOST).map((trade) => frame(trade.at, 'trades', [wire(trade)])),
    socket(LOST, '"life":"disconnected"'),
    socket(BACK, '"life":"connected"'),
    acknowledged(BACK + 1),
    frame(BACK + 2, 'trades', replayed.map(wire)),
    ...received.filter((trade) => trade.at > BACK).map((trade) => frame(trade.at, 'trades', [wire(trade)])),
  ];
}

function writeRecording(folder: string, hasVenueBars: boolean): void {
  const answers = [
    answer(0, { type: 'meta' }, { universe: [{ name: 'BTC', szDecimals: 5, maxLeverage: 40 }] }),
    // The day until the first whole bucket that was recorded.
    barsAnswer(BUCKET + 5_000, '5m', MIDNIGHT - 24 * HOUR - START, BUCKET),
    // The next trade is so near that the clock has a mark between them, at which the row is corrected.
    ...(hasVenueBars ? [barsAnswer(16 * MINUTE + 12_000, '1m', 5 * MINUTE, 16 * MINUTE)] : []),
  ];
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'venue_a.ws.ndjson'), socketLines().join('\n'));
  writeFileSync(join(folder, 'venue_a.info.ndjson'), answers.join('\n'));
}

/** The figures of the day's row if these trades are known, by its buckets. */
function dayFigures(known: readonly Trade[]) {
  const ofDay = known.filter((trade) => START + trade.at < MIDNIGHT);
  const buckets = new Map<number, Trade[]>();
  for (const trade of ofDay) {
    const bucket = Math.floor(trade.at / BUCKET);
    buckets.set(bucket, [...(buckets.get(bucket) ?? []), trade]);
  }
  const volumeOf = (trades: readonly Trade[]) => trades.reduce((sum, trade) => sum + sizeOf(trade), 0);
  const prices = ofDay.map(priceOf);
  return {
    open: String(prices[0]),
    high: String(Math.max(...prices)),
    low: String(Math.min(...prices)),
    close: String(prices.at(-1)),
    volume: String(volumeOf(ofDay)),
    amount: String([...buckets.values()].reduce((sum, of) => sum + priceOf(of.at(-1)!) * volumeOf(of), 0)),
    parts: buckets.size,
  };
}

/** The daily rows of a stopped service: the records with their bytes, and the rows of the table. */
async function readDailyRows(dataDir: string) {
  const log = await openEmbeddedLog({ path: join(dataDir, 'log'), readOnly: true });
  const store = await openStore({ store: 'embedded', dataDir });
  try {
    const codec = createCodec(await openLogRegistry(log));
    await codec.prepare([dailyRowTopic]);
    const [values, records]: [DailyRow[], string[]] = [[], []];
    await readPartition(log, { topic: dailyRowTopic.name, partition: 0 }, ({ seq, key, receivedAt, value }) => {
      values.push(codec.decode(dailyRowTopic, value!));
      records.push(`${seq} ${key} ${receivedAt} ${value!.toString('base64')}`);
    });
    const rows = await store.query<DailyRow>(`SELECT * FROM ${dailyRowsTable.name} FINAL`);
    return { values, rows, stored: { records, rows: JSON.stringify(rows) } };
  } finally {
    await store.close();
    await log.close();
  }
}

type Candle = { ts: number; open: number; close: number; volume: number; source: string | null };

describe.each([
  ['with', true],
  ['without', false],
])("a recording with a lost connection, %s the venue's bars", (_, hasVenueBars) => {
  const folder = temporaryFolder('parallax-lost');
  const dataDir = join(folder.path, 'data');
  let service: Service;
  let served: Candle[];
  beforeAll(async () => {
    const recording = join(folder.path, 'recording');
    writeRecording(recording, hasVenueBars);
    service = await startService({ dataDir, flags: ['--venues', `recording:${recording}`] });
    const playback = () => get<{ playback?: string }>(service, '/health');
    await eventually(playback, (health) => health.playback === 'ended', 60_000);
    let limit = 1_000;
    const candles = async () => {
      // Each limit is another response, so that none is served from a cache.
      limit += 1;
      const path = `/v1/markets/venue_a/coins/BTC/candles?interval=1m&start_time=${START}&limit=${limit}`;
      const response = await fetch(`${service.rest}${path}`, { headers: { authorization: `Bearer ${TEST_TOKEN}` } });
      return response.ok ? ((await response.json()) as { candles: Candle[] }).candles : [];
    };
    // The gap is open until its end is stored, and the bars after it have no source until then.
    const done = (found: Candle[]) =>
      found.length === (hasVenueBars ? 20 : 11) &&
      found[5]!.source === (hasVenueBars ? 'official_api' : null) &&
      found.at(-1)!.source === 'venue_node';
    served = await eventually(candles, done, 60_000);
  }, 180_000);
  afterAll(async () => {
    if (service.process.exitCode === null) await service.stop();
    folder.remove();
  });

  it('has candles of the gap from the venue, or of what was received and without a source', () => {
    const seen = TRADES.filter((trade) => trade.at < LOST || trade.at > BACK - 30_000);
    const expected = Array.from({ length: 20 }, (_value, minute) => {
      const isGap = minute >= 5 && minute <= 15;
      // The first minute began before the first trade.
      const source = minute === 0 ? null : isGap ? (hasVenueBars ? 'official_api' : null) : 'venue_node';
      const known = isGap && hasVenueBars ? TRADES : seen;
      const of = known.filter((trade) => Math.floor(trade.at / MINUTE) === minute);
      const volume = of.reduce((sum, trade) => sum + sizeOf(trade), 0);
      return of.length === 0
        ? []
        : { ts: START + minute * MINUTE, open: priceOf(of[0]!), close: priceOf(of.at(-1)!), volume, source };
    });
    expect(served.map(({ ts, open, close, volume, source }) => ({ ts, open, close, volume, source }))).toEqual(
      expected.flat(),
    );
  });

  it('exports every metric that an alert or a dashboard names', async () => {
    const metrics = await (await fetch(`${service.rest}/metrics`)).text();
    const exported = new Set([...metrics.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    const named = readExpressions().flatMap(({ expr }) => metricsIn(expr));
    expect(named.filter((name) => !exported.has(name))).toEqual([]);
  });

  it('counts the gap, and derives the same from the log again', async () => {
    const metrics = await (await fetch(`${service.rest}/metrics`)).text();
    expect(metrics).toMatch(/^parallax_trade_holes_total\{.*venue="venue_a".*\} 1$/m);
    expect(await service.stop()).toBe(0);
    const { out, err, code } = await runCommand('replay', ['--data-dir', dataDir, '--verify', '--json']);
    expect(out, err).not.toBe('');
    expect([code, (JSON.parse(out) as Verification).differences]).toEqual([0, []]);
  }, 120_000);

  it('has a daily row that is incomplete until the gap is repaired, and the same bytes after a replay', async () => {
    const { values, stored, rows } = await readDailyRows(dataDir);
    const seen = [...EARLIER, ...TRADES.filter((trade) => trade.at < LOST)];
    const common = { tradeDate: '2026-03-01', marketType: 'perp', symbol: 'BTC', marketCap: null };
    const row = (complete: boolean, known: readonly Trade[]) => ({
      ...{ ...common, source: 'candle_agg_5m', complete },
      ...dayFigures(known),
    });
    const expected = [row(false, seen), ...(hasVenueBars ? [row(true, [...EARLIER, ...TRADES])] : [])];
    expect(values.map(({ receivedAt: _receivedAt, ...figures }) => figures)).toEqual(expected);
    const [first, repaired] = values.map(({ receivedAt }) => receivedAt);
    expect(first).toBe(MIDNIGHT);
    if (hasVenueBars) expect(repaired).toBeGreaterThan(START + 16 * MINUTE);
    const { complete, parts } = expected.at(-1)!;
    expect(rows).toMatchObject([{ tradeDate: '2026-03-01', symbol: 'BTC', complete, parts: String(parts) }]);

    expect((await runCommand('replay', ['--data-dir', dataDir])).code).toBe(0);
    expect((await readDailyRows(dataDir)).stored).toEqual(stored);
  }, 120_000);
});
