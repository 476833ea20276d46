import { PAIRS } from '../../../../../../markets/pairs.ts';
import { tradesRoute } from '../../../../../../markets/trades-route.ts';

export const getPairTrades = tradesRoute(PAIRS);
