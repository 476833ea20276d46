/** How far the live side had come when the service stopped, as far as the log says it. Nothing here writes. */
import { TABLE_TOPICS } from '#processors/sink/table-topics';
import { SINK_GROUP } from '#schemas/tables/sink-group';
import { partitionName } from '../../log/partition-name.ts';
import { readUntil } from '../../log/read-until.ts';
import { readNewestPosition } from '../../stages/snapshots.ts';
import { partitionsOf } from '../../stages/stage-topics.ts';
import type { CommonCut } from './common-cut.ts';
import { isSource } from './overlay-log.ts';
import type { Replay } from './rebuild-in-place.ts';

export interface LiveProgress {
  /**
   * The highest number of each derived partition (`topic/partition`) that a snapshot proves to have been written: its
   * writer's newest one says so, or a reader's newest one says that it was read.
   */
  readonly writtenSeqs: ReadonlyMap<string, number>;
  /** The offset that the sink has committed for each partition (`topic/partition`) that fills a table; 0 for none. */
  readonly committed: ReadonlyMap<string, number>;
  /** Wall time, unix ms, before which nothing that is compared can have been appended. */
  readonly appendedSince: number;
}

/** @param cut where the comparison begins; null for the beginning. */
export async function readLiveProgress(replay: Replay, cut: CommonCut | null): Promise<LiveProgress> {
  return {
    writtenSeqs: await readWrittenSeqs(replay),
    committed: await readCommitted(replay),
    appendedSince: await oldestAppend(replay, cut),
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

/** Whatever is derived is appended after the source record that caused it, so the oldest source record bounds it. */
async function oldestAppend({ ports: { log }, stages }: Replay, cut: CommonCut | null): Promise<number> {
  const sources = new Map(stages.flatMap(({ inputs }) => inputs.map(({ topic }) => [topic.name, topic] as const)));
  let oldest = Number.POSITIVE_INFINITY;
  for (const { at } of partitionsOf([...sources.values()].filter(({ name }) => isSource(name)))) {
    const last = await log.last(at);
    if (!last) continue;
    const from = Math.max((await log.bounds(at)).first, offsetOf(cut, partitionName(at)));
    for await (const [record] of readUntil(log, at, { from, last: last.offset, atOnce: 1 })) {
      oldest = Math.min(oldest, record!.appendedAt);
      break;
    }
  }
  return oldest;
}

/** The lowest offset of a source partition at which a stage begins. */
function offsetOf(cut: CommonCut | null, name: string): number {
  const offsets = [...(cut?.snapshots.values() ?? [])].flatMap(({ offsets: own }) => own.get(name) ?? []);
  return offsets.length > 0 ? Math.min(...offsets) : 0;
}
