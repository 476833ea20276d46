/** Measures the disk usage of each topic of an embedded log. */
import { readHeader } from './block-layout.ts';
import { openEnvironment } from './environment.ts';
import { TopicTable } from './topic-table.ts';

export interface TopicBytes {
  readonly topic: string;
  readonly records: number;
  /** Pages of its trees. */
  readonly diskBytes: number;
  /** Bytes of its records before compression, including keys and numbers. */
  readonly plainBytes: number;
}

/** Reads the log in a folder, which another process may be writing; the largest topics come first. */
export async function bytesByTopic(path: string): Promise<TopicBytes[]> {
  const environment = openEnvironment(path, true);
  try {
    const rows = new TopicTable(environment).all().map(({ storage, partitions }) => {
      const row = { topic: storage.name, records: 0, diskBytes: 0, plainBytes: 0 };
      for (const partition of partitions) {
        row.diskBytes += partition.tree.bytes;
        for (const { value } of partition.blocksFrom(0)) {
          const { count, bodyBytes } = readHeader(value);
          row.records += count;
          row.plainBytes += bodyBytes;
        }
      }
      return row;
    });
    return rows.sort((a, b) => b.diskBytes - a.diskBytes);
  } finally {
    await environment.root.close();
  }
}
