/** What price questions are about, by the names that venues use. The symbol is the one venue_a lists. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  BTC: ['bitcoin'],
  ETH: ['ethereum', 'ether'],
  SOL: ['solana'],
  XRP: ['ripple'],
  DOGE: ['dogecoin'],
  HYPE: ['hyperliquid'],
  BNB: ['binance coin'],
  ADA: ['cardano'],
  AVAX: ['avalanche'],
  LINK: ['chainlink'],
  LTC: ['litecoin'],
  SUI: [],
  TON: ['toncoin'],
  NEAR: ['near protocol'],
  ZEC: ['zcash'],
  TAO: ['bittensor'],
  WLD: ['worldcoin'],
  SPX: ['s&p 500', 's&p500'],
  NDX: ['nasdaq-100', 'nasdaq 100'],
  NVDA: ['nvidia'],
  TSLA: ['tesla'],
  AAPL: ['apple'],
  WTI: ['wti crude oil', 'crude oil'],
  GOLD: ['xau'],
  SILVER: ['xag'],
};

const SYMBOLS = new Map(
  Object.entries(NAMES).flatMap(([symbol, names]) =>
    [symbol.toLowerCase(), ...names].map((name) => [name, symbol] as const),
  ),
);

/** The symbol of a name as it stands in a title (`Bitcoin`, `$BTC`, `NVIDIA (NVDA)`), or null where it is not known. */
export function assetOf(name: string): string | null {
  const [, plain = '', ticker] = /^\$?(.+?)(?: \(([\w$]{1,10})\))?$/.exec(name.trim()) ?? [];
  const symbol = SYMBOLS.get(plain.toLowerCase()) ?? null;
  if (ticker === undefined) return symbol;
  const byTicker = SYMBOLS.get(ticker.toLowerCase()) ?? TICKER_ALIASES[ticker.toLowerCase()] ?? null;
  return byTicker === symbol ? symbol : null;
}

/** Tickers that venues print in parentheses where they differ from the symbol. */
const TICKER_ALIASES: Readonly<Record<string, string>> = { gc: 'GOLD', si: 'SILVER' };

/** The symbol that a venue's structured field names, whatever it is: listing it is naming it. */
export function assetOfField(symbol: string): string {
  return SYMBOLS.get(symbol.toLowerCase()) ?? symbol;
}
