/** Reads what was published for an event in a period, reduced for a chart: the store returns a few rows of each bucket. */
import type { Parameter } from '#infra/store/store';
import { unixMs } from '#infra/store/unix-ms';
import { largestDistance } from '#schemas/domain/consensus-score';
import { type Decimal, parseDecimal } from '#schemas/domain/decimal';
import { marketKey } from '#schemas/domain/providers';
import type { Arbitrage, SpreadLeg } from '#schemas/topics/derived';
import { type Query, queryBatch, type Reader } from './query.ts';
import { type SampleBuckets, sampleBuckets } from './sample-buckets.ts';

/** A period, both ends included, and the buckets that it is reduced to. */
export interface SampledPeriod {
  readonly from: number;
  readonly to: number;
  readonly buckets: SampleBuckets;
}

interface Row {
  /** Unix ms. */
  readonly ts: number;
  readonly version: number;
}
export type LegPoint = Row &
  Pick<SpreadLeg, 'provider' | 'marketId' | 'yesBid' | 'yesAsk' | 'yesMid'> & {
    /** Of all legs of the record that the point is from. */
    readonly yesMids: readonly SpreadLeg['yesMid'][];
    readonly lives: readonly SpreadLeg['live'][];
  };
/** The largest distance between the yesMids of the live legs of a record; null with fewer than two. */
export type SpreadPoint = Row & { readonly spread: Decimal | null };
export type EdgePoint = Row & Pick<Arbitrage, 'kind' | 'netEdge' | 'size'>;
export type StateChange = Omit<Row, 'version'> & Pick<SpreadLeg, 'provider' | 'marketId' | 'state'>;

export interface SampledHistory {
  /** By `marketKey`, oldest first. */
  readonly legs: ReadonlyMap<string, readonly LegPoint[]>;
  /** One for each record that a point of a leg is from, oldest first. */
  readonly spreads: readonly SpreadPoint[];
  /** Oldest first. */
  readonly edges: readonly EdgePoint[];
  /** Oldest first. */
  readonly states: readonly StateChange[];
}

/** The newest changes of state that are returned. */
const STATES_MAX = 2_000;

/** A table as a series of rows with a value. */
interface Series {
  readonly name: string;
  readonly rows: string;
  /** What the rows are separated by. */
  readonly by: string;
  readonly value: string;
}

const IN_PERIOD = `h.universalId IN {ids:Array(String)}
  AND h.receivedAt >= fromUnixTimestamp64Milli({from:Int64}) AND h.receivedAt <= fromUnixTimestamp64Milli({to:Int64})`;
const TIMES = `${unixMs('h.receivedAt')} AS ts, toFloat64(h.version) AS version,
  intDiv(toUnixTimestamp64Milli(h.receivedAt) - {start:Int64}, {lengthMs:Int64}) AS bucket`;

const LEGS: Series = {
  name: 'leg-samples',
  rows: `SELECT ${TIMES}, provider, marketId, yesBid, yesAsk, yesMid, state,
      \`legs.yesMid\` AS yesMids, \`legs.live\` AS lives
    FROM spreads AS h
    ARRAY JOIN \`legs.provider\` AS provider, \`legs.marketId\` AS marketId, \`legs.yesBid\` AS yesBid,
      \`legs.yesAsk\` AS yesAsk, \`legs.yesMid\` AS yesMid, \`legs.state\` AS state
    WHERE ${IN_PERIOD}`,
  by: 'provider, marketId',
  value: 'yesMid',
};
const EDGES: Series = {
  name: 'edge-samples',
  rows: `SELECT ${TIMES}, kind, netEdge, size FROM arbitrage AS h WHERE ${IN_PERIOD}`,
  by: 'kind',
  value: 'netEdge',
};

/**
 * Reads the first, last, lowest and highest record of each bucket: of each leg by its yesMid, of each kind of arbitrage
 * by its net edge; and the changes of the states of legs.
 * @param universalIds the event and the events that were merged into it.
 */
export async function readSampledHistory(
  store: Reader,
  universalIds: readonly string[],
  period: SampledPeriod,
): Promise<SampledHistory> {
  const { from, to, buckets } = period;
  const parameters = { ids: universalIds, from, to, start: buckets.from, lengthMs: buckets.lengthMs };
  const [first, last, lowest, highest, ...others] = await queryBatch(store, [
    ...samplesOf<LegPoint>(LEGS, parameters),
    ...samplesOf<EdgePoint>(EDGES, parameters),
    stateChanges(parameters),
  ]);
  const [firstEdges, lastEdges, lowestEdges, highestEdges, states] = others;
  const keyOf = ({ provider, marketId }: LegPoint) => marketKey(provider, marketId);
  const legs = groupBy([...first, ...last, ...lowest, ...highest], keyOf);
  const kinds = groupBy([...firstEdges, ...lastEdges, ...lowestEdges, ...highestEdges], ({ kind }) => kind);
  const points = new Map([...legs].map(([key, rows]) => [key, sample(rows, buckets, ({ yesMid }) => yesMid)]));
  return {
    legs: points,
    spreads: spreadsOf([...points.values()].flat()),
    edges: [...kinds.values()].flatMap((rows) => sample(rows, buckets, ({ netEdge }) => netEdge)).sort(inOrder),
    states: [...states].reverse(),
  };
}

function spreadsOf(points: readonly LegPoint[]): SpreadPoint[] {
  const records = distinct(points).map(({ ts, version, yesMids, lives }) => {
    const legs = yesMids.map((yesMid, at) => ({ yesMid, live: lives[at]! }));
    return { ts, version, spread: largestDistance(legs) };
  });
  return records.sort(inOrder);
}

type Samples<T> = [Query<T[]>, Query<T[]>, Query<T[]>, Query<T[]>];

/** The queries for the first, the last, the lowest and the highest row of each bucket. */
function samplesOf<T>({ name, rows, by, value }: Series, parameters: Readonly<Record<string, Parameter>>): Samples<T> {
  const sampleBy = (order: string, condition = ''): Query<T[]> => ({
    name,
    sql: `SELECT * EXCEPT (bucket) FROM (${rows}) ${condition} ORDER BY ${order} LIMIT 1 BY ${by}, bucket`,
    parameters,
    parse: (found: T[]) => found,
  });
  const isKnown = `WHERE ${value} IS NOT NULL`;
  return [
    sampleBy('ts, version'),
    sampleBy('ts DESC, version DESC'),
    sampleBy(`${value}, ts, version`, isKnown),
    sampleBy(`${value} DESC, ts, version`, isKnown),
  ];
}

function stateChanges(parameters: Readonly<Record<string, Parameter>>): Query<StateChange[]> {
  return {
    name: 'leg-states',
    sql: `SELECT ts, provider, marketId, state
     FROM (
       SELECT ts, version, provider, marketId, state,
         row_number() OVER legs AS nth, lagInFrame(ifNull(state, '')) OVER legs AS before
       FROM (${LEGS.rows})
       WINDOW legs AS (PARTITION BY provider, marketId ORDER BY ts, version
         ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
     )
     WHERE nth = 1 OR ifNull(state, '') != before
     ORDER BY ts DESC, version DESC, provider DESC, marketId DESC
     LIMIT {statesMax:UInt32}`,
    parameters: { ...parameters, statesMax: STATES_MAX },
    parse: (rows: StateChange[]) => rows,
  };
}

function groupBy<T>(rows: readonly T[], keyOf: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}

function inOrder(a: Row, b: Row): number {
  return a.ts - b.ts || a.version - b.version;
}

/** The rows of each record once. */
function distinct<T extends Row>(rows: readonly T[]): T[] {
  return [...new Map(rows.map((row) => [`${row.ts} ${row.version}`, row])).values()];
}

/** Sorts the rows, of which several may be the same, and leaves those of each bucket that count. */
function sample<T extends Row>(rows: readonly T[], buckets: SampleBuckets, valueIn: (row: T) => string | null): T[] {
  const inTime = distinct(rows).sort(inOrder);
  const points = inTime.map((row) => {
    const value = valueIn(row);
    return { row, ts: row.ts, value: value === null ? null : parseDecimal(value) };
  });
  return sampleBuckets(points, buckets).map(({ row }) => row);
}
