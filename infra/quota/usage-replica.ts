/**
 * Keeps an organization's usage the same on every node: reads what all have told on `control.usage` and tells what this
 * one serves. A cluster can overshoot a quota by what its other nodes serve within `TELL_INTERVAL_MS` and the time that
 * a record takes; a node that is killed loses what it served since it last told.
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
const TELL_INTERVAL_MS = 200;
const PRUNE_INTERVAL_MS = 3_600_000;
const POLL_RECORDS = 2_048;
const POLL_TIMEOUT_MS = 250;
const DAY_MS = 86_400_000;
const PART = 'usage';

export interface UsageHost {
  readonly counts: UsageCounts;
  /** Tells what was not told yet, then ends. */
  close(): Promise<void>;
}

interface HostContext {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
  readonly health?: Health;
}

/**
 * Resolves once what everyone has told today is counted, however long that takes; rejects with a `LogError` when the log
 * gives nothing of what is left for half a minute. The roles of one process share one.
 */
export const openUsageHost: (context: HostContext) => Promise<UsageHost> = sharedPerLog(startHost);

async function startHost(context: HostContext): Promise<UsageHost> {
  const { log, codec } = context;
  await log.createTopics([usageTopic]);
  await codec.prepare([usageTopic]);
  const now = Date.now();
  // What was told before today counts for nothing any more.
  const offset = await log.offsetAt(AT, now - (now % DAY_MS));
  const last = await log.last(AT);
  const host = new Host(context);
  await host.start(offset, last?.offset ?? -1);
  return host;
}

class Host implements UsageHost {
  readonly counts: UsageCounts;
  private readonly context: HostContext;
  /** Null until the start has caught up. */
  private reader: LogReader | null = null;
  private readonly closing = new AbortController();
  /** What was read last. What cannot be counted now is counted before anything that comes after it. */
  private read: readonly LogRecord[] = [];
  /** How many of it are counted. */
  private counted = 0;
  private reading: Promise<void> = Promise.resolve();
  private telling: Promise<void> = Promise.resolve();
  /** Whether the last telling succeeded. */
  private isTold = true;
  private tellTimer: NodeJS.Timeout | undefined;
  private pruneTimer: NodeJS.Timeout | undefined;

  constructor(context: HostContext) {
    this.context = context;
    this.counts = new UsageCounts(randomUUID());
  }

  async start(from: number, last: number): Promise<void> {
    const { log } = this.context;
    let offset = from;
    for await (const records of readUntil(log, AT, { from, last, atOnce: POLL_RECORDS })) {
      await this.countAll(records);
      offset = records.at(-1)!.offset + 1;
    }
    this.reader = await log.reader([{ ...AT, offset }]);
    this.reading = this.run(this.reader);
    this.tellTimer = setInterval(() => void this.tell(), TELL_INTERVAL_MS);
    this.pruneTimer = setInterval(() => this.counts.prune(Date.now()), PRUNE_INTERVAL_MS);
  }

  async close(): Promise<void> {
    clearInterval(this.tellTimer);
    clearInterval(this.pruneTimer);
    this.closing.abort();
    await this.reading;
    await this.tell();
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
            if (failures === 1) logger.error({ error }, 'usage of other nodes cannot be read; trying again');
            health?.degraded(PART, 'usage of other nodes cannot be read');
          },
          onRecovered: () => health?.ready(PART),
          signal,
        });
      } catch (error) {
        if (signal.aborted) return;
        logger.error({ error }, 'counting the usage of other nodes stopped by a fault');
        health?.failed(PART, error);
        return;
      }
    }
  }

  private async poll(reader: LogReader): Promise<void> {
    if (this.counted < this.read.length) await this.countRest();
    else await this.countAll((await reader.poll(POLL_RECORDS, POLL_TIMEOUT_MS)).records);
  }

  private countAll(records: readonly LogRecord[]): Promise<void> {
    this.read = records;
    this.counted = 0;
    return this.countRest();
  }

  private async countRest(): Promise<void> {
    for (; this.counted < this.read.length; this.counted += 1) {
      const usage = await this.decode(this.read[this.counted]!);
      if (usage) this.counts.apply(usage);
    }
  }

  /** Null for a record that tells of no usage. Rejects while its schema cannot be fetched. */
  private async decode({ value, offset }: LogRecord): Promise<NodeUsage | null> {
    if (!value) return null;
    const { codec, logger } = this.context;
    try {
      await codec.fetchSchema(value);
      return codec.decode(usageTopic, value);
    } catch (error) {
      if (!(error instanceof CodecError) || error.code === 'unknown_schema') throw error;
      logger.error({ offset, error }, 'a record of control.usage cannot be read; passed over');
      return null;
    }
  }

  /** One at a time, so that a node's totals stand in the log in their order. */
  private tell(): Promise<void> {
    this.telling = this.telling.then(async () => {
      const untold = this.counts.takeUnpublished();
      if (untold.length === 0) return;
      try {
        await this.context.log.append(untold.map((usage) => this.recordOf(usage)));
        this.isTold = true;
      } catch (error) {
        this.counts.markUnpublished(untold);
        // Tried again at the next interval; said once.
        if (this.isTold)
          this.context.logger.warn({ error }, 'usage could not be told to the other nodes; trying again');
        this.isTold = false;
      }
    });
    return this.telling;
  }

  private recordOf(usage: NodeUsage): AppendRecord {
    const value = this.context.codec.encode(usageTopic, usage);
    return { ...AT, key: usageKey(usage), value, receivedAt: Date.now(), seq: 0 };
  }
}
