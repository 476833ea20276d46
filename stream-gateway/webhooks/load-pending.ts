/**
 * What is not settled in one partition of `derived.deliveries`, as the log tells it: the deliveries since the noted
 * progress, without those whose last attempt settled them.
 */
import type { Logger } from 'pino';
import type { Codec } from '#infra/codec/codec';
import type { EventLog } from '#infra/log/log';
import {
  attemptTopic,
  type Delivery,
  type DeliveryProgress,
  deliveryTopic,
  progressTopic,
} from '#schemas/topics/webhooks';
import { decodeRecord } from './decode-record.ts';
import { readRange } from './read-range.ts';

/** The clocks of nodes and brokers may be apart by this, or an event be stamped ahead of its attempts. */
const CLOCKS_APART_MS = 5 * 60_000;

export interface LoadContext {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
}

/** A delivery, and the attempts that were made of it. */
export interface Loaded extends DeliveryProgress {
  readonly delivery: Delivery;
  /** Whether it needs no more attempts. */
  readonly isSettled: boolean;
  readonly attempts: number;
  readonly nextAttemptAt: number | null;
}

export interface LoadedPartition {
  /** Offset to read on from. */
  readonly next: number;
  /** `seq` of the newest delivery. */
  readonly seq: number;
  /** Newest time among the records of `control.attempts`. */
  readonly attemptedAt: number;
}

/** What the attempts say of a delivery. */
interface Standing {
  isSettled: boolean;
  attempts: number;
  nextAttemptAt: number | null;
  /** The delivery was met, so that a second one with its id is a repeat. */
  isMet: boolean;
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
  let next = from.offset;
  let seq = 0;
  await readRange(log, at, from.offset, async (record) => {
    next = record.offset + 1;
    seq = Math.max(seq, record.seq);
    const delivery = await decodeRecord(context, deliveryTopic, record);
    if (!delivery) return true;
    const standing = standings.byId.get(delivery.id) ?? newStanding();
    if (standing.isMet) return true;
    standing.isMet = true;
    standings.byId.set(delivery.id, standing);
    visit({ delivery, offset: record.offset, appendedAt: record.appendedAt, ...standing });
    return true;
  });
  return { next, seq, attemptedAt: standings.newest };
}

function newStanding(): Standing {
  return { isSettled: false, attempts: 0, nextAttemptAt: null, isMet: false };
}

/** Where to begin, and the event time of the delivery there: no attempt of it or of a later one is older. */
async function beginning({ log, codec }: LoadContext, partition: number) {
  const at = { topic: deliveryTopic.name, partition };
  const { first } = await log.bounds(at);
  const noted = await log.last({ topic: progressTopic.name, partition });
  let progress: DeliveryProgress | null = null;
  if (noted?.value) {
    await codec.learn(noted.value);
    progress = codec.decode(progressTopic, noted.value);
  }
  if (progress && progress.offset >= first) {
    const there = await recordAt(log, partition, progress.offset);
    if (there?.appendedAt === progress.appendedAt) return { offset: progress.offset, since: there.receivedAt };
  }
  // Nothing is noted, or retention went by it, or the topic was written anew.
  const there = await recordAt(log, partition, first);
  return { offset: first, since: there?.receivedAt ?? Number.POSITIVE_INFINITY };
}

/** The first record from the offset on. */
async function recordAt(log: EventLog, partition: number, offset: number) {
  const found: { readonly appendedAt: number; readonly receivedAt: number }[] = [];
  await readRange(log, { topic: deliveryTopic.name, partition }, offset, (record) => {
    found.push(record);
    return false;
  });
  return found[0] ?? null;
}

async function readStandings(context: LoadContext, partition: number, since: number) {
  const { log } = context;
  const at = { topic: attemptTopic.name, partition };
  const byId = new Map<string, Standing>();
  let newest = (await log.last(at))?.receivedAt ?? 0;
  if (since === Number.POSITIVE_INFINITY) return { byId, newest };
  const from = await log.offsetAt(at, Math.max(0, since - CLOCKS_APART_MS));
  await readRange(log, at, from, async (record) => {
    newest = Math.max(newest, record.receivedAt);
    const attempt = await decodeRecord(context, attemptTopic, record);
    if (!attempt) return true;
    byId.set(attempt.deliveryId, {
      isSettled: attempt.outcome !== 'pending',
      attempts: attempt.attempt,
      nextAttemptAt: attempt.nextAttemptAt,
      isMet: false,
    });
    return true;
  });
  return { byId, newest };
}
