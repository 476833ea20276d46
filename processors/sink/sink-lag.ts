import { LogError, type LogRecord, type TopicPartition } from '#infra/log/log';
import { partitionName } from '#infra/log/partition-name';
import type { Running } from '#infra/runtime/context';
import { pause } from '#infra/runtime/pause';
import { SINK_GROUP } from '#schemas/tables/sink-group';
import type { SinkContext } from './sink-context.ts';
import { TABLE_TOPICS } from './table-topics.ts';

const INTERVAL_MS = 15_000;

/** How far the writing of one partition is. */
interface PartitionProgress {
  readonly at: TopicPartition;
  readonly table: string;
  /** The next offset to write. */
  next: number;
  /** Event time of the newest record that is written; before the first one, of the newest in the log. */
  receivedAt: number | null;
}

/** Measures at intervals what each table lacks of the records in the log. */
export class SinkLag implements Running {
  private readonly context: Pick<SinkContext, 'log' | 'metrics' | 'logger'>;
  private readonly partitions: ReadonlyMap<string, PartitionProgress>;
  private readonly closing = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(context: Pick<SinkContext, 'log' | 'metrics' | 'logger'>) {
    this.context = context;
    const all = [...TABLE_TOPICS.values()].flatMap(({ topic, table }) =>
      Array.from({ length: topic.partitions }, (_, partition): PartitionProgress => {
        return { at: { topic: topic.name, partition }, table: table.name, next: 0, receivedAt: null };
      }),
    );
    this.partitions = new Map(all.map((progress) => [partitionName(progress.at), progress]));
  }

  /** Starts with the committed offsets. `onFault` is called if measuring ends with an error. */
  async start(onFault: (error: unknown) => void, intervalMs: number = INTERVAL_MS): Promise<void> {
    const partitions = [...this.partitions.values()];
    const committed = await this.context.log.committed(
      SINK_GROUP,
      partitions.map(({ at }) => at),
    );
    for (const [index, progress] of partitions.entries()) progress.next = committed[index] ?? 0;
    const run = async () => {
      do await this.measure();
      while (await pause(intervalMs, this.closing.signal));
    };
    this.running = run().catch(onFault);
  }

  /** Notes that a record is stored, as a row or as a dead letter. */
  written(record: LogRecord): void {
    const progress = this.partitions.get(partitionName(record));
    if (!progress || record.offset < progress.next) return;
    progress.next = record.offset + 1;
    progress.receivedAt = record.receivedAt;
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.running;
  }

  private async measure(): Promise<void> {
    const { log, metrics, logger } = this.context;
    const lags = new Map<string, { records: number; ms: number }>();
    try {
      for (const progress of this.partitions.values()) {
        const newest = await log.last(progress.at);
        const lag = lags.get(progress.table) ?? { records: 0, ms: 0 };
        lags.set(progress.table, lag);
        if (!newest || newest.offset < progress.next) continue;
        progress.receivedAt ??= newest.receivedAt;
        lag.records += newest.offset + 1 - progress.next;
        lag.ms = Math.max(lag.ms, newest.receivedAt - progress.receivedAt);
      }
    } catch (error) {
      // The sink itself reports that the log is unavailable; the last figures stay.
      if (!(error instanceof LogError)) throw error;
      logger.debug({ error }, 'the lag of the sink cannot be measured');
      return;
    }
    for (const [table, { records, ms }] of lags) {
      metrics.sinkLagRecords.set({ table }, records);
      metrics.sinkLagSeconds.set({ table }, ms / 1_000);
    }
  }
}
