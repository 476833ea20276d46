import { z } from 'zod';
import { decimalNumberOrNull } from '#schemas/http/scalars';
import type { Instrument } from '#schemas/topics/normalised';
import type { TradedFamily } from './family.ts';
import { figure } from './figure.ts';

const isCoin = ({ provider, kind }: Instrument) => provider === 'venue_a_perp' && kind === 'perp';

const row = z.object({
  name: z.string().describe('The coin.'),
  sizeDecimals: z.number().int().describe('Decimals of its sizes.'),
  maxLeverage: z.number().int().nullable().describe('The largest leverage; null where the venue states none.'),
});

const snapshot = z.object({
  coin: z.string().describe('The coin.'),
  markPx: figure('Mark price, USD'),
  oraclePx: figure('Oracle price, USD'),
  midPx: figure('Middle of the book, USD'),
  funding: figure('Funding rate per hour'),
  openInterest: figure('Open interest, coins'),
  dayNtlVlm: figure('Volume of the last 24 hours, USD'),
  dayBaseVlm: figure('Volume of the last 24 hours, coins'),
});

/** Perpetuals of the main dex, such as `BTC`. */
export const COINS: TradedFamily<z.infer<typeof row>, z.infer<typeof snapshot>> = {
  path: '/v1/markets/venue_a/coins',
  noun: 'coin',
  plural: 'coins',
  within: [],
  name: {
    parameter: 'coin',
    description: 'A perpetual of the main dex, such as BTC.',
    // A name of a contract is well-formed, although it is never a coin of the main dex.
    pattern: /^(?:[a-z0-9]{1,6}:)?[A-Za-z0-9]{1,20}$/,
    accepts: '1 to 20 letters and digits',
    unknown: 'unknown_coin',
  },
  units: { price: 'USD', size: 'coins' },
  all: ({ instruments }) => [...instruments.values()].filter(isCoin),
  isReceived: ({ instruments }) => [...instruments.values()].some(isCoin),
  find: ({ instruments }, { coin }) => {
    const instrument = instruments.get(coin!);
    return instrument && isCoin(instrument) ? instrument : null;
  },
  isListed: (_coins, { delisted }) => !delisted,
  label: { field: 'coin', of: ({ coin }) => coin },
  row: { shape: row, of: ({ coin, sizeDecimals, maxLeverage }) => ({ name: coin, sizeDecimals, maxLeverage }) },
  snapshot: {
    shape: snapshot,
    of: ({ coin }, context) => ({
      coin,
      markPx: decimalNumberOrNull(context.markPrice),
      oraclePx: decimalNumberOrNull(context.oraclePrice),
      midPx: decimalNumberOrNull(context.midPrice),
      funding: decimalNumberOrNull(context.funding),
      openInterest: decimalNumberOrNull(context.openInterest),
      dayNtlVlm: decimalNumberOrNull(context.dayNotionalVolume),
      dayBaseVlm: decimalNumberOrNull(context.dayBaseVolume),
    }),
  },
  hasCandleSource: true,
};
