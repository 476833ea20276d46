/**
 * The schemas that the topic `control.schemas` holds under their ids: every schema that a record of the log was written
 * with.
 *
 * The records of that topic are Avro in the Confluent wire format like all others, so that every tool reads them alike.
 * Their own schema cannot be looked up in the topic itself: it is always the first version of `SchemaEntry`, its id is
 * 0, and it is never written there. Every other schema has an id from 1 on.
 */
import type { Schema } from 'avsc';
import { avroSchema } from '#schemas/avro';
import { type SchemaEntry, schemaTopic } from '#schemas/topics/control';
import type { EventLog, LogRecord } from '../log/log.ts';
import { readUntil } from '../log/read-until.ts';
import type { Codec } from './codec.ts';
import { createCodec } from './create-codec.ts';

const AT = { topic: schemaTopic.name, partition: 0 };
/** Id of the schema of `control.schemas` itself. */
const OWN_ID = 0;
const OWN_SCHEMA = JSON.stringify(avroSchema(schemaTopic.schema) satisfies Schema);

/** Reads the topic, which is created if it is missing. */
export async function openRecordedSchemas(log: EventLog): Promise<RecordedSchemas> {
  await log.createTopics([schemaTopic]);
  const own = createCodec({ register: async () => OWN_ID, fetch: async () => OWN_SCHEMA });
  await own.prepare([schemaTopic]);
  const recorded = new RecordedSchemas(log, own);
  await recorded.catchUp();
  return recorded;
}

/** Several processes may record the same schema: the entries are equal. */
export class RecordedSchemas {
  private readonly log: EventLog;
  /** Codec of the topic's own records. */
  private readonly own: Codec;
  private readonly byId = new Map<number, SchemaEntry>();
  private readonly ids = new Map<string, number>([[OWN_SCHEMA, OWN_ID]]);
  private seq = 0;
  private receivedAt = 0;
  /** Offset up to which the topic was read. */
  private next = 0;

  constructor(log: EventLog, own: Codec) {
    this.log = log;
    this.own = own;
  }

  /** Returns the text of a schema, or undefined if this process has not read it. */
  schemaOf(id: number): string | undefined {
    return id === OWN_ID ? OWN_SCHEMA : this.byId.get(id)?.schema;
  }

  /** Returns the id of a text, or undefined if it is not recorded. */
  idOf(schema: string): number | undefined {
    return this.ids.get(schema);
  }

  /** Every recorded schema, by id. */
  entries(): SchemaEntry[] {
    return [...this.byId.values()].sort((one, other) => one.id - other.id);
  }

  /** Appends a schema to the topic. */
  async append(entry: Omit<SchemaEntry, 'receivedAt'>): Promise<void> {
    const receivedAt = Math.max(this.receivedAt, Date.now());
    const value = this.own.encode(schemaTopic, { ...entry, receivedAt });
    await this.log.append([{ ...AT, key: String(entry.id), value, receivedAt, seq: this.seq + 1 }]);
    await this.catchUp();
  }

  /** Reads what was recorded since the last read. */
  async catchUp(): Promise<void> {
    const { first, next } = await this.log.bounds(AT);
    if (this.next >= next) return;
    const range = { from: Math.max(first, this.next), last: next - 1 };
    for await (const records of readUntil(this.log, AT, range)) for (const record of records) this.apply(record);
  }

  private apply(record: LogRecord): void {
    this.next = record.offset + 1;
    this.seq = record.seq;
    this.receivedAt = record.receivedAt;
    if (!record.value) return;
    const entry = this.own.decode(schemaTopic, record.value);
    this.byId.set(entry.id, entry);
    this.ids.set(entry.schema, entry.id);
  }
}
