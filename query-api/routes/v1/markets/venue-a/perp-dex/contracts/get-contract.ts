import { CONTRACTS } from '../../../../../../markets/contracts.ts';
import { snapshotRoute } from '../../../../../../markets/snapshot-route.ts';

export const getContract = snapshotRoute(CONTRACTS);
