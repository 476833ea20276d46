import { orderbookRoute } from '../../../../../../markets/orderbook-route.ts';
import { PAIRS } from '../../../../../../markets/pairs.ts';

export const getPairOrderbook = orderbookRoute(PAIRS);
