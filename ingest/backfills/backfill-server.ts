/**
 * Answers history backfills: reads what is asked on `control.backfills`, has the wallets looked up, and tells what came
 * of it on `control.backfill-outcomes`. Only the holder of ingest's lease does. What a process leaves unanswered, the
 * next one takes up again: a scan done twice finds the same, and the normaliser tells nothing twice.
 */
import type { Logger } from 'pino';
import { type Codec, CodecError } from '#infra/codec/codec';
import type { Running } from '#infra/context';
import type { EventLog, LogReader, LogRecord } from '#infra/log/log';
import { readUntil } from '#infra/log/read-until';
import { isTransient, retry } from '#infra/retry';
import {
  type Backfill,
  type BackfillFailure,
  type BackfillOutcome,
  backfillOutcomeTopic,
  backfillTopic,
} from '#schemas/topics/backfills';
import { BackfillQueue, type QueueLimits, type Scan } from './backfill-queue.ts';

const AT = { topic: backfillTopic.name, partition: 0 };
const OUTCOMES_AT = { topic: backfillOutcomeTopic.name, partition: 0 };
const POLL_RECORDS = 256;
const POLL_TIMEOUT_MS = 250;
/** A request that is older is answered as expired, or not at all: nobody waits for it any more. */
const REQUEST_TTL_MS = 10 * 60_000;
/** Scans that last longer than a request may wait: what they found is told to who asks again within `KEPT_MS`. */
const SLOW_MS = 20_000;
const KEPT_MS = 5 * 60_000;
const KEPT_MAX = 100;
/** Two at once, so that a long one does not keep all others waiting. */
const LIMITS: QueueLimits = { perOrganization: 10, total: 200, running: 2 };

/** What a scan found. */
export type ScanResult = Pick<BackfillOutcome, 'fills' | 'fromBlock' | 'toBlock'>;

export interface BackfillOptions {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
  /** Looks a wallet up; null where there is no node to ask, as while a recording plays. */
  readonly scan:
    | ((wallet: Pick<Backfill, 'address' | 'lookbackDays'>, signal: AbortSignal) => Promise<ScanResult>)
    | null;
  readonly limits?: QueueLimits;
  /** From how long on a scan's result is kept, ms. */
  readonly slowMs?: number;
}

/** Goes on until it is closed; close it before the publisher. */
export async function answerBackfills(options: BackfillOptions): Promise<Running> {
  const { log, codec } = options;
  await log.createTopics([backfillTopic, backfillOutcomeTopic]);
  await codec.prepare([backfillTopic, backfillOutcomeTopic]);
  const since = Date.now() - REQUEST_TTL_MS;
  const answered = await answeredSince(options, since);
  const reader = await log.reader([{ ...AT, offset: await log.offsetAt(AT, since) }]);
  const ending = new AbortController();
  const desk = new Desk(options, reader, answered, ending.signal);
  const running = desk.run().catch((error: unknown) => {
    if (!ending.signal.aborted) options.logger.error({ error }, 'history backfills are not answered any more');
  });
  return {
    close: async () => {
      ending.abort();
      await running;
      await desk.idle();
      await reader.close();
    },
  };
}

async function answeredSince({ log }: BackfillOptions, since: number): Promise<Set<string>> {
  const answered = new Set<string>();
  const newest = await log.last(OUTCOMES_AT);
  if (!newest) return answered;
  const from = await log.offsetAt(OUTCOMES_AT, since);
  for await (const records of readUntil(log, OUTCOMES_AT, { from, last: newest.offset }))
    for (const { key } of records) answered.add(key);
  return answered;
}

interface KeptResult {
  readonly result: ScanResult;
  /** Unix ms. */
  readonly until: number;
}

class Desk {
  private readonly options: BackfillOptions;
  private readonly reader: LogReader;
  private readonly answered: Set<string>;
  private readonly signal: AbortSignal;
  private readonly queue: BackfillQueue;
  private readonly kept = new Map<string, KeptResult>();
  private readonly scans = new Set<Promise<void>>();
  private telling: Promise<void> = Promise.resolve();
  private toldAt = 0;

  constructor(options: BackfillOptions, reader: LogReader, answered: Set<string>, signal: AbortSignal) {
    this.options = options;
    this.reader = reader;
    this.answered = answered;
    this.signal = signal;
    this.queue = new BackfillQueue(options.limits ?? LIMITS);
  }

  async run(): Promise<void> {
    const { signal } = this;
    while (!signal.aborted) {
      const { records } = await this.patiently('backfills cannot be read', () =>
        this.reader.poll(POLL_RECORDS, POLL_TIMEOUT_MS),
      );
      for (const record of records) {
        const request = await this.patiently('a backfill cannot be decoded', () => this.decode(record));
        if (request) this.take(request);
      }
      for (const request of this.queue.dropOlderThan(Date.now() - REQUEST_TTL_MS)) this.fail([request], 'expired');
      this.begin();
    }
  }

  /** Resolves when nothing is under way any more. */
  async idle(): Promise<void> {
    await Promise.all(this.scans);
    await this.telling;
  }

  private take(request: Backfill): void {
    if (this.answered.delete(request.id) || request.receivedAt < Date.now() - REQUEST_TTL_MS) return;
    if (!this.options.scan) this.fail([request], 'no_node');
    else {
      const kept = this.kept.get(keptKey(request));
      if (kept && kept.until > Date.now()) this.tell([request], { failure: null, ...kept.result });
      else if (!this.queue.add(request)) this.fail([request], 'busy');
    }
  }

  private begin(): void {
    for (let scan = this.queue.next(); scan; scan = this.queue.next()) {
      const work = this.work(scan).finally(() => this.scans.delete(work));
      this.scans.add(work);
    }
  }

  private async work(scan: Scan): Promise<void> {
    const { logger, slowMs = SLOW_MS } = this.options;
    const { address, lookbackDays, requests } = scan;
    const begunAt = Date.now();
    try {
      const result = await this.options.scan!({ address, lookbackDays }, this.signal);
      this.queue.end(scan);
      const tookMs = Date.now() - begunAt;
      logger.info({ address, lookbackDays, tookMs, ...result }, 'the history of a wallet was looked up');
      if (tookMs >= slowMs) this.keep(scan, result);
      this.tell(requests, { failure: null, ...result });
    } catch (error) {
      this.queue.end(scan);
      // Unanswered: whoever is started next takes it up again.
      if (this.signal.aborted) return;
      logger.warn({ address, lookbackDays, error }, 'the history of a wallet cannot be looked up');
      this.fail(requests, 'node_failed');
    }
    this.begin();
  }

  private keep(scan: Scan, result: ScanResult): void {
    const now = Date.now();
    for (const [key, { until }] of this.kept) if (until <= now) this.kept.delete(key);
    if (this.kept.size < KEPT_MAX) this.kept.set(keptKey(scan), { result, until: now + KEPT_MS });
  }

  private fail(requests: readonly Backfill[], failure: BackfillFailure): void {
    this.tell(requests, { failure, fills: 0, fromBlock: 0, toBlock: 0 });
  }

  /** One batch after the other, so that times do not go back within the partition. */
  private tell(requests: readonly Backfill[], outcome: Omit<BackfillOutcome, 'id' | 'receivedAt'>): void {
    const ids = requests.map(({ id }) => id);
    this.telling = this.telling.then(async () => {
      const receivedAt = Math.max(this.toldAt, Date.now());
      this.toldAt = receivedAt;
      const records = ids.map((id) => {
        const value = this.options.codec.encode(backfillOutcomeTopic, { id, receivedAt, ...outcome });
        return { ...OUTCOMES_AT, key: id, value, receivedAt, seq: 0 };
      });
      await this.patiently('outcomes of backfills cannot be told', () => this.options.log.append(records)).catch(
        (error: unknown) => {
          if (!this.signal.aborted) this.options.logger.error({ error }, 'an outcome of a backfill was not told');
        },
      );
    });
  }

  /** Null for a record that is no request. */
  private async decode({ value, offset }: LogRecord): Promise<Backfill | null> {
    if (!value) return null;
    const { codec, logger } = this.options;
    try {
      await codec.fetchSchema(value);
      return codec.decode(backfillTopic, value);
    } catch (error) {
      if (!(error instanceof CodecError) || error.code === 'unknown_schema') throw error;
      logger.error({ offset, error }, 'a record of control.backfills is no backfill; passed over');
      return null;
    }
  }

  private patiently<T>(trouble: string, operation: () => Promise<T>): Promise<T> {
    const { signal } = this;
    return retry(operation, {
      canRetry: (error) => !signal.aborted && isTransient(error, 'unknown_schema'),
      onFailure: (error, failures) => {
        if (failures === 1) this.options.logger.error({ error }, `${trouble}; trying again`);
      },
      signal,
    });
  }
}

const keptKey = ({ address, lookbackDays }: Pick<Backfill, 'address' | 'lookbackDays'>) => `${address} ${lookbackDays}`;
