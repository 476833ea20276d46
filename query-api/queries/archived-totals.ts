/** Counts the archived events that match a filter. A count scans the whole table, so it is cached. */
import { LRUCache } from 'lru-cache';
import { type Parameter, StoreError } from '#infra/store/store';
import { query, type Reader } from './query.ts';

/** How long a count is cached: once old catalogs have been crawled, only a few events are archived per hour. */
const TTL_MS = 60_000;
const FILTERS_MAX = 1_000;

/** SQL condition on rows of `events AS e`. */
export interface Condition {
  readonly where: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** Wide columns that it uses. */
  readonly columns: readonly string[];
}

interface CountRequest {
  readonly condition: Condition;
  /** Ids that are not counted, even if their rows match. */
  readonly excludedIds: () => readonly string[];
}

/** Cached counts of one store. */
export class ArchivedTotals {
  private readonly totals: LRUCache<string, number, CountRequest>;

  /** @param now monotonic ms. */
  constructor(store: Reader, now: () => number = () => performance.now()) {
    this.totals = new LRUCache<string, number, CountRequest>({
      max: FILTERS_MAX,
      ttl: TTL_MS,
      ttlResolution: 0,
      perf: { now },
      fetchMethod: (_key, previous, { context }) => count(store, context, previous),
    });
  }

  /**
   * Returns a count that is at most a minute old. Rejects if the store does and there is no earlier count.
   * @param excludedIds returns ids that are not counted, a few thousand at most; called only when the store is read.
   */
  async get(condition: Condition, excludedIds: () => readonly string[]): Promise<number> {
    return (await this.totals.fetch(JSON.stringify(condition), { context: { condition, excludedIds } }))!;
  }
}

async function count(
  store: Reader,
  { condition: { where, parameters }, excludedIds }: CountRequest,
  previous: number | undefined,
): Promise<number> {
  try {
    return await query(store, {
      name: 'archived-events-total',
      sql: `SELECT toFloat64(count()) AS total FROM events AS e FINAL
       WHERE ${where} AND universalId NOT IN {excludedIds:Array(String)}`,
      parameters: { ...parameters, excludedIds: excludedIds() },
      parse: ([row]: { total: number }[]) => row?.total ?? 0,
    });
  } catch (error) {
    // No rows are inserted while the store is unavailable, so the last count still holds.
    if (previous !== undefined && error instanceof StoreError && error.canRetry) return previous;
    throw error;
  }
}
