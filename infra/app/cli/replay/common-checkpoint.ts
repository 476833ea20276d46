/** Finds the oldest midnight to rebuild from once retention has removed raw records: the common daily checkpoint. */
import type { Logger } from 'pino';
import type { Codec } from '../../../codec/codec.ts';
import type { EventLog } from '../../../log/log.ts';
import { parsePartitionName } from '../../../log/partition-name.ts';
import {
  type DailyCheckpoint,
  type DailyCheckpointStore,
  openDailyCheckpoints,
} from '../../../stages/daily-checkpoints.ts';
import { removedBefore } from '../../../stages/removed-records.ts';
import type { Snapshot } from '../../../stages/snapshot.ts';
import type { Stage } from '../../../stages/stage.ts';
import { partitionsOf } from '../../../stages/stage-topics.ts';
import type { RemovedRecords } from '../../../stages/start-position.ts';
import { isSource } from './overlay-log.ts';

/** Daily checkpoints of all stages at the same event time, so that they are consistent. */
export interface CommonCheckpoint {
  /** The midnight, unix ms. The snapshots hold exactly what was received before it. */
  readonly at: number;
  /** By stage. Only with offsets of source topics, since outputs of other stages are derived again. */
  readonly snapshots: ReadonlyMap<string, Snapshot<unknown>>;
}

/** Counts the records of the stages' source topics that retention has removed, per partition with removed records. */
export async function removedSourceRecords(
  log: EventLog,
  stages: readonly Stage<unknown>[],
): Promise<RemovedRecords[]> {
  const topics = new Map(stages.flatMap(({ inputs }) => inputs.map(({ topic }) => [topic.name, topic] as const)));
  const removed: RemovedRecords[] = [];
  for (const { topic, at } of partitionsOf([...topics.values()].filter(({ name }) => isSource(name)))) {
    const records = await removedBefore(log, topic, at);
    if (records > 0) removed.push({ ...at, records });
  }
  return removed;
}

/** Formats counts by topic, such as `12 of raw.venue_a.ws, 3 of control.clock`. */
export function listRemoved(removed: readonly RemovedRecords[]): string {
  const byTopic = new Map<string, number>();
  for (const { topic, records } of removed) byTopic.set(topic, (byTopic.get(topic) ?? 0) + records);
  return [...byTopic].map(([topic, records]) => `${records} of ${topic}`).join(', ');
}

/** Null if there is no midnight with a complete daily checkpoint of every stage and all raw records since then. */
export async function findCommonCheckpoint(
  { log, codec, logger }: { readonly log: EventLog; readonly codec: Codec; readonly logger: Logger },
  stages: readonly Stage<unknown>[],
): Promise<CommonCheckpoint | null> {
  const stores = new Map<string, DailyCheckpointStore<unknown>>();
  let candidates: number[] | null = null;
  for (const stage of stages) {
    const store = await openDailyCheckpoints({ stage, log, codec, logger });
    stores.set(stage.name, store);
    const usable = await usableCheckpoints(log, await store.list());
    candidates = candidates ? candidates.filter((at) => usable.has(at)) : [...usable];
  }
  for (const at of candidates ?? []) {
    const snapshots = await loadAll(stores, at);
    if (snapshots) return { at, snapshots };
  }
  return null;
}

/** Midnights, oldest first, since when no record of a source topic was removed. */
async function usableCheckpoints(log: EventLog, checkpoints: readonly DailyCheckpoint[]): Promise<Set<number>> {
  const usable = new Set<number>();
  const firsts = new Map<string, number>();
  for (const { at, position } of checkpoints) {
    let isUsable = true;
    for (const [name, offset] of position.offsets) {
      const partition = parsePartitionName(name);
      if (!isSource(partition.topic)) continue;
      const first = firsts.get(name) ?? (await log.bounds(partition)).first;
      firsts.set(name, first);
      if (offset < first) isUsable = false;
    }
    if (isUsable) usable.add(at);
  }
  return usable;
}

async function loadAll(
  stores: ReadonlyMap<string, DailyCheckpointStore<unknown>>,
  at: number,
): Promise<Map<string, Snapshot<unknown>> | null> {
  const snapshots = new Map<string, Snapshot<unknown>>();
  for (const [stage, store] of stores) {
    const snapshot = await store.load(at);
    if (!snapshot) return null;
    const sources = [...snapshot.offsets].filter(([name]) => isSource(parsePartitionName(name).topic));
    snapshots.set(stage, { ...snapshot, offsets: new Map(sources) });
  }
  return snapshots;
}

/**
 * Newest `seq` of each output partition (`topic/partition`) at the checkpoint. Records derived again have greater ones.
 */
export function seqsBefore({ snapshots }: CommonCheckpoint): ReadonlyMap<string, number> {
  return new Map([...snapshots.values()].flatMap(({ outputSeqs }) => [...outputSeqs]));
}
