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
  UNI: ['uniswap'],
  AAVE: [],
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

/** Words of what is measured about an asset and is not its price. */
const NO_ASSET = /\b(?:of|cap|capitalization|dominance|fdv|volume|supply|tvl|holdings|etf|index|gas|fees?|rate)\b/i;

/**
 * The symbol that a market's own rules give a name which is not known here: `Newcoin (NEWC)`, or the one pair they speak
 * of, `NEWC/USDT`, where the two begin alike.
 */
export function assetInRules(name: string, rules: string): string | null {
  if (!/^\w+(?: \w+)?$/.test(name) || NO_ASSET.test(name)) return null;
  const [, written] = new RegExp(String.raw`\b${name} \((\w{2,12})\)`, 'i').exec(rules) ?? [];
  if (written !== undefined) return assetOfField(written);
  const bases = new Set(Array.from(rules.matchAll(/\b([A-Z0-9]{2,12})\/(?:USDT?|USDC)\b/g), ([, base]) => base!));
  const [base] = bases;
  const isAlike = base?.[0]?.toLowerCase() === name[0]!.toLowerCase() && !name.includes(' ');
  return bases.size === 1 && isAlike ? assetOfField(base!) : null;
}
