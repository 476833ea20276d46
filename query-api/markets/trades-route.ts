import { z } from 'zod';
import { clampedInteger } from '#schemas/http/parameters';
import { decimalNumber } from '#schemas/http/scalars';
import { readTrades } from '../queries/read-trades.ts';
import { defineRoute, type Route } from '../routes/route.ts';
import { findRecorded, type TradedFamily } from './family.ts';
import { marketDeclaration } from './family-route.ts';

/** The route with the newest trades of a market. */
export function tradesRoute(family: TradedFamily): Route {
  const { noun, label, units } = family;
  return defineRoute({
    ...marketDeclaration(family, '/trades'),
    cacheTtlMs: 5_000,
    summary: `Trades of one ${noun}, newest first; side buy means that the taker bought.`,
    query: z.object({ limit: clampedInteger({ min: 1, max: 200, fallback: 50 }) }),
    response: z.object({
      trades: z
        .array(
          z.object({
            [label.field]: z.string().describe(`The ${label.field}.`),
            price: z.number().describe(`Price, ${units.price}.`),
            size: z.number().describe(`Size, ${units.size}.`),
            side: z.enum(['buy', 'sell']).describe('The side of the taker.'),
            ts: z.number().int().describe("The venue's time, unix ms."),
            txHash: z.string().nullable().describe('Hash of the transaction; null where there is none.'),
          }),
        )
        .describe('Newest first.'),
    }),
    async handle({ params, query }, { views, store }) {
      const instrument = findRecorded(family, views.coins.venue_a, params);
      const { coin, provider } = instrument;
      const instruments = [{ provider, instrument: coin }];
      const trades = await readTrades(store, { instruments, limit: query.limit, until: null });
      return {
        trades: trades.map(({ price, qty, side, ts, txHash }) => ({
          [label.field]: label.of(instrument),
          price: decimalNumber(price),
          size: decimalNumber(qty),
          side,
          ts,
          txHash,
        })),
      };
    },
  });
}
