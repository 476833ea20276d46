import { COINS } from '../../../../../markets/coins.ts';
import { tradesRoute } from '../../../../../markets/trades-route.ts';

export const getCoinTrades = tradesRoute(COINS);
