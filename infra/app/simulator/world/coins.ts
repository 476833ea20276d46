import { hashOf, STREAM, uniformOf } from './hash.ts';

/** Something with a price: the underlying of perpetuals, spot pairs and questions. */
export interface Asset {
  readonly symbol: string;
  /** Name in question texts. */
  readonly name: string;
  /** Central price, USD. */
  readonly basePx: number;
  /** Volatility relative to Bitcoin's. */
  readonly volatility: number;
  /** Relative share of the events. */
  readonly weight: number;
  /** Key in the hash of its price. */
  readonly key: number;
}

const KNOWN: readonly [symbol: string, name: string, basePx: number, volatility: number][] = [
  ['BTC', 'Bitcoin', 62_000, 1],
  ['ETH', 'Ethereum', 2_450, 1.2],
  ['SOL', 'Solana', 148, 1.4],
  ['XRP', 'XRP', 2.1, 1.3],
  ['DOGE', 'Dogecoin', 0.21, 1.6],
  ['BNB', 'BNB', 640, 1],
  ['AVAX', 'Avalanche', 27, 1.5],
  ['SUI', 'Sui', 3.1, 1.7],
  ['NEAR', 'NEAR', 4.2, 1.5],
  ['TON', 'Toncoin', 5.1, 1.2],
  ['WLD', 'Worldcoin', 1.9, 1.8],
  ['ZEC', 'Zcash', 48, 1.6],
  ['TAO', 'Bittensor', 410, 1.7],
  ['ADA', 'Cardano', 0.62, 1.4],
  ['LINK', 'Chainlink', 14.5, 1.3],
  ['HYPE', 'Hyperliquid', 24, 1.8],
  ['kPEPE', 'Pepe', 0.0112, 2],
  ['LTC', 'Litecoin', 84, 1.1],
  ['DOT', 'Polkadot', 6.3, 1.3],
  ['ARB', 'Arbitrum', 0.71, 1.6],
  ['OP', 'Optimism', 1.6, 1.6],
  ['APT', 'Aptos', 8.4, 1.5],
  ['INJ', 'Injective', 21, 1.7],
  ['ATOM', 'Cosmos', 7.9, 1.2],
  ['TIA', 'Celestia', 5.6, 1.8],
];
const SYLLABLES = 'BA CO DE FI GO HU JA KI LO MU NE OR PA RU SO TE UM VA WI ZO'.split(' ');

/** Symbol of a coin beyond the known ones: two syllables for the first 400, then three. */
function inventedSymbol(index: number): string {
  const size = SYLLABLES.length;
  const syllable = (at: number) => SYLLABLES[Math.floor(index / size ** at) % size];
  return `${syllable(0)}${syllable(1)}${index < size ** 2 ? '' : syllable(2)}X`;
}

/** Creates `count` coins: BTC, ETH, SOL, then others. Their share of events decreases with their rank. */
export function makeCoins(seed: number, count: number): readonly Asset[] {
  return Array.from({ length: count }, (_, index) => {
    const known = KNOWN[index];
    const weight = 1 / (1 + index) ** 0.7;
    if (known) {
      const [symbol, name, basePx, volatility] = known;
      return { symbol, name, basePx, volatility, weight, key: index };
    }
    const symbol = inventedSymbol(index - KNOWN.length);
    const name = symbol.charAt(0) + symbol.slice(1).toLowerCase();
    const basePx = 10 ** (uniformOf(seed, STREAM.coin, index) * 4 - 2);
    return {
      symbol,
      name,
      basePx,
      volatility: 1 + (hashOf(seed, STREAM.coin, index, 1) % 100) / 80,
      weight,
      key: index,
    };
  });
}
