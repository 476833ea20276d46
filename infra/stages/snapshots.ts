/** Stores the newest snapshot of a stage in its compacted `state.<stage>` topic, from which a restart resumes. */
import type { Logger } from 'pino';
import { stateTopic } from '#schemas/topics/control';
import type { Topic } from '#schemas/topics/topic';
import type { Codec } from '../codec/codec.ts';
import type { EventLog } from '../log/log.ts';
import type { Snapshot, StagePosition } from './snapshot.ts';
import { SnapshotTopic } from './snapshot-topic.ts';
import type { Stage } from './stage.ts';
import { partitionsOf } from './stage-topics.ts';

export interface SnapshotStore<S> {
  /**
   * Returns the newest complete snapshot of the stage's version, or null. Others are logged and ignored. Rejects with
   * `StateVersionError` if the newest one is of another version and the outputs hold records.
   */
  load(): Promise<Snapshot<S> | null>;
  /**
   * Saves a snapshot; one call at a time. A failure leaves the newest complete snapshot intact. Resolves with the
   * compressed size.
   * @param onCopied called when the state may change again, while its copy is still being written.
   */
  save(snapshot: Snapshot<S>, onCopied?: () => void): Promise<number>;
}

/**
 * Reads the position of a stage's newest snapshot without its state, whatever version the state has; null if there is
 * none. Every output before this position was written when the snapshot was saved.
 */
export async function readNewestPosition(options: SnapshotOptions<unknown>): Promise<StagePosition | null> {
  const { stage, log, codec, logger } = options;
  const topic = await SnapshotTopic.open({ log, codec, logger, topic: stateTopic(stage.name) });
  const manifests = (await topic.list(() => false)).flatMap(({ manifest }) => manifest ?? []);
  return manifests.sort((a, b) => b.generation - a.generation)[0]?.position ?? null;
}

export interface SnapshotOptions<S> {
  readonly stage: Pick<Stage<S>, 'name' | 'stateVersion' | 'slicedMaps' | 'outputs'>;
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
}

/**
 * Thrown if the outputs of a stage were written from a state of another version. Derived again under the same numbers
 * they would differ, and at the boundary some would be lost or doubled.
 */
export class StateVersionError extends Error {
  override name = 'StateVersionError';
  readonly code = 'state_version';
  readonly canRetry = false;
  constructor(stage: string, found: number, wanted: number) {
    super(
      `the stage ${stage} expects state version ${wanted}, but its outputs were written by version ${found}: ` +
        'run `npm run replay`, which derives everything again, or start the version that wrote them',
    );
  }
}

/**
 * Opens the store. Two snapshots alternate under the names `0` and `1`, so the newest complete one is never
 * overwritten.
 */
export async function openSnapshots<S>({ stage, log, codec, logger }: SnapshotOptions<S>): Promise<SnapshotStore<S>> {
  const { stateVersion = 1, slicedMaps } = stage;
  const topic = await SnapshotTopic.open({ log, codec, logger, topic: stateTopic(stage.name), slicedMaps });
  let next = 1;
  const slotOf = (generation: number) => String(generation % 2);

  return {
    async load() {
      const stored = await topic.list(() => true);
      next = 1 + Math.max(0, ...stored.map(({ newestGeneration }) => newestGeneration));
      stored.sort((a, b) => (b.manifest?.generation ?? 0) - (a.manifest?.generation ?? 0));
      const newest = stored.find(({ manifest }) => manifest);
      for (const candidate of stored) {
        const { manifest, name } = candidate;
        if (manifest && manifest.stateVersion !== stateVersion) {
          if (candidate === newest && (await hasRecords(log, stage.outputs)))
            throw new StateVersionError(stage.name, manifest.stateVersion, stateVersion);
          logger.warn(
            { stage: stage.name, snapshot: manifest.stateVersion, wanted: stateVersion },
            'ignored a stored snapshot: it has another state version',
          );
          continue;
        }
        const snapshot = await topic.read<S>(candidate);
        if (!snapshot) continue;
        if (slotOf(next) === name) next += 1;
        return snapshot;
      }
      return null;
    },

    async save(snapshot, onCopied) {
      const { bytes } = await topic.write(slotOf(next), next, snapshot, stateVersion, onCopied);
      // Only now: a failed save is repeated over its own chunks, and the other snapshot stays intact.
      next += 1;
      return bytes;
    },
  };
}

async function hasRecords(log: EventLog, topics: readonly Topic[]): Promise<boolean> {
  for (const { at } of partitionsOf(topics)) if (await log.last(at)) return true;
  return false;
}
