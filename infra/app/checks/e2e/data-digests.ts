/** Digests of the data directory of a stopped service, to compare two runs. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { TABLES } from '#schemas/tables/index';
import { TOPICS } from '#schemas/topics/catalog';
import { openEmbeddedLog } from '../../../log/embedded/open-embedded-log.ts';
import { readPartition } from '../../../log/read-partition.ts';
import { openStore } from '../../../store/open-store.ts';

/** Topics and tables that hold ids and times of the run itself. */
const VARIES_BY_RUN = new Set([
  'control.epochs',
  'control.schemas',
  'control.commands',
  'control.changes',
  'control.usage',
  'control.key-uses',
  'control.node-reports',
  'control.attempts',
  'derived.audit',
  'derived.fill-loads.venue_a',
  'derived.account-fills.venue_a',
  'derived.ledgers',
  'derived.ledger-events',
  'derived.open-books',
  'derived.ledger-checks',
  'derived.ledger-changes.venue_b',
  'derived.account-series',
  'usage',
  'audit_log',
  'account_fills',
  'book_events',
  'ledger_checks',
  'delivery_attempts',
]);

/** `<count> <sha256>` by table and by topic partition. */
export type DataDigests = Readonly<Record<string, string>>;

export async function readDigests(dataDir: string): Promise<DataDigests> {
  return { ...(await readTopics(dataDir)), ...(await readTables(dataDir)) };
}

async function readTopics(dataDir: string): Promise<DataDigests> {
  const log = await openEmbeddedLog({ path: join(dataDir, 'log') });
  const digests: Record<string, string> = {};
  try {
    for (const topic of TOPICS.filter(({ name }) => !VARIES_BY_RUN.has(name))) {
      for (let partition = 0; partition < topic.partitions; partition += 1) {
        const records = new Map<string, string>();
        await readPartition(log, { topic: topic.name, partition }, ({ seq, key, receivedAt, value }) => {
          // The time of a compaction varies, so only the newest record of each key counts.
          const name = topic.retention.kind === 'compacted' ? key : String(seq);
          records.delete(name);
          records.set(name, `${seq} ${key} ${receivedAt} ${value?.toString('base64') ?? 'removed'}`);
        });
        digests[`${topic.name}/${partition}`] = digest([...records.values()]);
      }
    }
  } finally {
    await log.close();
  }
  return digests;
}

async function readTables(dataDir: string): Promise<DataDigests> {
  const store = await openStore({ store: 'embedded', dataDir });
  const digests: Record<string, string> = {};
  try {
    for (const { name, orderBy } of TABLES.filter(({ name }) => !VARIES_BY_RUN.has(name))) {
      const rows = await store.query<Record<string, unknown>>(
        `SELECT * FROM ${name} FINAL ORDER BY ${orderBy.join(', ')}`,
      );
      digests[name] = digest(rows.map((row) => JSON.stringify(row)));
    }
  } finally {
    await store.close();
  }
  return digests;
}

function digest(lines: readonly string[]): string {
  const hash = createHash('sha256');
  for (const line of lines) hash.update(line).update('\n');
  return `${lines.length} ${hash.digest('hex')}`;
}
