import { candlesRoute } from '../../../../../../markets/candles-route.ts';
import { PAIRS } from '../../../../../../markets/pairs.ts';

export const getPairCandles = candlesRoute(PAIRS);
