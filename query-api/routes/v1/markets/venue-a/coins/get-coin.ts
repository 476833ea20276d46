import { z } from 'zod';
import { decimalNumberOrNull } from '#schemas/http/scalars';
import { defineRoute } from '../../../../route.ts';
import { coinPath, findCoin, noDataReceived } from './coin.ts';

const figure = (meaning: string) => z.number().nullable().describe(`${meaning}; null while the venue states none.`);

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
    markPx: figure('Mark price, USD'),
    oraclePx: figure('Oracle price, USD'),
    midPx: figure('Middle of the book, USD'),
    funding: figure('Funding rate per hour'),
    openInterest: figure('Open interest, coins'),
    dayNtlVlm: figure('Volume of the last 24 hours, USD'),
    dayBaseVlm: figure('Volume of the last 24 hours, coins'),
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
