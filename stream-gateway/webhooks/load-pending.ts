/**
 * Reads the unfinished deliveries of one partition of `derived.deliveries`: those since the stored progress whose last
 * attempt did not finish them.
 */
import type { Logger } from 'pino';
import type { Codec } from '#infra/codec/codec';
import type { EventLog, LogRecord } from '#infra/log/log';
import { readPartition } from '#infra/log/read-partition';
import {
  attemptTopic,
  DELIVERY_RETENTION_MS,
  type Delivery,
  type DeliveryProgress,
  deliveryTopic,
  progressTopic,
} from '#schemas/topics/webhooks';
import { decodeRecord } from './decode-record.ts';

/** How far the clocks of nodes and brokers may differ. */
const CLOCKS_APART_MS = 5 * 60_000;

export interface LoadContext {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
}

/** The state of a delivery according to its attempts. */
export interface AttemptState {
  /** True if it needs no more attempts. */
  readonly isFinished: boolean;
  readonly attempts: number;
  readonly nextAttemptAt: number | null;
}

/** The state of a delivery without attempts. */
export const UNTRIED: AttemptState = { isFinished: false, attempts: 0, nextAttemptAt: null };

/** A delivery with the state of its attempts. */
export interface LoadedDelivery extends DeliveryProgress, AttemptState {
  readonly delivery: Delivery;
}

export interface LoadedPartition {
  /** Offset to read on from. */
  readonly next: number;
  /** `seq` of the newest delivery. */
  readonly seq: number;
  /** Newest time among the records of `control.attempts`. */
  readonly attemptedAt: number;
  /** Returns the state of a delivery that is read later: while a rebuild runs, it may have been attempted long ago. */
  readonly attemptStateOf: (delivery: Delivery, seq: number) => AttemptState;
}

/** Calls `visit` for every delivery since the stored progress, once and in order. */
export async function loadPartition(
  context: LoadContext,
  partition: number,
  visit: (loaded: LoadedDelivery) => void,
): Promise<LoadedPartition> {
  const { log } = context;
  const at = { topic: deliveryTopic.name, partition };
  const from = await resolveStart(context, partition);
  const attemptStates = await readAttemptStates(context, partition, from.since);
  const lostBefore = from.isProgressInvalid ? await findLostBefore(log, partition) : Number.NEGATIVE_INFINITY;
  let firstSeq: number | null = null;
  const seenIds = new Set<string>();
  const attemptStateOf = ({ id, createdAt }: Delivery, number: number): AttemptState => {
    firstSeq ??= number;
    const known = attemptStates.byId.get(id);
    // Looked up once; what remains is small, except after a rebuild.
    attemptStates.byId.delete(id);
    return known ?? { ...UNTRIED, isFinished: firstSeq === 1 && createdAt < lostBefore };
  };
  let next = from.offset;
  let seq = 0;
  const load = async (record: LogRecord) => {
    next = record.offset + 1;
    firstSeq ??= record.seq;
    seq = Math.max(seq, record.seq);
    const delivery = await decodeRecord(context, deliveryTopic, record);
    // A second delivery with the same id is a repeat.
    if (!delivery || seenIds.has(delivery.id)) return;
    seenIds.add(delivery.id);
    visit({ delivery, offset: record.offset, appendedAt: record.appendedAt, ...attemptStateOf(delivery, record.seq) });
  };
  await readPartition(log, at, load, from.offset);
  return { next, seq, attemptedAt: attemptStates.newest, attemptStateOf };
}

interface StartPosition {
  readonly offset: number;
  /**
   * No attempt of the delivery at `offset` or of a later one was appended before this time, apart from clock
   * differences.
   */
  readonly since: number;
  /**
   * True if the stored progress names a delivery that is not there: retention removed it, or the topic was rewritten.
   */
  readonly isProgressInvalid: boolean;
}

async function resolveStart({ log, codec }: LoadContext, partition: number): Promise<StartPosition> {
  const { first } = await log.bounds({ topic: deliveryTopic.name, partition });
  const stored = await log.last({ topic: progressTopic.name, partition });
  let progress: DeliveryProgress | null = null;
  if (stored?.value) {
    await codec.fetchSchema(stored.value);
    progress = codec.decode(progressTopic, stored.value);
  }
  if (progress && progress.offset >= first) {
    const there = await recordAt(log, partition, progress.offset);
    if (there?.appendedAt === progress.appendedAt) {
      // The event time may be ahead of the wall clock that stamps attempts. Where a rebuild appended the delivery, its
      // attempts may be older than that, but not older than its event.
      const since = Math.min(there.receivedAt, there.appendedAt) - CLOCKS_APART_MS;
      return { offset: progress.offset, since, isProgressInvalid: false };
    }
  }
  return { offset: first, since: 0, isProgressInvalid: progress !== null };
}

/**
 * Deliveries of a rewritten topic (its numbers restart) that were created before this time may have been attempted
 * without a record being left, since retention removes the oldest attempts first. Such a delivery is finished, since
 * the schedule is far shorter than the retention of attempts. Where no attempt was removed all are known, whatever the
 * event times (a recording of years ago).
 */
async function findLostBefore(log: EventLog, partition: number): Promise<number> {
  const { first } = await log.bounds({ topic: attemptTopic.name, partition });
  return first > 0 ? Date.now() - DELIVERY_RETENTION_MS : Number.NEGATIVE_INFINITY;
}

/** Reads the first record at or after an offset. */
async function recordAt(log: EventLog, partition: number, offset: number): Promise<LogRecord | null> {
  const found: LogRecord[] = [];
  const onRecord = (record: LogRecord) => {
    found.push(record);
    return false;
  };
  await readPartition(log, { topic: deliveryTopic.name, partition }, onRecord, offset);
  return found[0] ?? null;
}

async function readAttemptStates(context: LoadContext, partition: number, since: number) {
  const { log } = context;
  const at = { topic: attemptTopic.name, partition };
  const byId = new Map<string, AttemptState>();
  let newest = (await log.last(at))?.receivedAt ?? 0;
  const apply = async (record: LogRecord) => {
    newest = Math.max(newest, record.receivedAt);
    const attempt = await decodeRecord(context, attemptTopic, record);
    if (!attempt) return;
    byId.set(attempt.deliveryId, {
      isFinished: attempt.outcome !== 'pending',
      attempts: attempt.attempt,
      nextAttemptAt: attempt.nextAttemptAt,
    });
  };
  await readPartition(log, at, apply, await log.offsetAt(at, Math.max(0, since)));
  return { byId, newest };
}
