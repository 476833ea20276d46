import { candlesRoute } from '../../../../../../markets/candles-route.ts';
import { CONTRACTS } from '../../../../../../markets/contracts.ts';

export const getContractCandles = candlesRoute(CONTRACTS);
