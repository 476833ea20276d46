/** Klines of the external exchange: a function of seed and time, at any age, and the same in every length. */
import type { Asset } from '../../../world/coins.ts';
import { hashOf, STREAM, uniformOf } from '../../../world/hash.ts';
import { priceAt } from '../../../world/prices.ts';
import { DAY_MS, MINUTE_MS } from '../../../world/time.ts';

/** Decimals of volumes. */
const VOLUME_DECIMALS = 3;
/** One minute in so many has no trade. */
const QUIET = 53;
/** In one of so many weeks the exchange is closed for maintenance, and has no rows of that time. */
const MAINTENANCE = 3;
const MAINTENANCE_MINUTES = { least: 30, more: 150 };
const WEEK_MS = 7 * DAY_MS;

/** Prices in units of the last decimal of the coin, volume in thousandths. */
interface Minute {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
  readonly trades: number;
}

/** Decimals of the prices of a coin: six significant digits, and one decimal at least. */
function priceDecimals({ basePx }: Asset): number {
  return Math.max(1, 5 - Math.floor(Math.log10(basePx)));
}

/** True if the exchange is closed for maintenance in a minute, so that its row is missing. */
export function isMaintenance(seed: number, minuteMs: number): boolean {
  const week = Math.floor(minuteMs / WEEK_MS);
  if (hashOf(seed, STREAM.kline, week, 1) % MAINTENANCE !== 0) return false;
  const { least, more } = MAINTENANCE_MINUTES;
  const lengthMs = (least + (hashOf(seed, STREAM.kline, week, 2) % more)) * MINUTE_MS;
  const latest = (WEEK_MS - lengthMs) / MINUTE_MS;
  const startMs = week * WEEK_MS + (hashOf(seed, STREAM.kline, week, 3) % latest) * MINUTE_MS;
  return minuteMs >= startMs && minuteMs < startMs + lengthMs;
}

/** The minute that begins at a time. One without a trade is flat, with volume 0. */
function minuteAt(seed: number, asset: Asset, openMs: number, open: number, next: number): Minute {
  const minute = openMs / MINUTE_MS;
  const hash = hashOf(seed, STREAM.kline, minute, asset.key * 4 + 64);
  if (hash % QUIET === 0) return { open, high: open, low: open, close: open, volume: 0, trades: 0 };
  const reach = Math.ceil((open / 20_000) * uniformOf(seed, STREAM.kline, minute, asset.key * 4 + 65));
  const trades = 1 + (hash % 900);
  return {
    open,
    high: Math.max(open, next) + reach,
    low: Math.min(open, next) - reach,
    close: next,
    volume: trades * (1 + ((hash >>> 12) % 700)),
    trades,
  };
}

/** The rows that begin in `[fromMs, untilMs)`, both multiples of `intervalMs`, as JSON texts. What has not begun by `nowMs` is left out. */
export function klineRows(
  seed: number,
  asset: Asset,
  intervalMs: number,
  { fromMs, untilMs, nowMs }: { readonly fromMs: number; readonly untilMs: number; readonly nowMs: number },
): string[] {
  const decimals = priceDecimals(asset);
  const unitsAt = (atMs: number) => Math.round(priceAt(seed, asset, atMs) * 10 ** decimals);
  const rows: string[] = [];
  let next = unitsAt(fromMs);
  for (let openMs = fromMs; openMs < untilMs && openMs <= nowMs; openMs += intervalMs) {
    let bar: Minute | null = null;
    for (let minuteMs = openMs; minuteMs < openMs + intervalMs && minuteMs <= nowMs; minuteMs += MINUTE_MS) {
      const open = next;
      next = unitsAt(minuteMs + MINUTE_MS);
      if (!isMaintenance(seed, minuteMs)) bar = join(bar, minuteAt(seed, asset, minuteMs, open, next));
    }
    if (bar) rows.push(rowText(bar, openMs, intervalMs, decimals));
  }
  return rows;
}

/** Adds a minute to a bar. One without a trade changes a bar only as long as nothing was traded. */
function join(bar: Minute | null, minute: Minute): Minute {
  if (!bar || bar.trades === 0) return minute;
  if (minute.trades === 0) return bar;
  return {
    open: bar.open,
    high: Math.max(bar.high, minute.high),
    low: Math.min(bar.low, minute.low),
    close: minute.close,
    volume: bar.volume + minute.volume,
    trades: bar.trades + minute.trades,
  };
}

function rowText(bar: Minute, openMs: number, intervalMs: number, decimals: number): string {
  const price = (units: number) => `"${fixedText(units, decimals)}"`;
  const volume = fixedText(bar.volume, VOLUME_DECIMALS);
  const quote = (share: number) => `"${((bar.volume / 1_000) * share * (bar.close / 10 ** decimals)).toFixed(4)}"`;
  const prices = [bar.open, bar.high, bar.low, bar.close].map(price).join(',');
  const taker = `"${fixedText(Math.floor(bar.volume / 2), VOLUME_DECIMALS)}",${quote(0.5)}`;
  return `[${openMs},${prices},"${volume}",${openMs + intervalMs - 1},${quote(1)},${bar.trades},${taker},"0"]`;
}

/** All decimals, as the exchange writes them. */
function fixedText(units: number, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
