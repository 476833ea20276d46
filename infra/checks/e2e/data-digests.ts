/** Everything that a stopped service has in its data directory, as digests that two runs can be compared by. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { TABLES } from '#schemas/tables/index';
import { TOPICS } from '#schemas/topics/catalog';
import { openEmbeddedLog } from '../../log/embedded/open-embedded-log.ts';
import { readPartition } from '../../log/read-partition.ts';
import { openStore } from '../../store/open-store.ts';

/** Made anew in each data directory: ids and times of the run itself. */
const OF_THE_RUN = new Set([
  'control.epochs',
  'control.schemas',
  'control.commands',
  'control.changes',
  'control.usage',
  'control.attempts',
  'derived.audit',
  'usage',
  'audit_log',
  'delivery_attempts',
]);

/** `<count> <sha256>` by table and by topic partition. */
export type World = Readonly<Record<string, string>>;

export async function readWorld(dataDir: string): Promise<World> {
  return { ...(await readTopics(dataDir)), ...(await readTables(dataDir)) };
}

async function readTopics(dataDir: string): Promise<World> {
  const log = await openEmbeddedLog({ path: join(dataDir, 'log') });
  const world: Record<string, string> = {};
  try {
    for (const topic of TOPICS.filter(({ name }) => !OF_THE_RUN.has(name))) {
      for (let partition = 0; partition < topic.partitions; partition += 1) {
        const records = new Map<string, string>();
        await readPartition(log, { topic: topic.name, partition }, ({ seq, key, receivedAt, value }) => {
          // Compaction runs when it runs; the newest of each key is what a compacted topic says.
          const name = topic.retention.kind === 'compacted' ? key : String(seq);
          records.delete(name);
          records.set(name, `${seq} ${key} ${receivedAt} ${value?.toString('base64') ?? 'removed'}`);
        });
        world[`${topic.name}/${partition}`] = digest([...records.values()]);
      }
    }
  } finally {
    await log.close();
  }
  return world;
}

async function readTables(dataDir: string): Promise<World> {
  const store = await openStore('embedded', dataDir);
  const world: Record<string, string> = {};
  try {
    for (const { name, orderBy } of TABLES.filter(({ name }) => !OF_THE_RUN.has(name))) {
      const rows = await store.query<Record<string, unknown>>(
        `SELECT * FROM ${name} FINAL ORDER BY ${orderBy.join(', ')}`,
      );
      world[name] = digest(rows.map((row) => JSON.stringify(row)));
    }
  } finally {
    await store.close();
  }
  return world;
}

function digest(lines: readonly string[]): string {
  const hash = createHash('sha256');
  for (const line of lines) hash.update(line).update('\n');
  return `${lines.length} ${hash.digest('hex')}`;
}
