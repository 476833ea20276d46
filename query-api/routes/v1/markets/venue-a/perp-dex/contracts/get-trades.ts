import { CONTRACTS } from '../../../../../../markets/contracts.ts';
import { tradesRoute } from '../../../../../../markets/trades-route.ts';

export const getContractTrades = tradesRoute(CONTRACTS);
