import { z } from 'zod';
import { decimalNumberOrNull } from '#schemas/http/scalars';
import { defineRoute } from '../../../../route.ts';
import { coinPath, findCoin, noDataReceived } from './coin.ts';

const figure = z.number().nullable();

export const getCoin = defineRoute({
  method: 'GET',
  path: '/v1/markets/venue_a/coins/:coin',
  scope: 'read',
  sku: 'markets.read',
  cacheTtlMs: 5_000,
  summary: 'The newest figures of a coin; funding is an hourly rate.',
  params: coinPath,
  query: z.object({}),
  response: z.object({
    coin: z.string().describe('The coin.'),
    markPx: figure.describe('Mark price, USD.'),
    oraclePx: figure.describe('Oracle price, USD.'),
    midPx: figure.describe('Middle of the book, USD.'),
    funding: figure.describe('Funding rate per hour.'),
    openInterest: figure.describe('Open interest, coins.'),
    dayNtlVlm: figure.describe('Volume of the last 24 hours, USD.'),
    dayBaseVlm: figure.describe('Volume of the last 24 hours, coins.'),
  }),
  handle({ params }, { views }) {
    const instrument = findCoin(views.coins.venue_a, params.coin);
    const { coin } = instrument;
    const context = views.coins.venue_a.contexts.get(coin);
    if (!context) throw noDataReceived(instrument, `no figures of ${coin} have been received from the venue yet`);
    return {
      coin,
      markPx: decimalNumberOrNull(context.markPrice),
      oraclePx: decimalNumberOrNull(context.oraclePrice),
      midPx: decimalNumberOrNull(context.midPrice),
      funding: decimalNumberOrNull(context.funding),
      openInterest: decimalNumberOrNull(context.openInterest),
      dayNtlVlm: decimalNumberOrNull(context.dayNotionalVolume),
      dayBaseVlm: decimalNumberOrNull(context.dayBaseVolume),
    };
  },
});
