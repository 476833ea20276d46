/** Weights of `info` requests (venue page, section 8). */
import type { InfoType } from '#schemas/requests/venue-a-info';

const LIGHT: ReadonlySet<InfoType> = new Set(['l2Book', 'clearinghouseState', 'spotClearinghouseState']);
const LIGHT_WEIGHT = 2;
const OTHER_WEIGHT = 20;
/** Requests whose weight grows by one for each 20 rows. The venue returns at most 2,000. */
const WEIGHED_BY_ROWS: ReadonlySet<InfoType> = new Set(['userFills', 'historicalOrders']);
const ROWS_OF_ONE = 20;
const ROWS_MAX = 2_000;

/** The weight of a response with that many rows. */
export function infoWeight(type: InfoType, rows: number): number {
  const base = LIGHT.has(type) ? LIGHT_WEIGHT : OTHER_WEIGHT;
  return WEIGHED_BY_ROWS.has(type) ? base + Math.ceil(rows / ROWS_OF_ONE) : base;
}

/** The largest weight of a request, which is reserved before it is sent. */
export const infoWeightMax = (type: InfoType): number => infoWeight(type, ROWS_MAX);
