/** The API's table of contents: every route there is. A check compares it with the folder. */

import { getHealth } from './get-health.ts';
import { getProviders } from './get-providers.ts';
import type { Route } from './route.ts';
import { getArbitrage } from './v1/events/get-arbitrage.ts';
import { getEvents } from './v1/events/get-events.ts';
import { getSpread } from './v1/events/get-spread.ts';
import { getEventTrades } from './v1/events/get-trades.ts';
import { getCandles } from './v1/markets/venue-a/coins/get-candles.ts';
import { getCoin } from './v1/markets/venue-a/coins/get-coin.ts';
import { getCoins } from './v1/markets/venue-a/coins/get-coins.ts';
import { getOrderbook } from './v1/markets/venue-a/coins/get-orderbook.ts';
import { getCoinTrades } from './v1/markets/venue-a/coins/get-trades.ts';

export const ROUTES: readonly Route[] = [
  getHealth,
  getProviders,
  getEvents,
  getSpread,
  getArbitrage,
  getEventTrades,
  getCoins,
  getCoin,
  getOrderbook,
  getCoinTrades,
  getCandles,
];
