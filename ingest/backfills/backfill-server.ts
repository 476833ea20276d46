/**
 * Serves history backfills: reads requests from `control.backfills`, has the wallets scanned, and publishes the outcomes
 * on `control.backfill-outcomes`. Only the holder of ingest's lease runs it. The next process handles requests that a
 * process left unanswered: a repeated scan finds the same, and the normaliser emits nothing twice.
 */

import type { Running } from '#infra/context';
import type { AppendRecord } from '#infra/log/log';
import { readUntil } from '#infra/log/read-until';
import { isTransient, retry } from '#infra/retry';
import { type FollowerContext, TopicFollower } from '#infra/stages/topic-follower';
import {
  type Backfill,
  type BackfillFailure,
  type BackfillOutcome,
  backfillOutcomeTopic,
  backfillTopic,
} from '#schemas/topics/backfills';
import { BackfillQueue, type QueueLimits, type Scan, scanKey } from './backfill-queue.ts';

const AT = { topic: backfillTopic.name, partition: 0 };
const OUTCOMES_AT = { topic: backfillOutcomeTopic.name, partition: 0 };
/** An older request is answered as expired, or not at all: nobody waits for it any more. */
const REQUEST_TTL_MS = 10 * 60_000;
/** The result of a scan that takes at least this long answers repeated requests for `CACHE_MS`. */
const SLOW_MS = 20_000;
const CACHE_MS = 5 * 60_000;
const CACHE_MAX = 100;
/** Two scans run at once, so that a long one does not delay all others. */
const LIMITS: QueueLimits = { perOrganization: 10, total: 200, running: 2 };

/** The result of a scan. */
export type ScanResult = Pick<BackfillOutcome, 'fills' | 'fromBlock' | 'toBlock'>;

export interface BackfillOptions extends FollowerContext {
  /** Scans the history of a wallet; null if there is no node, as during playback. */
  readonly scan:
    | ((wallet: Pick<Backfill, 'address' | 'lookbackDays'>, signal: AbortSignal) => Promise<ScanResult>)
    | null;
  readonly limits?: QueueLimits;
  /** A scan that takes at least this long has its result cached, ms. */
  readonly slowMs?: number;
}

/** Runs until it is closed. Close it before the publisher. */
export async function startBackfillServer(options: BackfillOptions): Promise<Running> {
  const { log, codec } = options;
  await log.createTopics([backfillTopic, backfillOutcomeTopic]);
  await codec.prepare([backfillTopic, backfillOutcomeTopic]);
  const since = Date.now() - REQUEST_TTL_MS;
  const answeredIds = await readAnsweredIds(options, since);
  const server = new BackfillServer(options, answeredIds, await log.offsetAt(AT, since));
  await server.start();
  return server;
}

async function readAnsweredIds({ log }: BackfillOptions, since: number): Promise<Set<string>> {
  const answered = new Set<string>();
  const newest = await log.last(OUTCOMES_AT);
  if (!newest) return answered;
  const from = await log.offsetAt(OUTCOMES_AT, since);
  for await (const records of readUntil(log, OUTCOMES_AT, { from, last: newest.offset }))
    for (const { key } of records) answered.add(key);
  return answered;
}

interface CachedResult {
  readonly result: ScanResult;
  /** Unix ms. */
  readonly until: number;
}

class BackfillServer {
  private readonly options: BackfillOptions;
  private readonly answeredIds: Set<string>;
  private readonly follower: TopicFollower<Backfill>;
  private readonly queue: BackfillQueue;
  private readonly cache = new Map<string, CachedResult>();
  private readonly scans = new Set<Promise<void>>();
  private publishing: Promise<void> = Promise.resolve();
  private lastReceivedAt = 0;

  /** @param from offset of the first request. */
  constructor(options: BackfillOptions, answeredIds: Set<string>, from: number) {
    this.options = options;
    this.answeredIds = answeredIds;
    this.queue = new BackfillQueue(options.limits ?? LIMITS);
    this.follower = new TopicFollower(options, {
      topic: backfillTopic,
      part: 'backfill server',
      from,
      handle: (request) => this.handle(request),
      afterPoll: () => this.workOffQueue(),
    });
  }

  start(): Promise<void> {
    return this.follower.start();
  }

  /** Ends the running scans; resolves when every outcome is published. */
  async close(): Promise<void> {
    await this.follower.close();
    await Promise.all(this.scans);
    await this.publishing;
  }

  private workOffQueue(): void {
    for (const request of this.queue.dropOlderThan(Date.now() - REQUEST_TTL_MS))
      this.publishFailure([request], 'expired');
    this.startScans();
  }

  private handle(request: Backfill): void {
    if (this.answeredIds.delete(request.id) || request.receivedAt < Date.now() - REQUEST_TTL_MS) return;
    if (!this.options.scan) this.publishFailure([request], 'no_node');
    else {
      const cached = this.cache.get(scanKey(request));
      if (cached && cached.until > Date.now()) this.publishOutcome([request], { failure: null, ...cached.result });
      else if (!this.queue.add(request)) this.publishFailure([request], 'busy');
    }
  }

  private startScans(): void {
    for (let scan = this.queue.next(); scan; scan = this.queue.next()) {
      const runScan = this.work(scan).finally(() => this.scans.delete(runScan));
      this.scans.add(runScan);
    }
  }

  private async work(scan: Scan): Promise<void> {
    const { logger, slowMs = SLOW_MS } = this.options;
    const { address, lookbackDays, requests } = scan;
    const startedAt = Date.now();
    try {
      const result = await this.options.scan!({ address, lookbackDays }, this.follower.signal);
      this.queue.end(scan);
      const tookMs = Date.now() - startedAt;
      logger.info({ address, lookbackDays, tookMs, ...result }, 'scanned the history of a wallet');
      if (tookMs >= slowMs) this.cacheResult(scan, result);
      this.publishOutcome(requests, { failure: null, ...result });
    } catch (error) {
      this.queue.end(scan);
      // Left unanswered: the next process handles it.
      if (this.follower.signal.aborted) return;
      logger.warn({ address, lookbackDays, error }, 'could not scan the history of a wallet');
      this.publishFailure(requests, 'node_failed');
    }
    this.startScans();
  }

  private cacheResult(scan: Scan, result: ScanResult): void {
    const now = Date.now();
    for (const [key, { until }] of this.cache) if (until <= now) this.cache.delete(key);
    if (this.cache.size < CACHE_MAX) this.cache.set(scanKey(scan), { result, until: now + CACHE_MS });
  }

  private publishFailure(requests: readonly Backfill[], failure: BackfillFailure): void {
    this.publishOutcome(requests, { failure, fills: 0, fromBlock: 0, toBlock: 0 });
  }

  /** Publishes one batch after the other, so that times do not go back within the partition. */
  private publishOutcome(requests: readonly Backfill[], outcome: Omit<BackfillOutcome, 'id' | 'receivedAt'>): void {
    const ids = requests.map(({ id }) => id);
    this.publishing = this.publishing.then(async () => {
      const receivedAt = Math.max(this.lastReceivedAt, Date.now());
      this.lastReceivedAt = receivedAt;
      const records = ids.map((id) => {
        const value = this.options.codec.encode(backfillOutcomeTopic, { id, receivedAt, ...outcome });
        return { ...OUTCOMES_AT, key: id, value, receivedAt, seq: 0 };
      });
      await this.append(records).catch((error: unknown) => {
        if (!this.follower.signal.aborted) this.options.logger.error({ error }, 'a backfill outcome was not published');
      });
    });
  }

  private append(records: readonly AppendRecord[]): Promise<void> {
    const { signal } = this.follower;
    return retry(() => this.options.log.append(records), {
      canRetry: (error) => !signal.aborted && isTransient(error),
      onFailure: (error, failures) => {
        if (failures === 1) this.options.logger.error({ error }, 'could not publish backfill outcomes, retrying');
      },
      signal,
    });
  }
}
