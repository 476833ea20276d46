import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { TRADE_STREAM_PROVIDERS } from '#schemas/domain/providers';
import { integerSetting, readSettings, SettingError, textSetting, urlSetting } from '../../../config/declare.ts';
import { settingsHelp } from '../../../config/help.ts';
import { SETTINGS } from '../../../config/settings.ts';
import type { Command } from '../command.ts';
import { FrameRate } from '../watch/frame-rate.ts';
import { LiveCandles } from '../watch/live-candles.ts';
import {
  renderScreen,
  type WatchedCandle,
  type WatchedEvent,
  type WatchedLeg,
  type WatchedTrade,
} from '../watch/screen.ts';

const REFRESH_MS = 1_000;
const EVENTS_SHOWN = 10;
const TRADES_SHOWN = 8;
const REQUEST_TIMEOUT_MS = 10_000;

const WATCH_SETTINGS = {
  rest: urlSetting({
    flag: 'rest',
    variable: 'PARALLAX_WATCH_REST',
    fallback: `http://127.0.0.1:${SETTINGS.httpPort.fallback}`,
    schemes: ['http', 'https'],
    description: 'REST URL of the service.',
  }),
  stream: urlSetting({
    flag: 'stream',
    variable: 'PARALLAX_WATCH_STREAM',
    fallback: `ws://127.0.0.1:${SETTINGS.wsPort.fallback}`,
    schemes: ['ws', 'wss'],
    description: 'WebSocket URL of the service.',
  }),
  token: textSetting({
    flag: 'token',
    variable: 'PARALLAX_TOKEN',
    fallback: null,
    accepts: 'a key of the service',
    pattern: /^plx_\S+$/,
    description:
      'The key to read with: the admin key that npm start printed, or any other key with the scopes read and stream.',
    secret: true,
  }),
  coin: textSetting({
    flag: 'coin',
    variable: 'PARALLAX_WATCH_COIN',
    fallback: 'BTC',
    accepts: 'a coin',
    pattern: /^[\w@#:/-]+$/,
    description: 'The coin whose candles are shown.',
  }),
  seconds: integerSetting({
    flag: 'seconds',
    variable: 'PARALLAX_WATCH_SECONDS',
    fallback: 0,
    min: 0,
    max: 86_400,
    description: 'Seconds after which it ends; 0 runs until Ctrl-C.',
  }),
};

/** Shows live spreads, arbitrage, candles and trades of a running service in the terminal. */
export const watch: Command = {
  name: 'watch',
  summary: 'live spreads, candles and trades of a running service in the terminal',
  async run(argv) {
    if (argv.includes('--help')) {
      console.log(`npm run watch -- [settings]\n\n${settingsHelp(WATCH_SETTINGS)}`);
      return 0;
    }
    const { rest, stream, token, coin, seconds } = readSettings(WATCH_SETTINGS, argv, process.env).values;
    if (!token) throw new SettingError('--token is missing; accepted: the admin key that npm start printed');
    const trades: WatchedTrade[] = [];
    const live = new LiveCandles(coin!);
    const frames = new FrameRate(performance.now());
    const onTrade = (trade: WatchedTrade) => {
      frames.add(performance.now());
      live.add(trade);
      trades.unshift(trade);
      trades.length = Math.min(trades.length, TRADES_SHOWN);
    };
    const socket = await openTrades(stream!, token, { onTrade, onMissed: () => live.reset() });
    const until = seconds === 0 ? Number.POSITIVE_INFINITY : Date.now() + seconds * 1_000;
    let stopping = false;
    process.once('SIGINT', () => {
      stopping = true;
    });
    try {
      while (!stopping && Date.now() < until) {
        const [events, restCandles] = await Promise.all([readEvents(rest!, token), readCandles(rest!, token, coin!)]);
        const rate = frames.perSecond(performance.now());
        const candles = live.merge(restCandles);
        show(renderScreen({ coin: coin!, events, candles, trades, rate }, process.stdout.columns ?? 120));
        await sleep(REFRESH_MS);
      }
    } finally {
      socket.close();
    }
    return 0;
  },
};

/** Redraws in place on a terminal. Elsewhere prints one screen after the other. */
function show(lines: readonly string[]): void {
  process.stdout.write(`${process.stdout.isTTY ? '\x1b[H\x1b[2J' : ''}${lines.join('\n')}\n`);
}

interface TradeListener {
  readonly onTrade: (trade: WatchedTrade) => void;
  /** Called when the server reports missing trades, and when the connection ends. */
  readonly onMissed: () => void;
}

async function openTrades(base: string, token: string, { onTrade, onMissed }: TradeListener): Promise<WebSocket> {
  const socket = new WebSocket(`${base}/v1/stream`, {
    headers: { authorization: `Bearer ${token}` },
    handshakeTimeout: REQUEST_TIMEOUT_MS,
  });
  socket.on('message', (data) => {
    const frame = JSON.parse(data.toString()) as { type: string; data?: { payload: WatchedTrade } };
    if (frame.type === 'event' && frame.data) onTrade(frame.data.payload);
    else if (frame.type === 'lagged' || frame.type === 'gap') onMissed();
  });
  socket.once('close', onMissed);
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', (error) => reject(new SettingError(`--stream ${base} cannot be reached: ${error.message}`)));
  });
  for (const provider of TRADE_STREAM_PROVIDERS) {
    socket.send(JSON.stringify({ type: 'subscribe', channel: `svc:stream:trade:${provider}` }));
  }
  return socket;
}

async function read<T>(rest: string, token: string, path: string): Promise<T> {
  const response = await fetch(`${rest}${path}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  if (response.status === 401)
    throw new SettingError('--token is unknown to this service; accepted: the admin key that npm start printed');
  if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

async function readEvents(rest: string, token: string): Promise<WatchedEvent[]> {
  const { events } = await read<{ events: { universalId: string; canonicalName: string }[] }>(
    rest,
    token,
    `/v1/events?min_providers=2&status=open&limit=${EVENTS_SHOWN}`,
  );
  return Promise.all(
    events.map(async ({ universalId, canonicalName }) => {
      const [{ legs }, { records }] = await Promise.all([
        read<{ legs: WatchedLeg[] }>(rest, token, `/v1/events/${universalId}/spread`),
        read<{ records: { netEdge: number }[] }>(rest, token, `/v1/events/${universalId}/arbitrage`),
      ]);
      const edges = records.map((record) => record.netEdge);
      return { name: canonicalName, legs, netEdge: edges.length > 0 ? Math.max(...edges) : null };
    }),
  );
}

async function readCandles(rest: string, token: string, coin: string): Promise<WatchedCandle[]> {
  const { candles } = await read<{ candles: WatchedCandle[] }>(
    rest,
    token,
    `/v1/markets/venue_a/coins/${encodeURIComponent(coin)}/candles?interval=1m&limit=60`,
  );
  return candles;
}
