/** The limit of the REST weight, as the venue counts it (venue page, section 8). */

const WINDOW_MS = 60_000;
export const WEIGHT_MAX = 1_200;
const LIGHT = new Set([
  'l2Book',
  'allMids',
  'clearinghouseState',
  'orderStatus',
  'spotClearinghouseState',
  'exchangeStatus',
]);
/** Rows that add one to the weight. */
const ROWS: Readonly<Record<string, number>> = {
  recentTrades: 20,
  historicalOrders: 20,
  userFills: 20,
  fundingHistory: 20,
  candleSnapshot: 60,
};

/** Weight of a request before its response is known. */
const baseWeight = (type: string): number => (LIGHT.has(type) ? 2 : type === 'userRole' ? 60 : 20);

export interface WeightLimit {
  /** Counts a request at a time; false if the limit refuses it. */
  accept(type: string, atMs: number): boolean;
  /** Adds the weight of the rows of a response. */
  addRows(type: string, text: string, atMs: number): void;
  used(atMs: number): number;
}

export function createWeightLimit(): WeightLimit {
  let spent: { readonly atMs: number; readonly weight: number }[] = [];
  const used = (atMs: number) => {
    spent = spent.filter((entry) => entry.atMs > atMs - WINDOW_MS);
    return spent.reduce((sum, { weight }) => sum + weight, 0);
  };
  return {
    used,
    accept(type, atMs) {
      const weight = baseWeight(type);
      if (used(atMs) + weight > WEIGHT_MAX) return false;
      spent.push({ atMs, weight });
      return true;
    },
    addRows(type, text, atMs) {
      const rows = ROWS[type];
      if (rows === undefined) return;
      const list: unknown = JSON.parse(text);
      if (Array.isArray(list)) spent.push({ atMs, weight: Math.ceil(list.length / rows) });
    },
  };
}
