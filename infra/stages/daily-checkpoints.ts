/**
 * Cuts: the snapshot of a stage at each UTC midnight, when it had taken all that was received before and nothing else.
 * Since every stage is cut at the same moments of event time, the cuts of one midnight fit together. Where retention has
 * removed the beginning of the raw topics, what is derived again starts at the oldest cut whose raw records are kept.
 */
import type { Logger } from 'pino';
import { clockTopic } from '#schemas/topics/control';
import type { Codec } from '../codec/codec.ts';
import type { EventLog } from '../log/log.ts';
import { firstRecord } from './removed-records.ts';
import type { Snapshot, StagePosition } from './snapshot.ts';
import { SnapshotTopic } from './snapshot-topic.ts';
import type { Stage } from './stage.ts';
import { cutTopic } from './stage-topics.ts';

const DAY_MS = 86_400_000;
/** No more are kept than this, whatever the retention is. */
const CUTS_MAX = 100;
const CLOCK_AT = { topic: clockTopic.name, partition: 0 };

/** A cut without its state. */
export interface DailyCheckpoint {
  /** The midnight, unix ms. */
  readonly at: number;
  readonly position: StagePosition;
}

export interface CutStore<S> {
  /** Those of the stage's version, oldest first. */
  list(): Promise<DailyCheckpoint[]>;
  /** The cut at a midnight, or null where there is none that is whole. */
  load(at: number): Promise<Snapshot<S> | null>;
  /** Keeps the cut and drops those that nothing can start from any more. */
  save(at: number, snapshot: Snapshot<S>): Promise<void>;
}

export interface CutOptions<S> {
  readonly stage: Pick<Stage<S>, 'name' | 'stateVersion' | 'slicedMaps'>;
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
}

/** The UTC midnight with which the day of a moment began. */
export function lastMidnight(time: number): number {
  return Math.floor(time / DAY_MS) * DAY_MS;
}

/** The first UTC midnight after a moment. */
export function nextMidnight(time: number): number {
  return lastMidnight(time) + DAY_MS;
}

export async function openCuts<S>({ stage, log, codec, logger }: CutOptions<S>): Promise<CutStore<S>> {
  const topic = await SnapshotTopic.open({
    log,
    codec,
    logger,
    topic: cutTopic(stage.name),
    slicedMaps: stage.slicedMaps,
  });
  await log.createTopics([clockTopic]);
  const { stateVersion = 1 } = stage;
  let stored: Map<string, Stored> | null = null;

  return {
    async list() {
      const cuts: DailyCheckpoint[] = [];
      for (const { name, manifest } of await topic.list(() => false)) {
        if (!manifest?.position || manifest.stateVersion !== stateVersion) continue;
        cuts.push({ at: timeOf(name), position: manifest.position });
      }
      return cuts.sort((a, b) => a.at - b.at);
    },

    async load(at) {
      const cut = (await topic.list((name) => name === nameOf(at))).find(({ name }) => name === nameOf(at));
      return cut?.manifest?.stateVersion === stateVersion ? topic.read<S>(cut) : null;
    },

    async save(at, snapshot) {
      const name = nameOf(at);
      stored ??= await readStored(topic);
      // A midnight can be passed again, after a crash: the generation tells the pieces apart.
      const generation = (stored.get(name)?.generation ?? 0) + 1;
      const { keys: written } = await topic.write(name, generation, snapshot, stateVersion);
      stored.set(name, { generation, keys: written });
      const needed = await oldestNeeded(log);
      const newestFirst = [...stored].sort(([a], [b]) => timeOf(b) - timeOf(a));
      for (const [index, [old, { keys }]] of newestFirst.entries()) {
        if (index < CUTS_MAX && timeOf(old) >= needed) continue;
        await topic.remove(keys);
        stored.delete(old);
      }
    },
  };
}

interface Stored {
  readonly generation: number;
  readonly keys: readonly string[];
}

/** What stands in the topic, by name; read once, since all that comes after is written here. */
async function readStored(topic: SnapshotTopic): Promise<Map<string, Stored>> {
  const found = await topic.list(() => false);
  return new Map(found.map(({ name, keys, newestGeneration }) => [name, { generation: newestGeneration, keys }]));
}

/**
 * Raw topics lose their oldest records together, by append time, and the clock marks every few seconds of them. A day
 * is left to what was received in another order than it was appended.
 */
async function oldestNeeded(log: EventLog): Promise<number> {
  const first = await firstRecord(log, CLOCK_AT);
  return first ? first.receivedAt - DAY_MS : Number.NEGATIVE_INFINITY;
}

function nameOf(at: number): string {
  return `cut-${new Date(at).toISOString().slice(0, 10)}`;
}

function timeOf(name: string): number {
  return Date.parse(name.slice('cut-'.length));
}
