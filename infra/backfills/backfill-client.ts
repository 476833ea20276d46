/**
 * Asks ingest for history backfills and waits for what comes of them. Ingest may run in another process, so question and
 * outcome go through the log.
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
/** Below the time that an answer of REST may take. */
const WAIT_MS = 25_000;
/** Requests that wait on this node, of one organization and of all. */
const WAITING_MAX = { perOrganization: 10, total: 200 } as const;

/** What came of a wish; `late`: nothing yet, it is still looked up; `busy`: too many wait on this node. */
export type BackfillAnswer = BackfillOutcome | 'late' | 'busy';

export interface BackfillHost {
  /** Rejects with a `LogError` when the log took nothing. */
  ask(wish: Pick<Backfill, 'orgId' | 'address' | 'lookbackDays'>): Promise<BackfillAnswer>;
  close(): Promise<void>;
}

export interface BackfillHostContext {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
  readonly health?: Health;
  /** How long a wish waits for its outcome. */
  readonly waitMs?: number;
}

export async function openBackfillHost(context: BackfillHostContext): Promise<BackfillHost> {
  const { log, codec } = context;
  await log.createTopics([backfillTopic, backfillOutcomeTopic]);
  await codec.prepare([backfillTopic, backfillOutcomeTopic]);
  const { next } = await log.bounds(OUTCOMES_AT);
  return new Host(context, await log.reader([{ ...OUTCOMES_AT, offset: next }]));
}

interface Waiter {
  readonly orgId: string;
  readonly tell: (outcome: BackfillOutcome) => void;
}

class Host implements BackfillHost {
  private readonly context: BackfillHostContext;
  private readonly reader: LogReader;
  private readonly waiting = new Map<string, Waiter>();
  private readonly ending = new AbortController();
  private readonly reading: Promise<void>;
  /** What was read last. What cannot be taken now is taken before anything that comes after it. */
  private read: readonly LogRecord[] = [];
  /** How many of it are taken. */
  private taken = 0;
  private appending: Promise<void> = Promise.resolve();
  private lastReceivedAt = 0;

  constructor(context: BackfillHostContext, reader: LogReader) {
    this.context = context;
    this.reader = reader;
    this.reading = this.run();
  }

  async ask(wish: Pick<Backfill, 'orgId' | 'address' | 'lookbackDays'>): Promise<BackfillAnswer> {
    const { waitMs = WAIT_MS } = this.context;
    const ofSame = [...this.waiting.values()].filter(({ orgId }) => orgId === wish.orgId).length;
    if (this.waiting.size >= WAITING_MAX.total || ofSame >= WAITING_MAX.perOrganization) return 'busy';
    const id = randomUUID();
    let timer: NodeJS.Timeout | undefined;
    const answer = new Promise<BackfillAnswer>((resolve) => {
      this.waiting.set(id, { orgId: wish.orgId, tell: resolve });
      timer = setTimeout(() => resolve('late'), waitMs);
    });
    try {
      // The limit holds for the append too, which may wait long for a broker.
      return await Promise.race([answer, this.append({ id, ...wish }).then(() => answer)]);
    } finally {
      clearTimeout(timer);
      this.waiting.delete(id);
    }
  }

  async close(): Promise<void> {
    this.ending.abort();
    await this.reading;
    await this.reader.close();
  }

  /** One after the other, so that this node's times do not go back. */
  private append(wish: Omit<Backfill, 'receivedAt'>): Promise<void> {
    const { log, codec } = this.context;
    const done = this.appending.then(async () => {
      this.lastReceivedAt = Math.max(this.lastReceivedAt, Date.now());
      const receivedAt = this.lastReceivedAt;
      const value = codec.encode(backfillTopic, { ...wish, receivedAt });
      await log.append([{ ...AT, key: wish.id, value, receivedAt, seq: 0 }]);
    });
    this.appending = done.catch(() => {});
    return done;
  }

  private async run(): Promise<void> {
    const { logger, health } = this.context;
    const { signal } = this.ending;
    while (!signal.aborted) {
      try {
        await retry(() => this.poll(), {
          canRetry: (error) => !signal.aborted && isTransient(error, 'unknown_schema'),
          onFailure: (error, failures) => {
            if (failures === 1) logger.error({ error }, 'outcomes of backfills cannot be read; trying again');
          },
          signal,
        });
      } catch (error) {
        if (signal.aborted) return;
        logger.error({ error }, 'reading the outcomes of backfills stopped by a fault');
        health?.failed(PART, error);
        return;
      }
    }
  }

  private async poll(): Promise<void> {
    if (this.taken === this.read.length) {
      this.read = (await this.reader.poll(POLL_RECORDS, POLL_TIMEOUT_MS)).records;
      this.taken = 0;
    }
    for (; this.taken < this.read.length; this.taken += 1) await this.take(this.read[this.taken]!);
  }

  /** Rejects while the schema of an outcome that somebody waits for cannot be fetched. */
  private async take({ key, value, offset }: LogRecord): Promise<void> {
    const { codec, logger } = this.context;
    const waiter = this.waiting.get(key);
    if (!waiter || !value) return;
    try {
      await codec.fetchSchema(value);
      waiter.tell(codec.decode(backfillOutcomeTopic, value));
    } catch (error) {
      if (!(error instanceof CodecError) || error.code === 'unknown_schema') throw error;
      logger.error({ offset, error }, 'an outcome of a backfill cannot be read; passed over');
    }
  }
}
