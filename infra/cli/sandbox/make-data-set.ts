import { DATA_SET_TOPICS, type DataSetRecord, placeOf } from '#query-api/sandbox/data-set';
import { openWorld, processAll, type WorldOptions } from '../../bench/open-world.ts';
import type { RoleContext } from '../../context.ts';
import { readPartition } from '../../log/read-partition.ts';

/**
 * The better part of an hour in which questions expire and are disputed, and in which a detector has seen enough of a
 * market to find a book that stands wide open; small enough to be shipped, with more trades of a coin than a page has.
 */
const WORLD: Omit<WorldOptions, 'folder'> = {
  rate: 3,
  seconds: 3_000,
  coins: 8,
  beginsMs: Date.UTC(2026, 0, 15, 12, 20),
  inject: [{ kind: 'spread_widening', venue: 'venue_b', slot: 0, atMs: Date.UTC(2026, 0, 15, 12, 56) }],
};

/**
 * Makes the data set of sandbox keys: the simulator's frames, through the real ingest and processors. The same version of
 * the program gives the same records.
 *
 * @param folder where the log of that world is kept meanwhile; empty.
 */
export async function makeDataSet(folder: string): Promise<DataSetRecord[]> {
  const world = await openWorld({ folder, ...WORLD });
  try {
    await processAll(world.context);
    return await readNewest(world.context);
  } finally {
    await world.close();
  }
}

/** The newest record of each place, in the merged order of stages. */
async function readNewest({ log, codec }: RoleContext): Promise<DataSetRecord[]> {
  const all: DataSetRecord[] = [];
  for (const topic of DATA_SET_TOPICS.values()) {
    const newest = new Map<string, DataSetRecord>();
    for (let partition = 0; partition < topic.partitions; partition += 1) {
      await readPartition(log, { topic: topic.name, partition }, (read) => {
        const { offset, seq, key, receivedAt } = read;
        if (read.value === null) {
          newest.delete(key);
          return;
        }
        const value = codec.decode(topic, read.value);
        const record = { topic: topic.name, partition, offset, seq, key, receivedAt, value };
        newest.set(placeOf(topic, record), record);
      });
    }
    all.push(...newest.values());
  }
  return all.sort(inMergedOrder);
}

function inMergedOrder(a: DataSetRecord, b: DataSetRecord): number {
  const byTopic = a.topic < b.topic ? -1 : a.topic > b.topic ? 1 : 0;
  return a.receivedAt - b.receivedAt || byTopic || a.partition - b.partition || a.offset - b.offset;
}
