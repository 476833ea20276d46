import { COINS } from '../../../../../markets/coins.ts';
import { listRoute } from '../../../../../markets/list-route.ts';

export const getCoins = listRoute(COINS);
