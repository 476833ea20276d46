/** Where a stage begins to read each of its inputs, and what is not there to be read any more. */
import type { Topic } from '#schemas/topics/topic';
import type { EventLog, TopicPartition } from '../log/log.ts';
import { partitionName } from '../log/partition-name.ts';
import { removedBefore } from './removed-records.ts';
import type { StagePosition } from './snapshot.ts';
import { partitionsOf } from './stage-topics.ts';

/**
 * How far back a view reads a topic that is not compacted, from its newest record on, by append time. What is told that
 * way is told anew every few seconds (the time, whole books), so no more is needed to know what holds now.
 */
const VIEW_REACH_MS = 10 * 60_000;
/** At most so many records of each partition, so that a start takes no longer at a high rate. */
const VIEW_REACH_RECORDS = 10_000;

export interface InputBeginning extends TopicPartition {
  readonly offset: number;
  /** Newest `seq` that is in the state. */
  readonly lastSeq: number;
}

/** Records that retention removed before the stage took them. */
export interface Removed extends TopicPartition {
  readonly records: number;
}

export interface Beginning {
  readonly from: readonly InputBeginning[];
  /** Passed over: the figures lack them. */
  readonly removed: readonly Removed[];
}

/** A stage without a snapshot would count from the middle of its inputs, and tell wrong figures. */
export class TrimmedInputError extends Error {
  override name = 'TrimmedInputError';
  readonly code = 'input_trimmed';
  readonly canRetry = false;
  constructor(stage: string, removed: readonly Removed[]) {
    const list = removed.map((at) => `${at.records} of ${partitionName(at)}`).join(', ');
    super(
      `the stage ${stage} has no snapshot to start from, and retention has removed records that its state needs: ${list}. ` +
        'Where every raw topic is whole, `npm run replay` derives all anew. Otherwise run the version that wrote the ' +
        'snapshots, or write what is kept as a recording (`npm run record -- --from-start`) and play it into another --data-dir',
    );
  }
}

/** Of a processor. Rejects with `TrimmedInputError`. @param snapshot where it stands; null at its beginning. */
export async function beginningOfProcessor(
  log: EventLog,
  stage: string,
  topics: readonly Topic[],
  snapshot: StagePosition | null,
): Promise<Beginning> {
  const from: InputBeginning[] = [];
  const removed: Removed[] = [];
  for (const { topic, at } of partitionsOf(topics)) {
    const name = partitionName(at);
    const { first } = await log.bounds(at);
    const wanted = snapshot?.offsets.get(name);
    const records = await missing(log, topic, at, { first, wanted });
    if (records > 0) removed.push({ ...at, records });
    from.push({ ...at, offset: Math.max(first, wanted ?? first), lastSeq: snapshot?.inputSeqs.get(name) ?? 0 });
  }
  if (!snapshot && removed.length > 0) throw new TrimmedInputError(stage, removed);
  return { from, removed };
}

/**
 * Of a view, which begins anew at each start: it needs no snapshot, since compacted topics hold what it shows and of
 * others the newest records do. So several nodes can have the same views without a place to share.
 */
export async function beginningOfView(log: EventLog, topics: readonly Topic[]): Promise<Beginning> {
  const from: InputBeginning[] = [];
  for (const { topic, at } of partitionsOf(topics))
    from.push({ ...at, offset: await viewOffset(log, topic, at), lastSeq: 0 });
  return { from, removed: [] };
}

async function viewOffset(log: EventLog, topic: Topic, at: TopicPartition): Promise<number> {
  const { first, next } = await log.bounds(at);
  const last = topic.retention.kind === 'compacted' ? null : await log.last(at);
  if (!last) return first;
  return Math.max(first, next - VIEW_REACH_RECORDS, await log.offsetAt(at, last.appendedAt - VIEW_REACH_MS));
}

async function missing(
  log: EventLog,
  topic: Topic,
  at: TopicPartition,
  { first, wanted }: { first: number; wanted: number | undefined },
): Promise<number> {
  if (wanted === undefined) return removedBefore(log, topic, at);
  return topic.retention.kind === 'compacted' ? 0 : Math.max(0, first - wanted);
}
