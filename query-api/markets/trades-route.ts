import { z } from 'zod';
import type { Provider } from '#schemas/domain/providers';
import { clampedInteger } from '#schemas/http/parameters';
import { decimalNumber } from '#schemas/http/scalars';
import type { Instrument } from '#schemas/topics/normalised';
import { readTrades } from '../queries/read-trades.ts';
import { type Dependencies, defineRoute, producedAt, type Route } from '../routes/route.ts';
import { fetchRecentTrades, type RecentTrades } from '../upstream/read-recent-trades.ts';
import { findRecorded, type TradedFamily } from './family.ts';
import { marketDeclaration } from './family-route.ts';
import { joinTrades } from './join-trades.ts';

/** Reads the newest trades of a listed market from the venue if ingest does not subscribe them; null if it does. */
async function readIfLeftOut(
  family: TradedFamily,
  instrument: Instrument,
  { views, ingest }: Pick<Dependencies, 'views' | 'ingest'>,
): Promise<RecentTrades | null> {
  const { provider, coin, tradesLeftOut } = instrument;
  if (!tradesLeftOut || !family.isListed(views.coins.venue_a, instrument) || !views.freshness.isLive()) return null;
  return fetchRecentTrades(ingest, provider as Provider, coin);
}

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
    async handle({ params, query: { limit } }, dependencies) {
      const instrument = findRecorded(family, dependencies.views.coins.venue_a, params);
      const { coin, provider } = instrument;
      const instruments = [{ provider, instrument: coin }];
      const [recorded, recent] = await Promise.all([
        readTrades(dependencies.store, { instruments, limit, until: null }),
        readIfLeftOut(family, instrument, dependencies),
      ]);
      const trades = recent ? joinTrades(recent.trades, recorded, limit) : recorded;
      return producedAt(recent?.fetchedAt ?? null, {
        trades: trades.map(({ price, qty, side, ts, txHash }) => ({
          [label.field]: label.of(instrument),
          price: decimalNumber(price),
          size: decimalNumber(qty),
          side,
          ts,
          txHash,
        })),
      });
    },
  });
}
