import { z } from 'zod';
import { decimalNumberOrNull } from '#schemas/http/scalars';
import type { Instrument } from '#schemas/topics/normalised';
import type { CoinsOfVenue } from '../views/coins.ts';
import type { Name, TradedFamily } from './family.ts';
import { figure } from './figure.ts';

/** The symbol of a contract: its coin without the prefix of its dex. */
const symbolOf = ({ coin, dex }: Instrument) => coin.slice((dex ?? '').length + 1);
const isListedDex = ({ perpDexes }: CoinsOfVenue, dex: string | null) =>
  dex !== null && perpDexes.get(dex)?.delisted === false;

const row = z.object({
  symbol: z.string().describe('The contract, such as TSLA.'),
  upstreamCoin: z.string().describe('Its coin at the venue, `<dex>:<symbol>`.'),
  decimals: z.number().int().describe('Decimals of its sizes.'),
  maxLeverage: z.number().int().nullable().describe('The largest leverage; null where the venue states none.'),
});

const snapshot = z.object({
  symbol: z.string().describe('The contract.'),
  markPrice: figure('Mark price'),
  oraclePrice: figure('Oracle price'),
  midPrice: figure('Middle of the book'),
  fundingRate: figure('Funding rate per hour'),
  openInterest: figure('Open interest, contracts'),
  dayNotionalVolume: figure('Volume of the last 24 hours, in the money of the dex'),
  dayBaseVolume: figure('Volume of the last 24 hours, contracts'),
});

/** The name of a builder dex. */
export const DEX: Name = {
  parameter: 'dex',
  description: 'A builder dex, such as xyz.',
  pattern: /^[a-z0-9]{1,6}$/,
  accepts: '1 to 6 lower-case letters and digits',
  unknown: 'unknown_dex',
  isListed: isListedDex,
};

/** Perpetuals of builders' dexes, such as `TSLA` of `xyz`. */
export const CONTRACTS: TradedFamily<z.infer<typeof row>, z.infer<typeof snapshot>> = {
  path: '/v1/markets/venue_a/perp-dex/:dex/contracts',
  noun: 'contract',
  plural: 'contracts',
  within: [DEX],
  name: {
    parameter: 'symbol',
    description: 'A contract of the dex, without its prefix, such as TSLA.',
    pattern: /^[A-Za-z0-9]{1,20}$/,
    accepts: '1 to 20 letters and digits',
    unknown: 'unknown_symbol',
  },
  units: { price: 'in the money of the dex', size: 'contracts' },
  all: ({ instruments }, { dex }) => [...instruments.values()].filter((instrument) => instrument.dex === dex),
  // One list has the contracts of all dexes.
  isReceived: ({ instruments }) => [...instruments.values()].some(({ dex }) => dex !== null),
  find: ({ instruments }, { dex, symbol }) => {
    const instrument = instruments.get(`${dex}:${symbol}`);
    return instrument?.dex === dex ? instrument! : null;
  },
  isListed: (coins, { delisted, dex }) => !delisted && isListedDex(coins, dex),
  label: { field: 'coin', of: ({ coin }) => coin },
  row: {
    shape: row,
    of: (instrument) => {
      const { coin, sizeDecimals, maxLeverage } = instrument;
      return { symbol: symbolOf(instrument), upstreamCoin: coin, decimals: sizeDecimals, maxLeverage };
    },
  },
  snapshot: {
    shape: snapshot,
    of: (instrument, context) => ({
      symbol: symbolOf(instrument),
      markPrice: decimalNumberOrNull(context.markPrice),
      oraclePrice: decimalNumberOrNull(context.oraclePrice),
      midPrice: decimalNumberOrNull(context.midPrice),
      fundingRate: decimalNumberOrNull(context.funding),
      openInterest: decimalNumberOrNull(context.openInterest),
      dayNotionalVolume: decimalNumberOrNull(context.dayNotionalVolume),
      dayBaseVolume: decimalNumberOrNull(context.dayBaseVolume),
    }),
  },
  hasCandleSource: true,
};
