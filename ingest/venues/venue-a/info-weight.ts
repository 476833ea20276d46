/** Weights of `info` requests (venue page, section 8). */
import { INTERVALS } from '#schemas/domain/candles/sources';
import type { InfoRequest, InfoType } from '#schemas/requests/venue-a-info';
import { STORED_BARS } from '#schemas/venues/venue-a/candle-snapshot';

const LIGHT: ReadonlySet<InfoType> = new Set(['l2Book', 'clearinghouseState', 'spotClearinghouseState']);
const LIGHT_WEIGHT = 2;
const OTHER_WEIGHT = 20;
const ACCOUNT_ROWS_OF_ONE = 20;
/** Rows that add one to the weight. */
const ROWS_OF_ONE: Partial<Record<InfoType, number>> = {
  userFills: ACCOUNT_ROWS_OF_ONE,
  historicalOrders: ACCOUNT_ROWS_OF_ONE,
  recentTrades: 20,
  candleSnapshot: 60,
};
/** The venue returns at most so many rows about an account. */
const ROWS_MAX = 2_000;
/** The venue returns fewer trades: a small batch. */
const TRADES_MAX = 200;

/** The weight of a response with that many rows. */
export function infoWeight(type: InfoType, rows: number): number {
  const base = LIGHT.has(type) ? LIGHT_WEIGHT : OTHER_WEIGHT;
  const rowsOfOne = ROWS_OF_ONE[type];
  return rowsOfOne === undefined ? base : base + Math.ceil(rows / rowsOfOne);
}

/** The weight of a response with that many rows about an account. */
export const rowsWeight = (rows: number): number => OTHER_WEIGHT + Math.ceil(rows / ACCOUNT_ROWS_OF_ONE);

/** The largest weight of a request, which is reserved before it is sent. */
export const infoWeightMax = ({ type, req }: Pick<InfoRequest, 'type' | 'req'>): number =>
  infoWeight(type, req ? barsMax(req) : type === 'recentTrades' ? TRADES_MAX : ROWS_MAX);

/** The bar that contains the start and the one that contains the end are both returned. */
function barsMax({ interval, startTime, endTime }: NonNullable<InfoRequest['req']>): number {
  const bars = Math.ceil((endTime - startTime) / INTERVALS[interval]) + 1;
  return Math.min(STORED_BARS, bars);
}
