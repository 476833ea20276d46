/** Messages between the replay and the threads in which it runs stages. */

import type { RecordedSettings } from '#schemas/domain/recorded-settings';
import type { Settings } from '../../../../config/settings.ts';
import type { AppendRecord, LogErrorCode, TopicPartition } from '../../../../log/log.ts';
import type { LogSettings } from '../../../../log/open-log.ts';
import { partitionName } from '../../../../log/partition-name.ts';
import type { Snapshot } from '../../../../stages/snapshot.ts';

const TOMBSTONE = -1;

/** Settings that a thread needs to open the log and to create its stage. */
export type ThreadSettings = LogSettings & RecordedSettings & Pick<Settings, 'schemaRegistry' | 'logLevel'>;

/** What a thread runs. */
export interface StageTask {
  readonly settings: ThreadSettings;
  /** Folder of the scratch log that takes the place of the derived topics; null to rebuild in place. */
  readonly scratch: string | null;
  /** Name of the stage. */
  readonly stage: string;
  /** Starts here instead of at the newest snapshot. */
  readonly startFrom: Snapshot<unknown> | null;
}

/** Records of one partition, in their order: one entry of each list for each record. */
interface PackedPartition extends TopicPartition {
  readonly keys: readonly string[];
  readonly receivedAt: readonly number[];
  readonly seqs: readonly number[];
  /** Length of each value; -1 is a tombstone. */
  readonly bytes: readonly number[];
}

/**
 * A batch in a form that is quickly copied to another thread: few objects, and all values in one piece of memory, which
 * moves there.
 */
export interface PackedRecords {
  readonly partitions: readonly PackedPartition[];
  readonly values: ArrayBuffer;
}

/** Message of a thread. Each `append` is answered by an `AppendReply` with its id. */
export type ThreadMessage =
  | { readonly kind: 'append'; readonly id: number; readonly batch: PackedRecords }
  | { readonly kind: 'progress'; readonly records: number }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly message: string };

/** Answer to an append: null if it succeeded. `code` is null if the error is not one of the log. */
export interface AppendReply {
  readonly id: number;
  readonly error: { readonly code: LogErrorCode | null; readonly message: string } | null;
}

/** Packs a batch. The order of the records within each partition stays. */
export function packRecords(records: readonly AppendRecord[]): PackedRecords {
  const groups = new Map<string, AppendRecord[]>();
  for (const record of records) {
    const name = partitionName(record);
    const group = groups.get(name);
    if (group) group.push(record);
    else groups.set(name, [record]);
  }
  const values = new Uint8Array(records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0));
  let at = 0;
  const partitions = Array.from(groups.values(), (group) => {
    for (const { value } of group) {
      if (!value) continue;
      values.set(value, at);
      at += value.length;
    }
    return {
      topic: group[0]!.topic,
      partition: group[0]!.partition,
      keys: group.map(({ key }) => key),
      receivedAt: group.map(({ receivedAt }) => receivedAt),
      seqs: group.map(({ seq }) => seq),
      bytes: group.map(({ value }) => value?.length ?? TOMBSTONE),
    };
  });
  return { partitions, values: values.buffer };
}

export function unpackRecords({ partitions, values }: PackedRecords): AppendRecord[] {
  let at = 0;
  return partitions.flatMap(({ topic, partition, keys, receivedAt, seqs, bytes }) =>
    keys.map((key, index) => {
      const length = bytes[index]!;
      const value = length === TOMBSTONE ? null : Buffer.from(values, at, length);
      at += value?.length ?? 0;
      return { topic, partition, key, value, receivedAt: receivedAt[index]!, seq: seqs[index]! };
    }),
  );
}
