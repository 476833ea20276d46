/**
 * The fixed market data of sandbox keys: records that the pipeline derived from simulated venues, in the topics from
 * which views and market tables are derived. Sandbox views and rows are derived from them with the same declarations as
 * the live ones.
 */
import type { Heads, Stage } from '#infra/stages/stage';
import { PRICE_VENUES } from '#schemas/domain/providers';
import type { TableRow } from '#schemas/tables/declaration';
import { TABLES } from '#schemas/tables/index';
import { rowKey, type TableSpec } from '#schemas/tables/table';
import { bookTopics } from '#schemas/topics/normalised';
import type { Topic } from '#schemas/topics/topic';
import { fixedFreshness } from '../views/freshness.ts';
import { VIEWS, type Views } from '../views/views.ts';

/** A decoded record with its position in the log that generated it. */
export interface DataSetRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly seq: number;
  readonly key: string;
  /** Event time, unix ms. */
  readonly receivedAt: number;
  readonly value: unknown;
}

/**
 * Tables of market data. The other tables hold data of organizations, where a sandbox key sees that of its own
 * organization.
 */
export const MARKET_TABLES = TABLES.filter(({ holds }) => holds === 'market');

const TABLE_BY_TOPIC: ReadonlyMap<string, TableSpec> = new Map(
  MARKET_TABLES.flatMap((table) => table.fromTopics.map(({ name }) => [name, table] as const)),
);

/** Topics of books of which every update is a complete book. */
const COMPLETE_BOOKS: ReadonlySet<string> = new Set(PRICE_VENUES.map((venue) => bookTopics[venue].name));

/** The views of the data set. Series of accounts follow from responses of venues instead (`seriesIn`). */
const DATA_SET_VIEWS = Object.values(VIEWS).filter((view) => view !== VIEWS.accountSeries);

/** All topics of the data set by name: the inputs of views and of market tables. */
export const DATA_SET_TOPICS: ReadonlyMap<string, Topic> = new Map(
  [
    ...DATA_SET_VIEWS.flatMap(({ inputs }) => inputs.map(({ topic }) => topic)),
    ...MARKET_TABLES.flatMap(({ fromTopics }) => fromTopics),
  ].map((topic) => [topic.name, topic]),
);

/** Topics whose records are only changes of what heads contain: of them each one after the newest head is needed. */
export const CHANGES_OF_HEADS: ReadonlyMap<string, Heads> = new Map(
  Object.values(VIEWS).flatMap(({ inputs }) =>
    inputs.flatMap(({ topic, heads }) => (heads && !COMPLETE_BOOKS.has(topic.name) ? [[topic.name, heads]] : [])),
  ),
);

/**
 * Identity of a record: of records with the same identity only the newest is needed. It is the row key for records of a
 * table, otherwise the record key, which is enough for a view unless the records are changes of heads.
 */
export function recordIdentity(topic: Topic, record: DataSetRecord): string {
  if (CHANGES_OF_HEADS.has(topic.name)) return `${record.partition}/${record.offset}`;
  const table = TABLE_BY_TOPIC.get(topic.name);
  return table && topic.retention.kind !== 'compacted' ? rowKey(table, table.row(record.value, record)) : record.key;
}

/** The views after processing all records, which must be in merge order. */
export function viewsOf(records: readonly DataSetRecord[]): Views {
  const events = stateAfter(VIEWS.events, records);
  return {
    events,
    coins: stateAfter(VIEWS.coins, records),
    books: stateAfter(VIEWS.books, records),
    questionBooks: stateAfter(VIEWS.questionBooks, records),
    leaderboards: stateAfter(VIEWS.leaderboards, records),
    nodeFillCoverage: stateAfter(VIEWS.nodeFillCoverage, records),
    ledgers: stateAfter(VIEWS.ledgers, records),
    accountValues: stateAfter(VIEWS.accountValues, records),
    accountSeries: VIEWS.accountSeries.initialState(),
    seriesAttempts: new Map(),
    snapshotHeads: stateAfter(VIEWS.snapshotHeads, records),
    freshness: fixedFreshness(events),
  };
}

function stateAfter<S>({ inputs, initialState }: Stage<S>, records: readonly DataSetRecord[]): S {
  const state = initialState();
  const handlers = new Map(inputs.map(({ topic, handle }) => [topic.name, handle]));
  // A view emits nothing, so it needs no emit function.
  for (const record of records) handlers.get(record.topic)?.(state, record as never, undefined as never);
  return state;
}

/** The rows of each table of market data. */
export function rowsOf(records: readonly DataSetRecord[]): ReadonlyMap<TableSpec, readonly TableRow[]> {
  const rows = new Map<TableSpec, TableRow[]>(MARKET_TABLES.map((table) => [table, []]));
  for (const record of records) {
    const table = TABLE_BY_TOPIC.get(record.topic);
    if (table) rows.get(table)!.push(table.row(record.value, record));
  }
  return rows;
}
