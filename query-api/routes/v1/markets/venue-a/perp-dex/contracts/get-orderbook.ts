import { CONTRACTS } from '../../../../../../markets/contracts.ts';
import { orderbookRoute } from '../../../../../../markets/orderbook-route.ts';

export const getContractOrderbook = orderbookRoute(CONTRACTS);
