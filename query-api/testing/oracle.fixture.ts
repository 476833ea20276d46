/** Records and rows of disputes, resolutions, anomalies and their markets for tests. */
import type { Store } from '#infra/store/store';
import { anomaliesTable } from '#schemas/tables/anomalies';
import { disputePhasesTable } from '#schemas/tables/dispute-phases';
import { marketsTable } from '#schemas/tables/markets';
import { resolutionsTable } from '#schemas/tables/resolutions';
import * as blank from '#schemas/testing/records.fixture';
import type { Anomaly } from '#schemas/topics/anomalies';
import { type Market, marketTopics } from '#schemas/topics/normalised';
import type { DisputePhase, Resolution } from '#schemas/topics/oracle';
import { insertRows } from './insert-rows.fixture.ts';
import { NOON_MS } from './records.fixture.ts';

type Inserter = Pick<Store, 'insert'>;
const OF_MARKET = { marketId: '0xmarket', receivedAt: NOON_MS };
const CONFIRMED = { blockHash: '0xblock', status: 'confirmed' as const };

export function aPhase(fields: Partial<DisputePhase> = {}): DisputePhase {
  return blank.aPhase({
    ...OF_MARKET,
    questionId: '0xquestion',
    ts: NOON_MS,
    requestTimestamp: 1_700_000_000,
    blockNumber: 70,
    ...CONFIRMED,
    ...fields,
  });
}

export function aResolution(fields: Partial<Resolution> = {}): Resolution {
  const times = { resolvedAt: NOON_MS, endTime: NOON_MS - 3_600_400 };
  return blank.aResolution({ ...OF_MARKET, ...times, blockNumber: 71, ...CONFIRMED, ...fields });
}

export function anAnomaly(fields: Partial<Anomaly> = {}): Anomaly {
  const values = { bucketVol: '5200.5', value: '5200.5', zScore: '11.00125' };
  return blank.anAnomaly({ ...OF_MARKET, ts: NOON_MS, ...values, ...fields });
}

export function aMarket(fields: Partial<Market> = {}): Market {
  const closed = { active: false, closed: true };
  return blank.aMarket({ ...OF_MARKET, title: 'A question?', instruments: ['111', '222'], ...closed, ...fields });
}

export const insertPhases = (store: Inserter, phases: readonly DisputePhase[], seq = 1) =>
  insertRows(store, disputePhasesTable, phases, seq);
export const insertResolutions = (store: Inserter, resolutions: readonly Resolution[], seq = 1) =>
  insertRows(store, resolutionsTable, resolutions, seq);
export const insertAnomalies = (store: Inserter, anomalies: readonly Anomaly[], seq = 1) =>
  insertRows(store, anomaliesTable, anomalies, seq);
/** Inserts markets of one venue. */
export const insertMarkets = (store: Inserter, venue: 'venue_a' | 'venue_b', markets: readonly Market[], seq = 1) =>
  insertRows(store, marketsTable, markets, seq, marketTopics[venue].name);
