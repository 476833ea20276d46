import { listRoute } from '../../../../../../markets/list-route.ts';
import { PAIRS } from '../../../../../../markets/pairs.ts';

export const getPairs = listRoute(PAIRS);
