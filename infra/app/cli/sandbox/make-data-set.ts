import { CHANGES_OF_HEADS, DATA_SET_TOPICS, type DataSetRecord, recordIdentity } from '#query-api/sandbox/data-set';
import type { InfoResponse } from '#query-api/sandbox/info-responses';
import type { EventLog } from '../../../log/log.ts';
import { readPartition } from '../../../log/read-partition.ts';
import type { RoleContext } from '../../../runtime/context.ts';
import { partitionsOf } from '../../../stages/stage-topics.ts';
import { openSimulatedService, processAll, SIMULATED_WORLD, type SimulationOptions } from '../../simulated-service.ts';
import { makeInfoResponses } from './make-info-responses.ts';

/**
 * 50 minutes in which questions expire and are disputed, and in which a detector gets enough data to find an injected
 * wide spread. Small enough to ship, with more trades of a coin than fit on a page.
 */
const SIMULATION = {
  rate: 3,
  seconds: 3_000,
  coins: 8,
  traders: 250,
  startMs: Date.UTC(2026, 0, 15, 12, 20),
  earlierBars: true,
  bindsAccounts: true,
  // Each has about 80 fills; those of all accounts would be ten times what the rest of the data set is.
  accountFills: 5,
  inject: [{ kind: 'spread_widening', venue: 'venue_b', slot: 0, atMs: Date.UTC(2026, 0, 15, 12, 56) }],
} satisfies Omit<SimulationOptions, 'folder'>;

/**
 * Generates the data set of sandbox keys by running the simulator's frames through the real ingest and processors. The
 * result is the same for the same version of the program.
 *
 * @param folder empty folder for the temporary log.
 */
export async function makeDataSet(folder: string): Promise<DataSetRecord[]> {
  const service = await openSimulatedService({ folder, ...SIMULATION });
  try {
    await processAll(service.context);
    return await readNewest(service.context);
  } finally {
    await service.close();
  }
}

/** The responses of `info` that sandbox keys see, as of the end of the data set. */
export function makeSandboxResponses(): Promise<InfoResponse[]> {
  const { rate, seconds, coins, startMs } = SIMULATION;
  return makeInfoResponses({ ...SIMULATED_WORLD, rate, coins }, startMs + seconds * 1_000);
}

/** Reads the newest record of each place in the data set, sorted in merge order. */
async function readNewest({ log, codec }: RoleContext): Promise<DataSetRecord[]> {
  const all: DataSetRecord[] = [];
  const since = await startOfChanges(log);
  for (const topic of DATA_SET_TOPICS.values()) {
    const newest = new Map<string, DataSetRecord>();
    for (let partition = 0; partition < topic.partitions; partition += 1) {
      await readPartition(log, { topic: topic.name, partition }, (read) => {
        const { offset, seq, key, receivedAt } = read;
        if (receivedAt < (since.get(topic.name) ?? 0)) return;
        if (read.value === null) {
          newest.delete(key);
          return;
        }
        const value = codec.decode(topic, read.value);
        const record = { topic: topic.name, partition, offset, seq, key, receivedAt, value };
        newest.set(recordIdentity(topic, record), record);
      });
    }
    all.push(...newest.values());
  }
  return all.sort(inMergedOrder);
}

/** The time, unix ms, before which the heads contain all records of a topic of changes, by topic. */
async function startOfChanges(log: EventLog): Promise<ReadonlyMap<string, number>> {
  const since = new Map<string, number>();
  for (const [name, heads] of CHANGES_OF_HEADS) {
    for (const { at } of partitionsOf([heads.topic])) {
      const newest = (await log.last(at))?.receivedAt ?? 0;
      since.set(name, Math.max(since.get(name) ?? 0, newest - heads.delayMs));
    }
  }
  return since;
}

function inMergedOrder(a: DataSetRecord, b: DataSetRecord): number {
  const byTopic = a.topic < b.topic ? -1 : a.topic > b.topic ? 1 : 0;
  return a.receivedAt - b.receivedAt || byTopic || a.partition - b.partition || a.offset - b.offset;
}
