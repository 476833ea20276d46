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
import type { Codec } from '../codec/codec.ts';
import type { AppendRecord, EventLog, LogReader } from '../log/log.ts';
import { LogError } from '../log/log.ts';
import { retry } from '../retry.ts';
import { sharedByLog } from '../shared-by-log.ts';
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

/** Resolves once what everyone has told today is counted. The roles of one process share one. */
export const openUsageHost: (context: HostContext) => Promise<UsageHost> = sharedByLog(startHost);

async function startHost(context: HostContext): Promise<UsageHost> {
  const { log, codec } = context;
  await log.createTopics([usageTopic]);
  await codec.prepare([usageTopic]);
  const now = Date.now();
  // What was told before today counts for nothing any more.
  const offset = await log.offsetAt(AT, now - (now % DAY_MS));
  const last = await log.last(AT);
  const host = new Host(context, await log.reader([{ ...AT, offset }]));
  await host.start(last?.offset ?? -1, offset);
  return host;
}

class Host implements UsageHost {
  readonly counts: UsageCounts;
  private readonly context: HostContext;
  private readonly reader: LogReader;
  private readonly closing = new AbortController();
  private reading: Promise<void> = Promise.resolve();
  private telling: Promise<void> = Promise.resolve();
  /** Whether the last telling succeeded. */
  private isTold = true;
  private tellTimer: NodeJS.Timeout | undefined;
  private pruneTimer: NodeJS.Timeout | undefined;

  constructor(context: HostContext, reader: LogReader) {
    this.context = context;
    this.reader = reader;
    this.counts = new UsageCounts(randomUUID());
  }

  async start(until: number, from: number): Promise<void> {
    for (let position = from - 1; position < until; ) position = (await this.poll()) ?? position;
    this.reading = this.read();
    this.tellTimer = setInterval(() => void this.tell(), TELL_INTERVAL_MS);
    this.pruneTimer = setInterval(() => this.counts.prune(Date.now()), PRUNE_INTERVAL_MS);
  }

  async close(): Promise<void> {
    clearInterval(this.tellTimer);
    clearInterval(this.pruneTimer);
    this.closing.abort();
    await this.reading;
    await this.tell();
    await this.reader.close();
  }

  private async read(): Promise<void> {
    const { logger, health } = this.context;
    const { signal } = this.closing;
    while (!signal.aborted) {
      try {
        await retry(() => this.poll(), {
          canRetry: (error) => error instanceof LogError && error.canRetry && !signal.aborted,
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
        health?.degraded(PART, 'counting the usage of other nodes stopped by a fault; see the log');
        return;
      }
    }
  }

  /** Offset of the last record taken, or null. */
  private async poll(): Promise<number | null> {
    const { codec } = this.context;
    const { records } = await this.reader.poll(POLL_RECORDS, POLL_TIMEOUT_MS);
    for (const { value } of records) {
      if (value === null) continue;
      await codec.learn(value);
      this.counts.apply(codec.decode(usageTopic, value));
    }
    return records.at(-1)?.offset ?? null;
  }

  /** One at a time, so that a node's totals stand in the log in their order. */
  private tell(): Promise<void> {
    this.telling = this.telling.then(async () => {
      const untold = this.counts.takeUntold();
      if (untold.length === 0) return;
      try {
        await this.context.log.append(untold.map((usage) => this.recordOf(usage)));
        this.isTold = true;
      } catch (error) {
        this.counts.untell(untold);
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
