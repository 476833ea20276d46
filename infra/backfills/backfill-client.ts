/**
 * Requests history backfills from ingest and waits for their outcomes. Ingest may run in another process, so requests and
 * outcomes go through the log.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { type Backfill, type BackfillOutcome, backfillOutcomeTopic, backfillTopic } from '#schemas/topics/backfills';
import { type Codec, CodecError } from '../codec/codec.ts';
import type { EventLog, LogReader, LogRecord } from '../log/log.ts';
import { isTransient, retry } from '../retry.ts';
import type { Health } from '../telemetry/health.ts';

const AT = { topic: backfillTopic.name, partition: 0 };
const OUTCOMES_AT = { topic: backfillOutcomeTopic.name, partition: 0 };
const PART = 'backfills';
const POLL_RECORDS = 256;
const POLL_TIMEOUT_MS = 250;
/** Below the time limit of a REST response. */
const WAIT_MS = 25_000;
/** Maximum of waiting requests on this node, of one organization and of all. */
const WAITING_MAX = { perOrganization: 10, total: 200 } as const;

/** The outcome of a request; `late`: the scan still runs; `busy`: too many requests wait on this node. */
export type BackfillAnswer = BackfillOutcome | 'late' | 'busy';

export interface BackfillClient {
  /** Requests a backfill and waits for its outcome. Rejects with a `LogError` if the request could not be appended. */
  request(request: Pick<Backfill, 'orgId' | 'address' | 'lookbackDays'>): Promise<BackfillAnswer>;
  close(): Promise<void>;
}

export interface BackfillClientContext {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
  readonly health?: Health;
  /** How long a request waits for its outcome, ms. */
  readonly waitMs?: number;
}

export async function openBackfillClient(context: BackfillClientContext): Promise<BackfillClient> {
  const { log, codec } = context;
  await log.createTopics([backfillTopic, backfillOutcomeTopic]);
  await codec.prepare([backfillTopic, backfillOutcomeTopic]);
  const { next } = await log.bounds(OUTCOMES_AT);
  return new LogBackfillClient(context, await log.reader([{ ...OUTCOMES_AT, offset: next }]));
}

interface Waiter {
  readonly orgId: string;
  readonly resolve: (outcome: BackfillOutcome) => void;
}

class LogBackfillClient implements BackfillClient {
  private readonly context: BackfillClientContext;
  private readonly reader: LogReader;
  private readonly waiting = new Map<string, Waiter>();
  private readonly closing = new AbortController();
  private readonly reading: Promise<void>;
  /** The records of the last poll. Those that fail are retried before the next poll. */
  private batch: readonly LogRecord[] = [];
  /** Number of handled records of `batch`. */
  private handledCount = 0;
  private appending: Promise<void> = Promise.resolve();
  private lastReceivedAt = 0;

  constructor(context: BackfillClientContext, reader: LogReader) {
    this.context = context;
    this.reader = reader;
    this.reading = this.run();
  }

  async request(request: Pick<Backfill, 'orgId' | 'address' | 'lookbackDays'>): Promise<BackfillAnswer> {
    const { waitMs = WAIT_MS } = this.context;
    const ofOrganization = [...this.waiting.values()].filter(({ orgId }) => orgId === request.orgId).length;
    if (this.waiting.size >= WAITING_MAX.total || ofOrganization >= WAITING_MAX.perOrganization) return 'busy';
    const id = randomUUID();
    let timer: NodeJS.Timeout | undefined;
    const answer = new Promise<BackfillAnswer>((resolve) => {
      this.waiting.set(id, { orgId: request.orgId, resolve });
      timer = setTimeout(() => resolve('late'), waitMs);
    });
    try {
      // The time limit includes the append, which may wait long for a broker.
      return await Promise.race([answer, this.append({ id, ...request }).then(() => answer)]);
    } finally {
      clearTimeout(timer);
      this.waiting.delete(id);
    }
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.reading;
    await this.reader.close();
  }

  /** Appends one request after the other, so that the times of this node do not go back. */
  private append(request: Omit<Backfill, 'receivedAt'>): Promise<void> {
    const { log, codec } = this.context;
    const done = this.appending.then(async () => {
      this.lastReceivedAt = Math.max(this.lastReceivedAt, Date.now());
      const receivedAt = this.lastReceivedAt;
      const value = codec.encode(backfillTopic, { ...request, receivedAt });
      await log.append([{ ...AT, key: request.id, value, receivedAt, seq: 0 }]);
    });
    this.appending = done.catch(() => {});
    return done;
  }

  private async run(): Promise<void> {
    const { logger, health } = this.context;
    const { signal } = this.closing;
    while (!signal.aborted) {
      try {
        await retry(() => this.poll(), {
          canRetry: (error) => !signal.aborted && isTransient(error, 'unknown_schema'),
          onFailure: (error, failures) => {
            if (failures === 1) logger.error({ error }, 'could not read backfill outcomes, retrying');
          },
          signal,
        });
      } catch (error) {
        if (signal.aborted) return;
        logger.error({ error }, 'stopped reading backfill outcomes after an unexpected error');
        health?.failed(PART, error);
        return;
      }
    }
  }

  private async poll(): Promise<void> {
    if (this.handledCount === this.batch.length) {
      this.batch = (await this.reader.poll(POLL_RECORDS, POLL_TIMEOUT_MS)).records;
      this.handledCount = 0;
    }
    for (; this.handledCount < this.batch.length; this.handledCount += 1)
      await this.handle(this.batch[this.handledCount]!);
  }

  /** Handles an outcome. Rejects while the schema of an awaited outcome cannot be fetched. */
  private async handle({ key, value, offset }: LogRecord): Promise<void> {
    const { codec, logger } = this.context;
    const waiter = this.waiting.get(key);
    if (!waiter || !value) return;
    try {
      await codec.fetchSchema(value);
      waiter.resolve(codec.decode(backfillOutcomeTopic, value));
    } catch (error) {
      if (!(error instanceof CodecError) || error.code === 'unknown_schema') throw error;
      logger.error({ offset, error }, 'skipped an undecodable record in control.backfill-outcomes');
    }
  }
}
