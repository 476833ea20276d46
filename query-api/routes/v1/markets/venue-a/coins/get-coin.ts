import { COINS } from '../../../../../markets/coins.ts';
import { snapshotRoute } from '../../../../../markets/snapshot-route.ts';

export const getCoin = snapshotRoute(COINS);
