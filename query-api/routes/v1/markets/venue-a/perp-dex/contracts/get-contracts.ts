import { CONTRACTS } from '../../../../../../markets/contracts.ts';
import { listRoute } from '../../../../../../markets/list-route.ts';

export const getContracts = listRoute(CONTRACTS);
