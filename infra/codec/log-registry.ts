/**
 * The embedded registry: schemas stand on `control.schemas` under their ids. Its own records are JSON, since they are
 * what everything else is decoded by.
 */
import { schemaTopic } from '#schemas/topics/control';
import type { EventLog } from '../log/log.ts';
import { readPartition } from '../log/read-partition.ts';
import { CodecError } from './codec.ts';
import type { SchemaRegistry } from './registry.ts';

interface Entry {
  readonly id: number;
  readonly subject: string;
  readonly schema: string;
}

const AT = { topic: schemaTopic.name, partition: 0 };

/** Reads the topic; the process that opens it is the only one that registers (an embedded log has one writer). */
export async function openLogRegistry(log: EventLog): Promise<SchemaRegistry> {
  await log.createTopics([schemaTopic]);
  const byId = new Map<number, string>();
  const ids = new Map<string, number>();
  let seq = 0;
  await readPartition(log, AT, (record) => {
    seq = record.seq;
    if (!record.value) return;
    const entry = JSON.parse(record.value.toString('utf8')) as Entry;
    byId.set(entry.id, entry.schema);
    ids.set(entry.schema, entry.id);
  });
  return {
    async register(subject, schema) {
      const known = ids.get(schema);
      if (known !== undefined) return known;
      const id = byId.size + 1;
      seq += 1;
      const value = Buffer.from(JSON.stringify({ id, subject, schema } satisfies Entry));
      await log.append([{ ...AT, key: String(id), value, receivedAt: 0, seq }]);
      byId.set(id, schema);
      ids.set(schema, id);
      return id;
    },
    async fetch(id) {
      const schema = byId.get(id);
      if (schema === undefined) throw new CodecError('unknown_schema', `nobody registered schema ${id}`);
      return schema;
    },
  };
}
