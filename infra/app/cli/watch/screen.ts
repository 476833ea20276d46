/** Renders the screen of `npm run watch` as text, from data of REST and the stream. Pure. */
import type { Candles } from './live-candles.ts';
import { sparkline } from './sparkline.ts';
import type { WatchedEvent, WatchedLeg, WatchedMarket, WatchedTrade, WatchedWallet } from './watched.ts';

export interface Watched {
  readonly coin: string;
  readonly events: readonly WatchedEvent[];
  readonly candles: Candles;
  /** A spot pair and a contract of a builder dex. */
  readonly markets: readonly WatchedMarket[];
  readonly wallets: readonly WatchedWallet[];
  readonly trades: readonly WatchedTrade[];
  /** Names of events by market: `<provider> <marketId>`. */
  readonly names: ReadonlyMap<string, string>;
  /** Why the service cannot be read now; null if it can. */
  readonly problem: string | null;
  /** Event frames received per second. */
  readonly rate: number;
}

/** Prices that are older than this are shown with their age. */
const AGE_SHOWN_MS = 5_000;

const price = (value: number | null) => (value === null ? '–' : value.toFixed(3)).padStart(6);
const truncate = (text: string, width: number) =>
  text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width);

/**
 * Renders the lines for a terminal with this many columns.
 * @param now the time that ages are relative to, unix ms.
 */
export function renderScreen(watched: Watched, columns: number, now: number): string[] {
  const { coin, events, candles, markets, wallets, trades, names, rate, problem } = watched;
  const nameWidth = Math.max(20, columns - 62);
  const marketOf = ({ provider, marketId }: WatchedTrade) =>
    names.get(`${provider} ${marketId}`) ?? marketId ?? 'unknown market';
  return [
    ...(problem ? [problem, ''] : []),
    `Largest net edges: the same question on several venues (YES bid / ask)      ${rate.toFixed(0)} frames/s`,
    ...ageLine(events, now),
    ...events.map((event) => {
      const legs = event.legs.map(
        (leg) => `${leg.provider.slice(0, 9).padEnd(9)}${price(leg.yesBid)}/${price(leg.yesAsk)}${markOf(leg)}`,
      );
      const edge = event.netEdge === null ? '' : ` net ${event.netEdge >= 0 ? '+' : ''}${event.netEdge.toFixed(4)}`;
      return `${truncate(event.name, nameWidth)} ${legs.join('  ')}${edge}`;
    }),
    '',
    `${coin}, one-minute candles${candles.isLive ? '' : ' (the newest may be 30 s old)'}`,
    sparkline(candles.bars.map((candle) => candle.close)),
    ...candles.bars.slice(-3).map((candle) => {
      const { open, high, low, close, volume } = candle;
      return `${new Date(candle.ts).toISOString().slice(11, 16)}  o ${open}  h ${high}  l ${low}  c ${close}  v ${volume}`;
    }),
    ...(markets.length > 0 ? ['', 'A spot pair and a contract of a builder dex'] : []),
    ...markets.map(({ name, markPrice, midPrice, dayNotionalVolume }) => {
      const volume = dayNotionalVolume === null ? '–' : dayNotionalVolume.toFixed(0);
      return `${truncate(name, 20)}  mark ${markPrice ?? '–'}  mid ${midPrice ?? '–'}  volume of a day ${volume}`;
    }),
    ...(wallets.length > 0 ? ['', 'Bound wallets'] : []),
    ...wallets.map((wallet) => walletLine(wallet, now)),
    '',
    'Trades',
    ...trades.map(
      (trade) =>
        `${trade.ts.slice(11, 23)}  ${trade.provider.padEnd(16)}${truncate(marketOf(trade), 40)} ${trade.side.padEnd(4)} ${String(trade.qty).padStart(12)} @ ${trade.price}`,
    ),
  ];
}

/** States how old the prices are, unless they are of this moment. */
function ageLine(events: readonly WatchedEvent[], now: number): string[] {
  const oldest = Math.min(...events.map(({ fetchedAt }) => Date.parse(fetchedAt)));
  if (events.length === 0 || now - oldest <= AGE_SHOWN_MS) return [];
  return [`These prices are ${Math.round((now - oldest) / 1_000)} s old: ${new Date(oldest).toISOString()}`];
}

function walletLine({ provider, address, label, navUsdc, asOf }: WatchedWallet, now: number): string {
  const nav = navUsdc === null ? '–' : `${navUsdc.toFixed(2)} USD`;
  const age = asOf === null ? '' : `, ${Math.max(0, Math.round((now - Date.parse(asOf)) / 1_000))} s old`;
  return `${truncate(label || address, 20)}  ${provider.padEnd(16)}  NAV ${nav}${age}`;
}

/** Marks a leg whose prices cannot be relied on. */
function markOf({ state }: WatchedLeg): string {
  return state === 'live' ? '' : ` (${state ?? 'unknown'})`;
}
