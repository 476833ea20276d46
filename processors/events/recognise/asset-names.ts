/** Names that venues use for assets. The symbol is the one that venue_a or the stock exchange lists. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  BTC: ['bitcoin', 'xbt'],
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
  DOT: ['polkadot'],
  ARB: ['arbitrum'],
  OP: ['optimism'],
  APT: ['aptos'],
  INJ: ['injective'],
  ATOM: ['cosmos'],
  TIA: ['celestia'],
  TRX: ['tron'],
  BCH: ['bitcoin cash'],
  XMR: ['monero'],
  XLM: ['stellar'],
  HBAR: ['hedera'],
  SHIB: ['shiba inu', 'shiba'],
  PEPE: [],
  BONK: [],
  WIF: ['dogwifhat'],
  PENGU: ['pudgy penguins'],
  FARTCOIN: [],
  PUMP: ['pump.fun'],
  ENA: ['ethena'],
  ONDO: [],
  JUP: ['jupiter'],
  POL: ['polygon', 'matic'],
  FIL: ['filecoin'],
  ETC: ['ethereum classic'],
  ICP: ['internet computer'],
  KAS: ['kaspa'],
  SEI: [],
  LDO: ['lido'],
  MKR: ['maker'],
  CRV: ['curve'],
  MON: ['monad'],
  XPL: ['plasma'],
  ASTER: [],
  WLFI: ['world liberty financial'],
  UNI: ['uniswap'],
  AAVE: [],
  SPX: ['s&p 500', 's&p500', 's&p', 'sp500', 's&p 500 index'],
  NDX: ['nasdaq-100', 'nasdaq 100', 'nasdaq100'],
  DJI: ['dow jones', 'dow', 'dow jones industrial average'],
  RUT: ['russell 2000'],
  VIX: [],
  SPY: [],
  QQQ: [],
  NVDA: ['nvidia'],
  TSLA: ['tesla'],
  AAPL: ['apple'],
  AMZN: ['amazon'],
  MSFT: ['microsoft'],
  GOOGL: ['google', 'alphabet', 'google class a', 'alphabet class a', 'alphabet inc. class a', 'alphabet inc class a'],
  GOOG: ['google class c', 'alphabet class c', 'alphabet inc. class c', 'alphabet inc class c'],
  META: ['meta platforms'],
  NFLX: ['netflix'],
  COIN: ['coinbase'],
  MSTR: ['microstrategy', 'strategy'],
  PLTR: ['palantir'],
  AMD: [],
  INTC: ['intel'],
  HOOD: ['robinhood'],
  GME: ['gamestop'],
  CRCL: ['circle'],
  OPEN: ['opendoor'],
  RKLB: ['rocket lab'],
  WTI: ['wti crude oil', 'wti crude', 'wti oil', 'crude oil', 'oil'],
  BRENT: ['brent crude oil', 'brent crude', 'brent oil'],
  NATGAS: ['natural gas', 'nat gas', 'henry hub natural gas'],
  GOLD: ['xau', 'xauusd', 'spot gold'],
  SILVER: ['xag', 'xagusd', 'spot silver'],
  COPPER: [],
  PLATINUM: [],
  EURUSD: ['eur/usd', 'euro'],
  GBPUSD: ['gbp/usd'],
  USDJPY: ['usd/jpy'],
};

/** Symbols by names and symbols in lower case. */
export const SYMBOLS: ReadonlyMap<string, string> = new Map(
  Object.entries(NAMES).flatMap(([symbol, names]) =>
    [symbol.toLowerCase(), ...names].map((name) => [name, symbol] as const),
  ),
);

/**
 * Names with several symbols, of which a ticker beside the name selects one. A company's name alone is read as its
 * class A, with a doubt. An exchange's name alone is not read as an index, because it means the composite index as
 * often as the index of hundred.
 */
export const SHARED_NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ['alphabet', ['GOOGL', 'GOOG']],
  ['google', ['GOOGL', 'GOOG']],
  ['nasdaq', ['NDX']],
]);

/** Letters of share classes, by symbol. */
export const CLASS_LETTERS: Readonly<Record<string, string>> = { GOOGL: 'a', GOOG: 'c' };

/** Tickers that venues print in parentheses where they differ from the symbol. */
const TICKER_ALIASES: ReadonlyMap<string, string> = new Map([
  ['gc', 'GOLD'],
  ['si', 'SILVER'],
  ['cl', 'WTI'],
  ['ng', 'NATGAS'],
  ['hg', 'COPPER'],
  ['bz', 'BRENT'],
  ['xau', 'GOLD'],
  ['xauusd', 'GOLD'],
  ['xag', 'SILVER'],
  ['xagusd', 'SILVER'],
  ['xbt', 'BTC'],
  ['matic', 'POL'],
  ['sp500', 'SPX'],
]);

/** Returns the symbol of a ticker in parentheses, or null. Names are no tickers: `DOW` is a company, `Dow` an index. */
export function symbolOfTicker(ticker: string): string | null {
  const symbol = ticker.toUpperCase();
  return symbol in NAMES ? symbol : (TICKER_ALIASES.get(ticker.toLowerCase()) ?? null);
}

/**
 * Tickers of futures on assets whose plain name means the spot price. The plain names of crude oil and natural gas mean
 * the future itself.
 */
export const FUTURES_TICKERS: ReadonlySet<string> = new Set(['gc', 'si']);

/** Symbols that are also words or abbreviations: only in capitals do they mean the symbol. */
export const WORD_TICKERS: ReadonlySet<string> = new Set(
  'coin link open dot op sol apt ton atom hype pump hood uni pol mon ada etc rut spy'.split(' '),
);

/** Names that are also words: only with an initial capital do they mean the asset. */
export const WORD_NAMES: ReadonlySet<string> = new Set(
  (
    'alphabet amazon apple aster avalanche bonk circle cosmos curve dow injective intel jupiter lido maker meta monad ' +
    'near optimism plasma polygon ripple shiba stellar strategy tron'
  ).split(' '),
);

/** Assets traded on US exchanges, with an opening at half past nine and a close at four in New York. */
const EXCHANGE_TRADED = new Set(
  'SPX NDX DJI RUT VIX SPY QQQ NVDA TSLA AAPL AMZN MSFT GOOGL GOOG META NFLX COIN MSTR PLTR AMD INTC HOOD GME CRCL OPEN RKLB'.split(
    ' ',
  ),
);

/** True if a symbol closes with the US stock exchanges. */
export function isExchangeTraded(symbol: string): boolean {
  return EXCHANGE_TRADED.has(symbol);
}

/** Assets that are no coins and are traded around the clock or nearly so. */
const COMMODITIES_AND_CURRENCIES = new Set(
  'WTI BRENT NATGAS GOLD SILVER COPPER PLATINUM EURUSD GBPUSD USDJPY'.split(' '),
);

/** True if a symbol is a coin in the list of names. */
export function isCoin(symbol: string): boolean {
  return symbol in NAMES && !EXCHANGE_TRADED.has(symbol) && !COMMODITIES_AND_CURRENCIES.has(symbol);
}

/** True if a symbol is in the list of names. */
export function isKnownSymbol(symbol: string): boolean {
  return symbol in NAMES;
}
