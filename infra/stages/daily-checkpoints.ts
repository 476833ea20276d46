/**
 * Daily checkpoints: the snapshot of a stage at each UTC midnight, after it has processed everything that was received
 * before and nothing else. All stages are stored at the same moments of event time, so the daily checkpoints of one
 * midnight fit together. If retention has removed the start of the raw topics, a replay starts at the oldest daily
 * checkpoint after which every raw record is still stored.
 */
import type { Logger } from 'pino';
import { clockTopic } from '#schemas/topics/control';
import type { Codec } from '../codec/codec.ts';
import type { EventLog } from '../log/log.ts';
import { firstRecord } from './removed-records.ts';
import type { Snapshot, StagePosition } from './snapshot.ts';
import { SnapshotTopic } from './snapshot-topic.ts';
import type { Stage } from './stage.ts';
import { dailyCheckpointTopic } from './stage-topics.ts';

const DAY_MS = 86_400_000;
/** At most this many are stored, whatever the retention is. */
const DAILY_CHECKPOINTS_MAX = 100;
const CLOCK_AT = { topic: clockTopic.name, partition: 0 };

/** A daily checkpoint without its state. */
export interface DailyCheckpoint {
  /** The midnight, unix ms. */
  readonly at: number;
  readonly position: StagePosition;
}

export interface DailyCheckpointStore<S> {
  /** Returns the daily checkpoints of the stage's state version, oldest first. */
  list(): Promise<DailyCheckpoint[]>;
  /** Returns the daily checkpoint of a midnight, or null if there is no complete one. */
  load(at: number): Promise<Snapshot<S> | null>;
  /** Stores a daily checkpoint and deletes those from which nothing can start any more. */
  save(at: number, snapshot: Snapshot<S>): Promise<void>;
}

export interface DailyCheckpointOptions<S> {
  readonly stage: Pick<Stage<S>, 'name' | 'stateVersion' | 'slicedMaps'>;
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
}

/** Returns the UTC midnight at which the day of a moment began. */
export function lastMidnight(time: number): number {
  return Math.floor(time / DAY_MS) * DAY_MS;
}

/** Returns the first UTC midnight after a moment. */
export function nextMidnight(time: number): number {
  return lastMidnight(time) + DAY_MS;
}

export async function openDailyCheckpoints<S>({
  stage,
  log,
  codec,
  logger,
}: DailyCheckpointOptions<S>): Promise<DailyCheckpointStore<S>> {
  const topic = await SnapshotTopic.open({
    log,
    codec,
    logger,
    topic: dailyCheckpointTopic(stage.name),
    slicedMaps: stage.slicedMaps,
  });
  await log.createTopics([clockTopic]);
  const { stateVersion = 1 } = stage;
  let stored: Map<string, StoredCheckpoint> | null = null;

  return {
    async list() {
      const checkpoints: DailyCheckpoint[] = [];
      for (const { name, manifest } of await topic.list(() => false)) {
        if (!manifest || manifest.stateVersion !== stateVersion) continue;
        checkpoints.push({ at: midnightOf(name), position: manifest.position });
      }
      return checkpoints.sort((a, b) => a.at - b.at);
    },

    async load(at) {
      const checkpoint = (await topic.list((name) => name === nameOf(at))).find(({ name }) => name === nameOf(at));
      return checkpoint?.manifest?.stateVersion === stateVersion ? topic.read<S>(checkpoint) : null;
    },

    async save(at, snapshot) {
      const name = nameOf(at);
      stored ??= await readStored(topic);
      // A midnight can be passed again after a crash: the generation distinguishes the chunks.
      const generation = (stored.get(name)?.generation ?? 0) + 1;
      const { keys: written } = await topic.write(name, generation, snapshot, stateVersion);
      stored.set(name, { generation, keys: written });
      const needed = await oldestNeeded(log);
      const newestFirst = [...stored].sort(([a], [b]) => midnightOf(b) - midnightOf(a));
      for (const [index, [old, { keys }]] of newestFirst.entries()) {
        if (index < DAILY_CHECKPOINTS_MAX && midnightOf(old) >= needed) continue;
        await topic.remove(keys);
        stored.delete(old);
      }
    },
  };
}

interface StoredCheckpoint {
  readonly generation: number;
  readonly keys: readonly string[];
}

/** Reads what the topic holds, by name. Read once, since everything later is written by this process. */
async function readStored(topic: SnapshotTopic): Promise<Map<string, StoredCheckpoint>> {
  const found = await topic.list(() => false);
  return new Map(found.map(({ name, keys, newestGeneration }) => [name, { generation: newestGeneration, keys }]));
}

/**
 * Returns the event time before which no daily checkpoint is needed. Raw topics lose their oldest records together, by
 * append time, and the clock writes a mark every few seconds. One day is added for records that were received in
 * another order than they were appended.
 */
async function oldestNeeded(log: EventLog): Promise<number> {
  const first = await firstRecord(log, CLOCK_AT);
  return first ? first.receivedAt - DAY_MS : Number.NEGATIVE_INFINITY;
}

function nameOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function midnightOf(name: string): number {
  return Date.parse(name);
}
