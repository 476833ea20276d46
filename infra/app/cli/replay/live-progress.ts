/** Reads from the log how much the live side processed before the service stopped. Writes nothing. */
import { TABLE_TOPICS } from '#processors/sink/table-topics';
import { SINK_GROUP } from '#schemas/tables/sink-group';
import { partitionName } from '../../../log/partition-name.ts';
import { readUntil } from '../../../log/read-until.ts';
import { readNewestPosition } from '../../../stages/snapshots.ts';
import { partitionsOf } from '../../../stages/stage-topics.ts';
import type { CommonCheckpoint } from './common-checkpoint.ts';
import { isSource } from './overlay-log.ts';
import type { Replay } from './rebuild-in-place.ts';

export interface LiveProgress {
  /**
   * Highest number of each derived partition (`topic/partition`) that the newest snapshot of its writer or of a reader
   * proves to have been written.
   */
  readonly writtenSeqs: ReadonlyMap<string, number>;
  /** Offset that the sink committed for each partition (`topic/partition`) that fills a table; 0 if none. */
  readonly committed: ReadonlyMap<string, number>;
  /** Wall time, unix ms. Every compared record was appended at or after it. */
  readonly appendedSince: number;
}

/** @param checkpoint start of the comparison; null to compare everything. */
export async function readLiveProgress(replay: Replay, checkpoint: CommonCheckpoint | null): Promise<LiveProgress> {
  return {
    writtenSeqs: await readWrittenSeqs(replay),
    committed: await readCommitted(replay),
    appendedSince: await oldestAppend(replay, checkpoint),
  };
}

async function readWrittenSeqs({ ports, stages, logger }: Replay): Promise<Map<string, number>> {
  const written = new Map<string, number>();
  for (const stage of stages) {
    const position = await readNewestPosition({ stage, log: ports.log, codec: ports.codec, logger });
    if (!position) continue;
    for (const [name, seq] of [...position.outputSeqs, ...position.inputSeqs])
      written.set(name, Math.max(seq, written.get(name) ?? 0));
  }
  return written;
}

async function readCommitted({ ports }: Replay): Promise<Map<string, number>> {
  const partitions = partitionsOf([...TABLE_TOPICS.values()].map(({ topic }) => topic)).map(({ at }) => at);
  const offsets = await ports.log.committed(SINK_GROUP, partitions);
  return new Map(partitions.map((at, index) => [partitionName(at), offsets[index] ?? 0]));
}

/** A derived record is appended after its source record, so the oldest source record is a lower bound. */
async function oldestAppend({ ports: { log }, stages }: Replay, checkpoint: CommonCheckpoint | null): Promise<number> {
  const sources = new Map(stages.flatMap(({ inputs }) => inputs.map(({ topic }) => [topic.name, topic] as const)));
  let oldest = Number.POSITIVE_INFINITY;
  for (const { at } of partitionsOf([...sources.values()].filter(({ name }) => isSource(name)))) {
    const last = await log.last(at);
    if (!last) continue;
    const from = Math.max((await log.bounds(at)).first, startOffset(checkpoint, partitionName(at)));
    for await (const [record] of readUntil(log, at, { from, last: last.offset, pollRecords: 1 })) {
      oldest = Math.min(oldest, record!.appendedAt);
      break;
    }
  }
  return oldest;
}

/** Lowest offset of a source partition at which a stage starts. */
function startOffset(checkpoint: CommonCheckpoint | null, name: string): number {
  const offsets = [...(checkpoint?.snapshots.values() ?? [])].flatMap(({ offsets: own }) => own.get(name) ?? []);
  return offsets.length > 0 ? Math.min(...offsets) : 0;
}
