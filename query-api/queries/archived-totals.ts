/** How many past events fit a filter. It takes a reading of the whole table, which pages do not repeat. */
import { LRUCache } from 'lru-cache';
import { type Parameter, type Store, StoreError } from '#infra/store/store';

/** How long a count is told again: past events come a few an hour, once the walk of the past catalogs is through. */
const KEPT_MS = 60_000;
const FILTERS_MAX = 1_000;

/** A condition on rows of `events AS e`. */
export interface Condition {
  readonly where: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
}

/** A count that is to be made. */
interface Counted {
  readonly condition: Condition;
  /** Ids that do not count, whatever the table says of them. */
  readonly elsewhere: () => readonly string[];
}

/** The counts of one store. */
export class PastTotals {
  private readonly totals: LRUCache<string, number, Counted>;

  /** @param now monotonic ms. */
  constructor(store: Pick<Store, 'query'>, now: () => number = () => performance.now()) {
    this.totals = new LRUCache<string, number, Counted>({
      max: FILTERS_MAX,
      ttl: KEPT_MS,
      ttlResolution: 0,
      perf: { now },
      fetchMethod: (_key, counted, { context }) => count(store, context, counted),
    });
  }

  /**
   * Counts once for everyone who asks within a minute. Rejects where the store does and nothing was counted before.
   * @param elsewhere ids that are not to be counted, a few thousand at most; asked for only where it counts.
   */
  async of(condition: Condition, elsewhere: () => readonly string[]): Promise<number> {
    return (await this.totals.fetch(JSON.stringify(condition), { context: { condition, elsewhere } }))!;
  }
}

async function count(
  store: Pick<Store, 'query'>,
  { condition: { where, parameters }, elsewhere }: Counted,
  counted: number | undefined,
): Promise<number> {
  try {
    const rows = await store.query<{ total: number }>(
      `SELECT toFloat64(count()) AS total FROM events AS e FINAL
       WHERE ${where} AND universalId NOT IN {elsewhere:Array(String)}`,
      { ...parameters, elsewhere: elsewhere() },
    );
    return rows[0]?.total ?? 0;
  } catch (error) {
    // Nothing comes into a table that cannot be reached: what was counted last still holds.
    if (counted !== undefined && error instanceof StoreError && error.canRetry) return counted;
    throw error;
  }
}
