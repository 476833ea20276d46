/** Determines at which offset a stage starts to read each of its inputs, and which records retention has removed. */
import type { Topic } from '#schemas/topics/topic';
import type { EventLog, TopicPartition } from '../log/log.ts';
import { partitionName } from '../log/partition-name.ts';
import { removedBefore } from './removed-records.ts';
import type { StagePosition } from './snapshot.ts';
import type { Heads, StageInput } from './stage.ts';
import { partitionsOf } from './stage-topics.ts';

/**
 * How far back a view reads a topic that is not compacted, by append time, counted from its newest record. Such topics
 * repeat their contents every few seconds (the time, complete books), so no more is needed to know the current values.
 */
const VIEW_LOOKBACK_MS = 10 * 60_000;
/** At most this many records of each partition are read, so that a start takes no longer at a high rate. */
const VIEW_LOOKBACK_RECORDS = 10_000;

export interface StartOffset extends TopicPartition {
  readonly offset: number;
  /** Newest `seq` that the state contains. */
  readonly lastSeq: number;
}

/** Records that retention removed before the stage processed them. */
export interface RemovedRecords extends TopicPartition {
  readonly records: number;
}

export interface StartPosition {
  readonly startOffsets: readonly StartOffset[];
  /** Removed records that the stage skips: its figures lack them. */
  readonly removed: readonly RemovedRecords[];
}

/**
 * Thrown for a stage without a snapshot whose input is trimmed: it would count from the middle and return wrong
 * figures.
 */
export class TrimmedInputError extends Error {
  override name = 'TrimmedInputError';
  readonly code = 'input_trimmed';
  readonly canRetry = false;
  constructor(stage: string, removed: readonly RemovedRecords[]) {
    const list = removed.map((at) => `${at.records} of ${partitionName(at)}`).join(', ');
    super(
      `the stage ${stage} has no snapshot to start from, and retention has removed records that its state needs: ${list}. ` +
        'If every raw topic is complete, `npm run replay` derives everything again. Otherwise run the version that wrote the ' +
        'snapshots, or write the remaining records as a recording (`npm run record -- --from-start`) and play it into another --data-dir',
    );
  }
}

/**
 * Resolves the start position of a processor. Rejects with `TrimmedInputError`.
 * @param snapshot the position to resume from; null to start from the first record.
 */
export async function resolveStartPosition(
  log: EventLog,
  stage: string,
  topics: readonly Topic[],
  snapshot: StagePosition | null,
): Promise<StartPosition> {
  const startOffsets: StartOffset[] = [];
  const removed: RemovedRecords[] = [];
  for (const { topic, at } of partitionsOf(topics)) {
    const name = partitionName(at);
    const { first } = await log.bounds(at);
    const wanted = snapshot?.offsets.get(name);
    const records = await countMissing(log, topic, at, { first, wanted });
    if (records > 0) removed.push({ ...at, records });
    startOffsets.push({ ...at, offset: Math.max(first, wanted ?? first), lastSeq: snapshot?.inputSeqs.get(name) ?? 0 });
  }
  if (!snapshot && removed.length > 0) throw new TrimmedInputError(stage, removed);
  return { startOffsets, removed };
}

/**
 * Resolves the start position of a view, which starts over each time. A view needs no snapshot: compacted topics hold
 * what it shows, and of other topics the newest records do. So several nodes can have the same views without shared
 * storage.
 */
export async function resolveViewStartPosition(
  log: EventLog,
  inputs: readonly Pick<StageInput<never>, 'topic' | 'heads'>[],
): Promise<StartPosition> {
  const startOffsets: StartOffset[] = [];
  for (const { topic, heads } of inputs) {
    for (const { at } of partitionsOf([topic])) {
      const offset = heads ? await offsetAfterHeads(log, heads, at) : await viewStartOffset(log, topic, at);
      startOffsets.push({ ...at, offset, lastSeq: 0 });
    }
  }
  return { startOffsets, removed: [] };
}

async function viewStartOffset(log: EventLog, topic: Topic, at: TopicPartition): Promise<number> {
  const { first, next } = await log.bounds(at);
  const last = topic.retention.kind === 'compacted' ? null : await log.last(at);
  if (!last) return first;
  return Math.max(first, next - VIEW_LOOKBACK_RECORDS, await log.offsetAt(at, last.appendedAt - VIEW_LOOKBACK_MS));
}

/**
 * The offset after which the heads contain no record, or an earlier one. A record is appended after it was received, so
 * the times of the heads can be compared with append times; in a recording, whose times are long past, all is read.
 */
async function offsetAfterHeads(log: EventLog, { topic, delayMs }: Heads, at: TopicPartition): Promise<number> {
  const { first } = await log.bounds(at);
  let newest: number | null = null;
  for (const partition of partitionsOf([topic])) {
    const last = await log.last(partition.at);
    if (last && last.receivedAt > (newest ?? 0)) newest = last.receivedAt;
  }
  if (newest === null) return first;
  // One delay more: the newest heads may not have been appended to every partition yet, and clocks of machines differ.
  return Math.max(first, await log.offsetAt(at, newest - 2 * delayMs));
}

async function countMissing(
  log: EventLog,
  topic: Topic,
  at: TopicPartition,
  { first, wanted }: { first: number; wanted: number | undefined },
): Promise<number> {
  if (wanted === undefined) return removedBefore(log, topic, at);
  return topic.retention.kind === 'compacted' ? 0 : Math.max(0, first - wanted);
}
