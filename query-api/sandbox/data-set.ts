/**
 * The market data that sandbox keys are answered from, the same for everyone and for good: what the pipeline made of a
 * simulated world, as records of the topics that views and tables of market data come from. Views and rows are derived
 * from these records by the declarations that the live ones are derived by.
 */
import type { Stage } from '#infra/stages/stage';
import { anomaliesTable } from '#schemas/tables/anomalies';
import { arbitrageTable } from '#schemas/tables/arbitrage';
import { arbitrageSignalsTable } from '#schemas/tables/arbitrage-signals';
import { candlesTable } from '#schemas/tables/candles';
import { disputePhasesTable } from '#schemas/tables/dispute-phases';
import { eventsTable } from '#schemas/tables/events';
import { marketsTable } from '#schemas/tables/markets';
import { resolutionsTable } from '#schemas/tables/resolutions';
import { spreadsTable } from '#schemas/tables/spreads';
import { rowKey, type TableRow, type TableSpec } from '#schemas/tables/table';
import { tradesTable } from '#schemas/tables/trades';
import type { Topic } from '#schemas/topics/topic';
import { fixedFreshness } from '../views/freshness.ts';
import { VIEWS, type Views } from '../views/views.ts';

/** A decoded record with its place in the log that it was made in. */
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

/** Tables of market data. What organizations have and do is in the others: a sandbox key sees its own there. */
export const MARKET_TABLES = [
  tradesTable,
  marketsTable,
  disputePhasesTable,
  resolutionsTable,
  candlesTable,
  eventsTable,
  spreadsTable,
  arbitrageTable,
  arbitrageSignalsTable,
  anomaliesTable,
] as readonly TableSpec[];

const TABLE_BY_TOPIC: ReadonlyMap<string, TableSpec> = new Map(
  MARKET_TABLES.flatMap((table) => table.fromTopics.map(({ name }) => [name, table] as const)),
);

/** Every topic of the data set, by name: inputs of views and of market tables. */
export const DATA_SET_TOPICS: ReadonlyMap<string, Topic> = new Map(
  [
    ...Object.values(VIEWS).flatMap(({ inputs }) => inputs.map(({ topic }) => topic)),
    ...MARKET_TABLES.flatMap(({ fromTopics }) => fromTopics),
  ].map((topic) => [topic.name, topic]),
);

/**
 * What records have in common of which the newest alone counts: the row of a table that they become, or the key, which is
 * enough for a view (a book of venue_a is told whole each time).
 */
export function placeOf(topic: Topic, record: DataSetRecord): string {
  const table = TABLE_BY_TOPIC.get(topic.name);
  return table && topic.retention.kind !== 'compacted' ? rowKey(table, table.row(record.value, record)) : record.key;
}

/** The views after all of the records, which come in the merged order of stages. */
export function viewsOf(records: readonly DataSetRecord[]): Views {
  const events = stateAfter(VIEWS.events, records);
  return {
    events,
    coins: stateAfter(VIEWS.coins, records),
    books: stateAfter(VIEWS.books, records),
    freshness: fixedFreshness(events),
  };
}

function stateAfter<S>({ inputs, initialState }: Stage<S>, records: readonly DataSetRecord[]): S {
  const state = initialState();
  const handlers = new Map(inputs.map(({ topic, handle }) => [topic.name, handle]));
  // A view writes nothing, so there is nothing to write with.
  for (const record of records) handlers.get(record.topic)?.(state, record as never, undefined as never);
  return state;
}

/** The rows of every table of market data. */
export function rowsOf(records: readonly DataSetRecord[]): ReadonlyMap<TableSpec, readonly TableRow[]> {
  const rows = new Map<TableSpec, TableRow[]>(MARKET_TABLES.map((table) => [table, []]));
  for (const record of records) {
    const table = TABLE_BY_TOPIC.get(record.topic);
    if (table) rows.get(table)!.push(table.row(record.value, record));
  }
  return rows;
}
