/**
 * The market families with a market each. Every test that needs a market of each family reads this list: those of the
 * routes, of the sandbox and of fuzzed requests.
 */
import type { Instrument } from '#schemas/topics/normalised';
import { aContract, anInstrument, aPair } from '../testing/records.fixture.ts';
import { COINS } from './coins.ts';
import { CONTRACTS } from './contracts.ts';
import type { Family, Names } from './family.ts';
import { PAIRS } from './pairs.ts';

/** What all tests of families need to know of one. */
export interface FamilyCase {
  readonly family: Family;
  readonly plural: string;
  /** Path of the list. */
  readonly list: string;
  /** The names within which its made market is, by parameter; none for most families. */
  readonly within: Names;
  readonly make: (fields?: Partial<Instrument>) => Instrument;
  /** Name of the made market in paths. */
  readonly name: string;
  /** Fields that give the market another name, and that name. */
  readonly renamed: Partial<Instrument>;
  readonly otherName: string;
  /** Fields of a market whose name does not match the pattern, and that name. */
  readonly odd: Partial<Instrument>;
  readonly oddName: string;
  readonly row: object;
  readonly snapshot: object;
  /** How a book and a trade name the market; null for a family without books and trades. */
  readonly label: object | null;
  /** True if its candles state where their minutes come from. */
  readonly hasCandleSource: boolean;
  readonly malformed: readonly string[];
  readonly unknown: readonly string[];
}

export const ROOT = '/v1/markets/venue_a';
const FIGURES = [100000.5, 100001, 100000.25, 0.0000125, 31234.5, 123456789.25, 1234.5] as const;
const [MARK, ORACLE, MID, FUNDING, INTEREST, NOTIONAL, BASE] = FIGURES;

export const CASES: readonly FamilyCase[] = [
  {
    family: COINS,
    plural: 'coins',
    list: `${ROOT}/coins`,
    within: {},
    make: anInstrument,
    name: 'BTC',
    renamed: { coin: 'ETH' },
    otherName: 'ETH',
    odd: { coin: 'A_B' },
    oddName: 'A_B',
    row: { name: 'BTC', sizeDecimals: 5, maxLeverage: 40 },
    snapshot: {
      coin: 'BTC',
      markPx: MARK,
      oraclePx: ORACLE,
      midPx: MID,
      funding: FUNDING,
      openInterest: INTEREST,
      dayNtlVlm: NOTIONAL,
      dayBaseVlm: BASE,
    },
    label: { coin: 'BTC' },
    hasCandleSource: true,
    malformed: ['@107', '#10', 'A/B', 'HYPE-USDC', 'X'.repeat(21), 'x'.repeat(5_000), 'ß', '*', 'xyz:', 'XYZ:TSLA'],
    unknown: ['DOGE', 'btc', 'orb:GOLD', 'xyz:TSLA', '__proto__'.replaceAll('_', '')],
  },
  {
    family: PAIRS,
    plural: 'pairs',
    list: `${ROOT}/spot/pairs`,
    within: {},
    make: aPair,
    name: 'HYPE-USDC',
    renamed: { coin: '@142', base: 'UBTC', index: 142 },
    otherName: 'UBTC-USDC',
    odd: { base: 'A_B', coin: '@9' },
    oddName: 'A_B-USDC',
    row: {
      name: 'HYPE/USDC',
      pair: 'HYPE-USDC',
      baseToken: 'HYPE',
      quoteToken: 'USDC',
      baseDecimals: 2,
      quoteDecimals: 8,
      index: 107,
    },
    snapshot: {
      pair: 'HYPE-USDC',
      markPrice: MARK,
      midPrice: MID,
      prevDayPrice: 99000,
      dayChangePct: 1.0106060606060605,
      dayNotionalVolume: NOTIONAL,
      dayBaseVolume: BASE,
    },
    label: { pair: 'HYPE-USDC' },
    hasCandleSource: false,
    malformed: ['HYPE', 'HYPE/USDC', '@107', 'HYPE-', '-USDC', 'A-B-C', `${'A'.repeat(21)}-USDC`, 'A_B-C'],
    unknown: ['USDC-HYPE', 'hype-usdc', 'BTC-USDC'],
  },
  {
    family: CONTRACTS,
    plural: 'contracts',
    list: `${ROOT}/perp-dex/orb/contracts`,
    within: { dex: 'orb' },
    make: aContract,
    name: 'GOLD',
    renamed: { coin: 'orb:OIL' },
    otherName: 'OIL',
    odd: { coin: 'orb:A_B' },
    oddName: 'A_B',
    row: { symbol: 'GOLD', upstreamCoin: 'orb:GOLD', decimals: 5, maxLeverage: 20 },
    snapshot: {
      symbol: 'GOLD',
      markPrice: MARK,
      oraclePrice: ORACLE,
      midPrice: MID,
      fundingRate: FUNDING,
      openInterest: INTEREST,
      dayNotionalVolume: NOTIONAL,
      dayBaseVolume: BASE,
    },
    label: { coin: 'orb:GOLD' },
    hasCandleSource: true,
    malformed: ['orb:GOLD', '@1', 'X'.repeat(21), 'A-B'],
    unknown: ['OIL', 'gold', 'BTC'],
  },
];

/** Names of the made markets of all families, by parameter. */
export const ALL_NAMES: Names = Object.assign(
  {},
  ...CASES.map(({ family, within, name }) => ({ ...within, [family.name.parameter]: name })),
);
