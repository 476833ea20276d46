/** Reads the raw topics of a data directory, whether or not a service is writing them. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { TOPICS } from '#schemas/topics/catalog';
import { openEmbeddedLog } from '../../../log/embedded/open-embedded-log.ts';
import { readPartition } from '../../../log/read-partition.ts';

/** Frames and answers of venues, states of the connections, and the clock. */
const RAW_TOPICS = TOPICS.filter(({ name }) => name.startsWith('raw.') || name === 'control.clock');

/** `<offset> <seq> <key> <event time> <digest>` of every record, in order, by topic and partition. */
export type RawRecords = ReadonlyMap<string, readonly string[]>;

export async function readRaw(dataDir: string): Promise<RawRecords> {
  const log = await openEmbeddedLog({ path: join(dataDir, 'log'), readOnly: true });
  const found = new Map<string, string[]>();
  try {
    for (const { name, partitions } of RAW_TOPICS) {
      for (let partition = 0; partition < partitions; partition += 1) {
        const records: string[] = [];
        await readPartition(log, { topic: name, partition }, ({ offset, seq, key, receivedAt, value }) => {
          const digest = createHash('sha256').update(value!).digest('base64');
          records.push(`${offset} ${seq} ${key} ${receivedAt} ${digest}`);
        });
        found.set(`${name}/${partition}`, records);
      }
    }
  } finally {
    await log.close();
  }
  return found;
}
