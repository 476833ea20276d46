import { PAIRS } from '../../../../../../markets/pairs.ts';
import { snapshotRoute } from '../../../../../../markets/snapshot-route.ts';

export const getPair = snapshotRoute(PAIRS);
