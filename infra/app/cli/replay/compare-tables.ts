/**
 * Compares every table with the rows of a rebuild. First the engine computes digests of both sides per bucket of keys.
 * Then only buckets that differ are compared key by key, about 200,000 rows at a time. So memory does not grow with the
 * table, and a table without differences is read once.
 */
import { TABLES } from '#schemas/tables/index';
import type { TableSpec } from '#schemas/tables/table';
import type { Store } from '../../../store/store.ts';
import { type Difference, DifferenceList } from './difference.ts';
import { type RowClass, tableOf } from './expected-rows.ts';
import { isSourceTable } from './overlay-log.ts';

export interface CompareTablesOptions {
  readonly live: Store;
  /** Database that `fillExpectedRows` filled, in the same engine as the live one. */
  readonly expected: Store;
  /** Live rows received before this time (unix ms) were not derived again and are ignored; null compares all. */
  readonly receivedSince: number | null;
  /** Approximate rows per bucket; for tests. */
  readonly bucketRows?: number;
  readonly onCompared?: (tables: number) => void;
}

export interface TableFindings {
  readonly differences: Difference[];
  readonly pending: Record<string, number>;
}

const BUCKET_ROWS = 2_000;
const BUCKETS_MAX = 65_536;
/** Rows whose keys are compared in one query. */
const CHUNK_ROWS = 200_000;
/** Columns with the event time of a row's record: that of a builder's daily file has another name. */
const EVENT_TIMES = ['receivedAt', 'fileAt'];

export async function compareTables(options: CompareTablesOptions): Promise<TableFindings> {
  const differences: Difference[] = [];
  const pending: Record<string, number> = {};
  for (const [index, table] of TABLES.entries()) {
    const comparison = new TableComparison(options, table);
    await comparison.run();
    differences.push(...comparison.differences.listed);
    if (comparison.pending > 0) pending[table.name] = comparison.pending;
    options.onCompared?.(index + 1);
  }
  return { differences, pending };
}

type Side = 'live' | RowClass;
const SIDES: readonly Side[] = ['live', 'required', 'pending', 'expired'];

interface BucketRow {
  readonly bucket: string;
  readonly rows: string;
  readonly digest: string;
}

/** Every state of one row on any side, as `[side, version, hash, removed]`. */
interface KeyRow {
  readonly key: string;
  readonly states: readonly (readonly [side: Side, version: string, hash: string, removed: number])[];
}

interface RowState {
  readonly version: number;
  readonly hash: string;
  readonly isRemoved: boolean;
}

class TableComparison {
  readonly differences: DifferenceList;
  pending = 0;
  private readonly options: CompareTablesOptions;
  private readonly table: TableSpec;
  /** SQL expression of a row's key. */
  private readonly key: string;
  private buckets = 1;

  constructor(options: CompareTablesOptions, table: TableSpec) {
    this.options = options;
    this.table = table;
    this.differences = new DifferenceList(table.name);
    this.key = `toString(tuple(${table.orderBy.join(', ')}))`;
  }

  async run(): Promise<void> {
    const rows = await this.countRows();
    const filled = SIDES.filter((side) => rows[side] > 0);
    // Most tables of a small log are empty on every side.
    if (filled.length === 0) return;
    const { bucketRows = BUCKET_ROWS } = this.options;
    const most = Math.max(rows.live, rows.required, rows.pending);
    this.buckets = Math.min(BUCKETS_MAX, Math.max(1, Math.ceil(most / bucketRows)));
    for (const chunk of chunksOf(await this.readDifferingBuckets(filled))) {
      await this.compareKeys(chunk);
      if (this.differences.isFull) return;
    }
  }

  /** Rows of each side, all their versions included. */
  private async countRows(): Promise<Record<Side, number>> {
    const counts = SIDES.map((side) => `(SELECT count() FROM ${this.nameOf(side)}) AS ${side}`);
    const [row] = await this.query<Record<Side, string>>(`SELECT ${counts.join(', ')}`);
    const countOf = (side: Side) => Number(row![side]);
    return {
      live: countOf('live'),
      required: countOf('required'),
      pending: countOf('pending'),
      expired: countOf('expired'),
    };
  }

  /** Buckets whose digests differ or that hold pending or expired rows, each with its number of rows. */
  private async readDifferingBuckets(filled: readonly Side[]): Promise<Map<string, number>> {
    const sums = new Map<Side, Map<string, BucketRow>>();
    for (const side of filled) {
      const rows = await this.query<BucketRow>(
        `SELECT bucket, count() AS rows, sum(hash) AS digest FROM (SELECT ${this.bucketExpression()} AS bucket, ` +
          `cityHash64(toString(tuple(*))) AS hash FROM ${this.sourceOf(side)}) GROUP BY bucket`,
      );
      sums.set(side, new Map(rows.map((row) => [row.bucket, row])));
    }
    const found = new Map<string, number>();
    for (const bucket of new Set(filled.flatMap((side) => [...sums.get(side)!.keys()]))) {
      const [live, required, pending, expired] = SIDES.map((side) => sums.get(side)?.get(bucket));
      const isEqual = live?.digest === required?.digest && live?.rows === required?.rows;
      if (isEqual && !pending && !expired) continue;
      const rows = [live, required, pending, expired].reduce((sum, side) => sum + Number(side?.rows ?? 0), 0);
      found.set(bucket, rows);
    }
    return found;
  }

  private async compareKeys(buckets: readonly string[]): Promise<void> {
    const removed = typeof this.table.tombstone === 'function' ? 'removed' : '0';
    const sides = SIDES.map(
      (side) =>
        `SELECT ${this.key} AS key, ('${side}', toString(version), toString(cityHash64(toString(tuple(*)))), ` +
        `toUInt8(${removed})) AS state FROM ${this.sourceOf(side, this.bucketCondition(buckets))}`,
    );
    // Rows that are required and equal are filtered out by the engine.
    const rows = await this.query<KeyRow>(
      `SELECT key, groupArray(state) AS states FROM (${sides.join(' UNION ALL ')}) GROUP BY key ` +
        `HAVING NOT (length(states) = 2 AND has(states.1, 'live') AND has(states.1, 'required') ` +
        `AND states[1].3 = states[2].3) ORDER BY key`,
    );
    const wrong: string[] = [];
    for (const row of rows) if (!this.isAcceptable(row)) wrong.push(row.key);
    // One more than the list holds, so that it warns of further differences.
    if (wrong.length > 0) await this.addDifferences(wrong.slice(0, 101), buckets);
  }

  /** True if the live state of a row is allowed. Counts the row as pending if its newest state is not written yet. */
  private isAcceptable({ states }: KeyRow): boolean {
    const of = (wanted: Side): RowState[] =>
      states
        .filter(([side]) => side === wanted)
        .map(([, version, hash, removed]) => ({ version: Number(version), hash, isRemoved: removed === 1 }));
    const [live] = of('live');
    const [required] = of('required');
    const pending = of('pending');
    const newer = [...pending, ...of('expired')].filter(({ version }) => !required || version > required.version);
    // A source table may hold rows whose records its topic no longer has. They cannot be derived and are ignored.
    const isIgnored = !required && isSourceTable(this.table);
    const isExpected = live
      ? live.hash === required?.hash || newer.some(({ hash }) => hash === live.hash) || isIgnored
      : !required || newer.some(({ isRemoved }) => isRemoved);
    if (!isExpected || pending.length === 0) return isExpected;
    const newest = pending.reduce((a, b) => (b.version > a.version ? b : a));
    if (newest.isRemoved ? live !== undefined : live?.hash !== newest.hash) this.pending += 1;
    return true;
  }

  private async addDifferences(keys: readonly string[], buckets: readonly string[]): Promise<void> {
    const rows = new Map<Side, Map<string, Record<string, unknown>>>();
    for (const side of ['live', 'required', 'pending'] as const) {
      const found = await this.query<Record<string, unknown> & { rowKey: string }>(
        `SELECT *, ${this.key} AS rowKey FROM ${this.sourceOf(side, this.bucketCondition(buckets))} ` +
          'HAVING has({keys:Array(String)}, rowKey) ORDER BY version',
        { keys },
      );
      rows.set(side, new Map(found.map(({ rowKey, ...row }) => [rowKey, row])));
    }
    for (const key of keys) {
      const actual = rows.get('live')!.get(key);
      const expected = rows.get('required')!.get(key) ?? rows.get('pending')!.get(key);
      const row = (expected ?? actual)!;
      this.differences.add({
        table: this.table.name,
        topic: null,
        key: this.table.orderBy.map((column) => String(row[column])).join(' '),
        expected: expected ? JSON.stringify(expected) : null,
        actual: actual ? JSON.stringify(actual) : null,
      });
    }
  }

  private bucketExpression(): string {
    return `toString(cityHash64(${this.key}) % ${this.buckets})`;
  }

  private bucketCondition(buckets: readonly string[]): string {
    return `${this.bucketExpression()} IN (${buckets.map((bucket) => `'${bucket}'`).join(', ')})`;
  }

  private nameOf(side: Side): string {
    const { live, expected } = this.options;
    const { name } = this.table;
    return side === 'live' ? `${live.database}.${name}` : `${expected.database}.${tableOf(name, side)}`;
  }

  /** The FROM clause of a side; with FINAL where only the newest version of a row counts. */
  private sourceOf(side: Side, condition?: string): string {
    const { receivedSince } = this.options;
    const conditions = condition ? [condition] : [];
    if (side === 'live' && receivedSince !== null && !isSourceTable(this.table))
      conditions.push(`${this.timeColumn()} >= fromUnixTimestamp64Milli(toInt64(${receivedSince}))`);
    const final = side === 'live' || side === 'required' ? ' FINAL' : '';
    return `${this.nameOf(side)}${final}${conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : ''}`;
  }

  /** The column with the event time of a row's record. A board of the leaderboard has it in another column. */
  private timeColumn(): string {
    const { columns, monthOf } = this.table;
    return EVENT_TIMES.find((time) => columns.some(({ name }) => name === time)) ?? monthOf!;
  }

  private query<T>(sql: string, parameters: { readonly keys?: readonly string[] } = {}): Promise<T[]> {
    return this.options.live.query<T>(sql, parameters as Parameters<Store['query']>[1]);
  }
}

/** Groups buckets into chunks of about `CHUNK_ROWS` rows. */
function* chunksOf(buckets: ReadonlyMap<string, number>): Generator<string[]> {
  let chunk: string[] = [];
  let rows = 0;
  for (const [bucket, own] of buckets) {
    if (chunk.length > 0 && rows + own > CHUNK_ROWS) {
      yield chunk;
      chunk = [];
      rows = 0;
    }
    chunk.push(bucket);
    rows += own;
  }
  if (chunk.length > 0) yield chunk;
}
