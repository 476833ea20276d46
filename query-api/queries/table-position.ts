/**
 * The position of the tables: the sink fills them in batches, up to about a second after the records are in the log, so
 * what is read from them is older than what a view holds.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { EventLog } from '#infra/log/log';
import { partitionsOf } from '#infra/stages/stage-topics';
import { SINK_GROUP } from '#schemas/tables/sink-group';
import type { Topic } from '#schemas/topics/topic';
import type { Freshness } from '../views/freshness.ts';

/** The longest wait for the log; after that, the last known position counts, unless it is too old. */
const WAIT_MS = 1_000;
/** What was known longer ago would make the tables look late. */
const KNOWN_FOR_MS = 10_000;

interface Options {
  readonly log: EventLog;
  readonly logger: Logger;
  readonly waitMs?: number;
}

export function openTablePosition({ log, logger, waitMs = WAIT_MS }: Options): Freshness['tablesAsOf'] {
  /** The last known position and when it was read (monotonic ms), by the names of the topics. */
  const known = new Map<string, { readonly position: number; readonly at: number }>();
  return async (topics, until) => {
    const name = topics.map((topic) => topic.name).join();
    const ended = new AbortController();
    try {
      const timeout = sleep(waitMs, 'timeout' as const, { signal: ended.signal });
      const missing = await Promise.race([firstMissing(log, topics), timeout]);
      if (missing === 'timeout') throw new Error(`the log did not respond within ${waitMs} ms`);
      const position = Math.min(until, missing - 1);
      known.set(name, { position, at: performance.now() });
      return position;
    } catch (error) {
      logger.debug({ error }, 'could not read the progress of the sink; using its last known position');
      const last = known.get(name);
      return last && performance.now() - last.at <= KNOWN_FOR_MS ? last.position : null;
    } finally {
      ended.abort();
    }
  };
}

/**
 * Returns the event time of the oldest record that is not in the tables, or Infinity if there is none. The times of a
 * partition do not decrease, so all rows before it are there.
 */
async function firstMissing(log: EventLog, topics: readonly Topic[]): Promise<number> {
  const partitions = partitionsOf(topics).map(({ at }) => at);
  const committed = await log.committed(SINK_GROUP, partitions);
  const missing = await Promise.all(
    partitions.map((at, index) => log.recordFrom({ ...at, offset: committed[index] ?? 0 })),
  );
  return Math.min(...missing.map((record) => record?.receivedAt ?? Number.POSITIVE_INFINITY));
}
