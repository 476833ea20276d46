import { COINS } from '../../../../../markets/coins.ts';
import { orderbookRoute } from '../../../../../markets/orderbook-route.ts';

export const getCoinOrderbook = orderbookRoute(COINS);
