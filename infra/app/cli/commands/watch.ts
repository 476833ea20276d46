import { setTimeout as sleep } from 'node:timers/promises';
import { integerSetting, readSettings, SettingError, textSetting, urlSetting } from '../../../config/declare.ts';
import { settingsHelp } from '../../../config/help.ts';
import { SETTINGS } from '../../../config/settings.ts';
import type { Command } from '../command.ts';
import { followTrades } from '../watch/follow-trades.ts';
import { FrameRate } from '../watch/frame-rate.ts';
import { LiveCandles } from '../watch/live-candles.ts';
import { type MarketPath, RestReader } from '../watch/rest-reader.ts';
import { renderScreen } from '../watch/screen.ts';
import { readWatchKey } from '../watch/watch-key.ts';
import type { WatchedEvent, WatchedMarket, WatchedTrade, WatchedWallet } from '../watch/watched.ts';

const REFRESH_MS = 1_000;
const NAMES_REFRESH_MS = 30_000;
/** A value that is read again is at most 20 s old. */
const WALLETS_REFRESH_MS = 10_000;
const TRADES_SHOWN = 8;

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
    description: 'The key to read with, which has the scopes read and stream. Default: the key in the data directory.',
    secret: true,
  }),
  dataDir: SETTINGS.dataDir,
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

/** Shows live edges, spreads, candles, a pair, a contract, bound wallets and trades of a running service in the terminal. */
export const watch: Command = {
  async run(argv) {
    if (argv.includes('--help')) {
      console.log(`npm run watch -- [settings]\n\n${settingsHelp(WATCH_SETTINGS)}`);
      return 0;
    }
    const { rest, stream, dataDir, coin, seconds, ...given } = readSettings(WATCH_SETTINGS, argv, process.env).values;
    const token = given.token ?? readWatchKey(dataDir);
    if (!token)
      throw new SettingError(
        `--token is missing, and ${dataDir} holds no key for it; accepted: a key with the scopes read and stream, or the --data-dir of a service that generated its admin key`,
      );
    const screen = new WatchedService(new RestReader(rest!, token), coin!);
    const client = followTrades(stream!, token, screen);
    const until = seconds === 0 ? Number.POSITIVE_INFINITY : Date.now() + seconds * 1_000;
    let stopping = false;
    process.once('SIGINT', () => {
      stopping = true;
    });
    try {
      while (!stopping && Date.now() < until) {
        show(await screen.refresh(client.state.name === 'live', process.stdout.columns ?? 120));
        await sleep(REFRESH_MS);
      }
    } finally {
      client.disconnect();
    }
    return 0;
  },
};

/** Redraws in place on a terminal. Elsewhere prints one screen after the other. */
function show(lines: readonly string[]): void {
  process.stdout.write(`${process.stdout.isTTY ? '\x1b[H\x1b[2J' : ''}${lines.join('\n')}\n`);
}

/** What is known of the service. While it cannot be reached, the last known is shown with the reason. */
class WatchedService {
  private readonly reader: RestReader;
  private readonly coin: string;
  private readonly live: LiveCandles;
  private readonly frames = new FrameRate(performance.now());
  private trades: readonly WatchedTrade[] = [];
  private events: readonly WatchedEvent[] = [];
  private names: ReadonlyMap<string, string> = new Map();
  private marketPaths: readonly MarketPath[] = [];
  private markets: readonly WatchedMarket[] = [];
  private wallets: readonly WatchedWallet[] = [];
  private walletsReadAt = Number.NEGATIVE_INFINITY;
  private namesReadAt = Number.NEGATIVE_INFINITY;
  private candles: ReturnType<LiveCandles['merge']> = { bars: [], isLive: false };

  constructor(reader: RestReader, coin: string) {
    this.reader = reader;
    this.coin = coin;
    this.live = new LiveCandles(coin);
  }

  readonly onTrade = (trade: WatchedTrade): void => {
    this.frames.add(performance.now());
    this.live.add(trade);
    this.trades = [trade, ...this.trades.slice(0, TRADES_SHOWN - 1)];
  };

  readonly onMissed = (): void => this.live.reset();

  /** Reads the service and returns the lines of the screen. Rejects with `SettingError` if it refuses the key. */
  async refresh(isStreaming: boolean, columns: number): Promise<string[]> {
    const problem = await this.read();
    return renderScreen(
      {
        coin: this.coin,
        events: this.events,
        candles: this.candles,
        markets: this.markets,
        wallets: this.wallets,
        trades: this.trades,
        names: this.names,
        rate: this.frames.perSecond(performance.now()),
        problem: problem ?? (isStreaming ? null : 'the stream is not connected, trying again'),
      },
      columns,
      Date.now(),
    );
  }

  /** Reads wallets beside everything else: what they are worth may take as long as the venue does. */
  private readWallets(): void {
    if (performance.now() - this.walletsReadAt <= WALLETS_REFRESH_MS) return;
    // Not again before this has ended.
    this.walletsReadAt = Number.POSITIVE_INFINITY;
    const show = (wallets: readonly WatchedWallet[]) => {
      this.wallets = wallets;
      this.walletsReadAt = performance.now();
    };
    // The reads beside it state why the service cannot be read.
    const forget = () => show(this.wallets.map((wallet) => ({ ...wallet, navUsdc: null, asOf: null })));
    this.reader.readWallets().then(show, forget);
  }

  /** Returns why the service could not be read; null if it could. */
  private async read(): Promise<string | null> {
    try {
      if (performance.now() - this.namesReadAt > NAMES_REFRESH_MS) {
        [this.names, this.marketPaths] = await Promise.all([this.reader.readNames(), this.reader.readMarkets()]);
        this.namesReadAt = performance.now();
      }
      const [events, bars, markets] = await Promise.all([
        this.reader.readEvents(),
        this.reader.readCandles(this.coin),
        Promise.all(this.marketPaths.map((market) => this.reader.readMarket(market))),
      ]);
      this.readWallets();
      this.events = events;
      this.markets = markets.filter((market) => market !== null);
      this.candles = this.live.merge(bars);
      return null;
    } catch (error) {
      if (error instanceof SettingError) throw error;
      const { message, cause } = error as Error;
      const reason = cause instanceof Error ? cause.message : message;
      return `the service cannot be read (${reason.slice(0, 120)}), trying again; what follows is from before`;
    }
  }
}
