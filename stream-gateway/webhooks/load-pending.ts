/**
 * What is not settled in one partition of `derived.deliveries`, as the log tells it: the deliveries since the noted
 * progress, without those whose last attempt settled them.
 */
import type { Logger } from 'pino';
import type { Codec } from '#infra/codec/codec';
import type { EventLog, LogRecord } from '#infra/log/log';
import { readPartition } from '#infra/log/read-partition';
import {
  attemptTopic,
  DELIVERIES_KEPT_MS,
  type Delivery,
  type DeliveryProgress,
  deliveryTopic,
  progressTopic,
} from '#schemas/topics/webhooks';
import { decodeRecord } from './decode-record.ts';

/** The clocks of nodes and brokers may be apart by this. */
const CLOCKS_APART_MS = 5 * 60_000;

export interface LoadContext {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
}

/** What the attempts say of a delivery. */
export interface Standing {
  /** Whether it needs no more attempts. */
  readonly isSettled: boolean;
  readonly attempts: number;
  readonly nextAttemptAt: number | null;
}

/** Of a delivery that no attempt is known of. */
export const UNTRIED: Standing = { isSettled: false, attempts: 0, nextAttemptAt: null };

/** A delivery, and the attempts that were made of it. */
export interface Loaded extends DeliveryProgress, Standing {
  readonly delivery: Delivery;
}

export interface LoadedPartition {
  /** Offset to read on from. */
  readonly next: number;
  /** `seq` of the newest delivery. */
  readonly seq: number;
  /** Newest time among the records of `control.attempts`. */
  readonly attemptedAt: number;
  /** Tells of a delivery that is read later: while a rebuild goes on, it may have been attempted long ago. */
  readonly standingOf: (delivery: Delivery, seq: number) => Standing;
}

/** Hands every delivery from the progress on to `visit`, once and in order. */
export async function loadPartition(
  context: LoadContext,
  partition: number,
  visit: (loaded: Loaded) => void,
): Promise<LoadedPartition> {
  const { log } = context;
  const at = { topic: deliveryTopic.name, partition };
  const from = await beginning(context, partition);
  const standings = await readStandings(context, partition, from.since);
  const forgottenBefore = from.isElsewhere ? await endOfForgotten(log, partition) : Number.NEGATIVE_INFINITY;
  let firstSeq: number | null = null;
  const met = new Set<string>();
  const standingOf = ({ id, createdAt }: Delivery, number: number): Standing => {
    firstSeq ??= number;
    const known = standings.byId.get(id);
    // Asked once; what is left is small, except after a rebuild.
    standings.byId.delete(id);
    return known ?? { ...UNTRIED, isSettled: firstSeq === 1 && createdAt < forgottenBefore };
  };
  let next = from.offset;
  let seq = 0;
  const load = async (record: LogRecord) => {
    next = record.offset + 1;
    firstSeq ??= record.seq;
    seq = Math.max(seq, record.seq);
    const delivery = await decodeRecord(context, deliveryTopic, record);
    // A second one with its id is a repeat.
    if (!delivery || met.has(delivery.id)) return;
    met.add(delivery.id);
    visit({ delivery, offset: record.offset, appendedAt: record.appendedAt, ...standingOf(delivery, record.seq) });
  };
  await readPartition(log, at, load, from.offset);
  return { next, seq, attemptedAt: standings.newest, standingOf };
}

interface Beginning {
  readonly offset: number;
  /** No attempt of the delivery there or of a later one was appended before, apart from what clocks differ. */
  readonly since: number;
  /** Progress is noted of a delivery that does not stand there: retention removed it, or the topic was written anew. */
  readonly isElsewhere: boolean;
}

async function beginning({ log, codec }: LoadContext, partition: number): Promise<Beginning> {
  const { first } = await log.bounds({ topic: deliveryTopic.name, partition });
  const noted = await log.last({ topic: progressTopic.name, partition });
  let progress: DeliveryProgress | null = null;
  if (noted?.value) {
    await codec.learn(noted.value);
    progress = codec.decode(progressTopic, noted.value);
  }
  if (progress && progress.offset >= first) {
    const there = await recordAt(log, partition, progress.offset);
    if (there?.appendedAt === progress.appendedAt) {
      // The pipeline's time may run ahead of the wall clock that attempts are appended by. Where a rebuild appended the
      // delivery, attempts of it may be older than that, though not than its event.
      const since = Math.min(there.receivedAt, there.appendedAt) - CLOCKS_APART_MS;
      return { offset: progress.offset, since, isElsewhere: false };
    }
  }
  return { offset: first, since: 0, isElsewhere: progress !== null };
}

/**
 * A delivery of a topic that was written anew (its numbers begin again), created before this, may have had its attempts
 * without a record being left: retention removes those first. It is over, since the schedule is far shorter than they
 * are kept. Where none was removed all are known, whatever times deliveries have (a recording of years ago).
 */
async function endOfForgotten(log: EventLog, partition: number): Promise<number> {
  const { first } = await log.bounds({ topic: attemptTopic.name, partition });
  return first > 0 ? Date.now() - DELIVERIES_KEPT_MS : Number.NEGATIVE_INFINITY;
}

/** The first record from the offset on. */
async function recordAt(log: EventLog, partition: number, offset: number): Promise<LogRecord | null> {
  const found: LogRecord[] = [];
  const take = (record: LogRecord) => {
    found.push(record);
    return false;
  };
  await readPartition(log, { topic: deliveryTopic.name, partition }, take, offset);
  return found[0] ?? null;
}

async function readStandings(context: LoadContext, partition: number, since: number) {
  const { log } = context;
  const at = { topic: attemptTopic.name, partition };
  const byId = new Map<string, Standing>();
  let newest = (await log.last(at))?.receivedAt ?? 0;
  const learn = async (record: LogRecord) => {
    newest = Math.max(newest, record.receivedAt);
    const attempt = await decodeRecord(context, attemptTopic, record);
    if (!attempt) return;
    byId.set(attempt.deliveryId, {
      isSettled: attempt.outcome !== 'pending',
      attempts: attempt.attempt,
      nextAttemptAt: attempt.nextAttemptAt,
    });
  };
  await readPartition(log, at, learn, await log.offsetAt(at, Math.max(0, since)));
  return { byId, newest };
}
