/** The newest snapshot of a stage, on its compacted `state.<stage>` topic: what a restart goes on from. */
import type { Logger } from 'pino';
import { stateTopic } from '#schemas/topics/control';
import type { Codec } from '../codec/codec.ts';
import type { EventLog } from '../log/log.ts';
import type { Snapshot } from './snapshot.ts';
import { SnapshotTopic } from './snapshot-topic.ts';
import type { Stage } from './stage.ts';

export interface SnapshotStore<S> {
  /**
   * The newest snapshot that is whole and of the stage's version, or null. One that is not is told in the log and counts
   * as absent.
   */
  load(): Promise<Snapshot<S> | null>;
  /** What fails leaves the newest whole snapshot as it is. */
  save(snapshot: Snapshot<S>): Promise<void>;
}

export interface SnapshotOptions<S> {
  readonly stage: Pick<Stage<S>, 'name' | 'stateVersion'>;
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
}

/** Two snapshots alternate under the names `0` and `1`, so the newest whole one is never written over. */
export async function openSnapshots<S>({ stage, log, codec, logger }: SnapshotOptions<S>): Promise<SnapshotStore<S>> {
  const topic = await SnapshotTopic.open({ log, codec, logger, topic: stateTopic(stage.name) });
  const { stateVersion = 1 } = stage;
  let next = 1;
  const slotOf = (generation: number) => String(generation % 2);

  return {
    async load() {
      const stored = await topic.list(() => true);
      next = 1 + Math.max(0, ...stored.map(({ newestGeneration }) => newestGeneration));
      stored.sort((a, b) => (b.manifest?.generation ?? 0) - (a.manifest?.generation ?? 0));
      for (const candidate of stored) {
        const { manifest, name } = candidate;
        if (manifest && manifest.stateVersion !== stateVersion) {
          logger.warn(
            { stage: stage.name, snapshot: manifest.stateVersion, wanted: stateVersion },
            'a snapshot is not used: it is of another version of the state',
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

    async save(snapshot) {
      await topic.write(slotOf(next), next, snapshot, stateVersion);
      // Only now: a save that failed is repeated over its own pieces, and the other snapshot stays.
      next += 1;
    },
  };
}
