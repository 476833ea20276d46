/**
 * Replicates the usage of organizations across nodes: reads the usage of all nodes from `control.usage`, and publishes that
 * of this node. A cluster can exceed a quota by what other nodes serve within `PUBLISH_INTERVAL_MS` and the latency of a
 * record. A killed node loses the usage since its last publication.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { type NodeUsage, UsageCounts } from '#schemas/domain/quota/usage-counts';
import { usageKey } from '#schemas/tables/usage';
import { usageTopic } from '#schemas/topics/usage';
import { type Codec, CodecError } from '../codec/codec.ts';
import type { AppendRecord, EventLog, LogReader, LogRecord } from '../log/log.ts';
import { readUntil } from '../log/read-until.ts';
import { isTransient, retry } from '../retry.ts';
import { sharedPerLog } from '../shared-per-log.ts';
import type { Health } from '../telemetry/health.ts';

const AT = { topic: usageTopic.name, partition: 0 };
const PUBLISH_INTERVAL_MS = 200;
const PRUNE_INTERVAL_MS = 3_600_000;
const POLL_RECORDS = 2_048;
const POLL_TIMEOUT_MS = 250;
const DAY_MS = 86_400_000;
const PART = 'usage';

export interface UsageReplica {
  readonly counts: UsageCounts;
  /** Publishes the remaining usage, then stops. */
  close(): Promise<void>;
}

interface UsageReplicaContext {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
  readonly health?: Health;
}

/**
 * Resolves once all usage of today is counted, however long that takes. Rejects with a `LogError` if the log returns none
 * of the remaining records for half a minute. The roles of one process share one replica.
 */
export const openUsageReplica: (context: UsageReplicaContext) => Promise<UsageReplica> = sharedPerLog(startReplica);

async function startReplica(context: UsageReplicaContext): Promise<UsageReplica> {
  const { log, codec } = context;
  await log.createTopics([usageTopic]);
  await codec.prepare([usageTopic]);
  const now = Date.now();
  // Usage from before today no longer counts.
  const offset = await log.offsetAt(AT, now - (now % DAY_MS));
  const last = await log.last(AT);
  const replica = new LogUsageReplica(context);
  await replica.start(offset, last?.offset ?? -1);
  return replica;
}

class LogUsageReplica implements UsageReplica {
  readonly counts: UsageCounts;
  private readonly context: UsageReplicaContext;
  /** Null until the start has caught up. */
  private reader: LogReader | null = null;
  private readonly closing = new AbortController();
  /** The records of the last poll. Those that fail are retried before the next poll. */
  private batch: readonly LogRecord[] = [];
  /** Number of counted records of `batch`. */
  private countedRecords = 0;
  private reading: Promise<void> = Promise.resolve();
  private publishing: Promise<void> = Promise.resolve();
  /** True if the last publication succeeded. */
  private hasPublished = true;
  private publishTimer: NodeJS.Timeout | undefined;
  private pruneTimer: NodeJS.Timeout | undefined;

  constructor(context: UsageReplicaContext) {
    this.context = context;
    this.counts = new UsageCounts(randomUUID());
  }

  async start(from: number, last: number): Promise<void> {
    const { log } = this.context;
    let offset = from;
    for await (const records of readUntil(log, AT, { from, last, pollRecords: POLL_RECORDS })) {
      await this.countAll(records);
      offset = records.at(-1)!.offset + 1;
    }
    this.reader = await log.reader([{ ...AT, offset }]);
    this.reading = this.run(this.reader);
    this.publishTimer = setInterval(() => void this.publish(), PUBLISH_INTERVAL_MS);
    this.pruneTimer = setInterval(() => this.counts.prune(Date.now()), PRUNE_INTERVAL_MS);
  }

  async close(): Promise<void> {
    clearInterval(this.publishTimer);
    clearInterval(this.pruneTimer);
    this.closing.abort();
    await this.reading;
    await this.publish();
    await this.reader?.close();
  }

  private async run(reader: LogReader): Promise<void> {
    const { logger, health } = this.context;
    const { signal } = this.closing;
    while (!signal.aborted) {
      try {
        await retry(() => this.poll(reader), {
          canRetry: (error) => !signal.aborted && isTransient(error, 'unknown_schema'),
          onFailure: (error, failures) => {
            if (failures === 1) logger.error({ error }, 'could not read the usage of other nodes, retrying');
            health?.degraded(PART, 'could not read the usage of other nodes, retrying');
          },
          onRecovered: () => health?.ready(PART),
          signal,
        });
      } catch (error) {
        if (signal.aborted) return;
        logger.error({ error }, 'stopped counting the usage of other nodes after an unexpected error');
        health?.failed(PART, error);
        return;
      }
    }
  }

  private async poll(reader: LogReader): Promise<void> {
    if (this.countedRecords < this.batch.length) await this.countRest();
    else await this.countAll((await reader.poll(POLL_RECORDS, POLL_TIMEOUT_MS)).records);
  }

  private countAll(records: readonly LogRecord[]): Promise<void> {
    this.batch = records;
    this.countedRecords = 0;
    return this.countRest();
  }

  private async countRest(): Promise<void> {
    for (; this.countedRecords < this.batch.length; this.countedRecords += 1) {
      const usage = await this.decode(this.batch[this.countedRecords]!);
      if (usage) this.counts.apply(usage);
    }
  }

  /** Decodes a record; null if it is undecodable. Rejects while its schema cannot be fetched. */
  private async decode({ value, offset }: LogRecord): Promise<NodeUsage | null> {
    if (!value) return null;
    const { codec, logger } = this.context;
    try {
      await codec.fetchSchema(value);
      return codec.decode(usageTopic, value);
    } catch (error) {
      if (!(error instanceof CodecError) || error.code === 'unknown_schema') throw error;
      logger.error({ offset, error }, 'skipped an undecodable record in control.usage');
      return null;
    }
  }

  /** Publishes one batch at a time, so that a node's totals are in order in the log. */
  private publish(): Promise<void> {
    this.publishing = this.publishing.then(async () => {
      const unpublished = this.counts.takeUnpublished();
      if (unpublished.length === 0) return;
      try {
        await this.context.log.append(unpublished.map((usage) => this.recordOf(usage)));
        this.hasPublished = true;
      } catch (error) {
        this.counts.markUnpublished(unpublished);
        // Retried at the next interval; logged once.
        if (this.hasPublished) this.context.logger.warn({ error }, 'could not publish usage, retrying');
        this.hasPublished = false;
      }
    });
    return this.publishing;
  }

  private recordOf(usage: NodeUsage): AppendRecord {
    const value = this.context.codec.encode(usageTopic, usage);
    return { ...AT, key: usageKey(usage), value, receivedAt: Date.now(), seq: 0 };
  }
}
