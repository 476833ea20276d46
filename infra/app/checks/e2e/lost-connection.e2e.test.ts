/**
 * Plays a recording in which a connection was lost for ten minutes through a whole service: the venue's bars in it repair
 * the gap, and without them its candles have no source.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Verification } from '../../cli/replay/difference.ts';
import { metricsIn, readExpressions } from '../expressions.ts';
import { runCommand } from './command.ts';
import { eventually, get, type Service, startService, TEST_TOKEN, temporaryFolder } from './service.ts';

const NOON = Date.UTC(2026, 2, 1, 12);
const MINUTE = 60_000;
const FEED = 'venue_a.ws.2';

interface Trade {
  readonly at: number;
  readonly tid: number;
}

/** A trade every 20 s from 15 s after noon on, for 20 minutes. */
const TRADES: readonly Trade[] = Array.from({ length: 60 }, (_, nth) => ({ at: 15_000 + nth * 20_000, tid: nth + 1 }));
/** The connection is lost between these times. */
const [LOST, BACK] = [5.5 * MINUTE, 15.5 * MINUTE];
/** Price and size follow from the number of a trade. */
const priceOf = ({ tid }: Trade) => 1_000 + tid;
const sizeOf = ({ tid }: Trade) => tid / 4;

const at = (ms: number, rest: string, source = 'venue_a.ws') => `{"at":${NOON + ms},"source":"${source}",${rest}}`;
const socket = (ms: number, rest: string) => at(ms, `"feed":"${FEED}",${rest}`);
const frame = (ms: number, channel: string, data: unknown) => socket(ms, `"data":${JSON.stringify({ channel, data })}`);
const answer = (ms: number, request: unknown, data: unknown) =>
  at(ms, `"request":${JSON.stringify(request)},"data":${JSON.stringify(data)}`, 'venue_a.info');

const wire = (trade: Trade) => ({
  coin: 'BTC',
  side: 'B',
  px: `${priceOf(trade)}.0`,
  sz: String(sizeOf(trade)),
  time: NOON + trade.at,
  hash: `0x${'0'.repeat(64)}`,
  tid: trade.tid,
  users: [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`],
});
const acknowledged = (ms: number) =>
  frame(ms, 'subscriptionResponse', { method: 'subscribe', subscription: { type: 'trades', coin: 'BTC' } });

/** The venue's bar of a minute, of all its trades. */
function venueBar(minute: number) {
  const of = TRADES.filter((trade) => Math.floor(trade.at / MINUTE) === minute);
  const prices = of.map(priceOf);
  const t = NOON + minute * MINUTE;
  return {
    ...{ t, T: t + MINUTE - 1, s: 'BTC', i: '1m', n: of.length },
    ...{ o: `${prices[0]}.0`, c: `${prices.at(-1)}.0`, h: `${Math.max(...prices)}.0`, l: `${Math.min(...prices)}.0` },
    v: String(of.reduce((sum, trade) => sum + sizeOf(trade), 0)),
  };
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
  const minutes = Array.from({ length: 11 }, (_, nth) => nth + 5);
  const req = { coin: 'BTC', interval: '1m', startTime: NOON + 5 * MINUTE, endTime: NOON + 16 * MINUTE - 1 };
  const answers = [
    answer(0, { type: 'meta' }, { universe: [{ name: 'BTC', szDecimals: 5, maxLeverage: 40 }] }),
    ...(hasVenueBars ? [answer(16 * MINUTE + 5_000, { type: 'candleSnapshot', req }, minutes.map(venueBar))] : []),
  ];
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'venue_a.ws.ndjson'), socketLines().join('\n'));
  writeFileSync(join(folder, 'venue_a.info.ndjson'), answers.join('\n'));
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
      const path = `/v1/markets/venue_a/coins/BTC/candles?interval=1m&start_time=${NOON}&limit=${limit}`;
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
        : { ts: NOON + minute * MINUTE, open: priceOf(of[0]!), close: priceOf(of.at(-1)!), volume, source };
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
});
