import { candlesRoute } from '../../../../../markets/candles-route.ts';
import { COINS } from '../../../../../markets/coins.ts';

export const getCoinCandles = candlesRoute(COINS);
