/**
 * The embedded registry: stores schemas in the topic `control.schemas` under their ids.
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
import { CodecError } from './codec.ts';
import { createCodec } from './create-codec.ts';
import type { SchemaRegistry } from './registry.ts';

const AT = { topic: schemaTopic.name, partition: 0 };
/** Id of the schema of `control.schemas` itself. */
const OWN_ID = 0;
const OWN_SCHEMA = JSON.stringify(avroSchema(schemaTopic.schema) satisfies Schema);

/**
 * Opens the registry and reads the topic. Only the process that writes the log registers schemas; a reading process
 * reads new schemas when it sees unknown ids.
 */
export async function openLogRegistry(log: EventLog): Promise<SchemaRegistry> {
  await log.createTopics([schemaTopic]);
  const own = createCodec({ register: async () => OWN_ID, fetch: async () => OWN_SCHEMA });
  await own.prepare([schemaTopic]);
  const registry = new LogRegistry(
    log,
    (record) => own.decode(schemaTopic, record.value!),
    (entry) => own.encode(schemaTopic, entry),
  );
  await registry.catchUp();
  return registry;
}

class LogRegistry implements SchemaRegistry {
  private readonly log: EventLog;
  private readonly decode: (record: LogRecord) => SchemaEntry;
  private readonly encode: (entry: SchemaEntry) => Buffer;
  private readonly schemas = new Map<number, string>([[OWN_ID, OWN_SCHEMA]]);
  private readonly ids = new Map<string, number>([[OWN_SCHEMA, OWN_ID]]);
  private newestId = OWN_ID;
  private seq = 0;
  private receivedAt = 0;
  /** Offset up to which the topic was read. */
  private next = 0;
  private registering: Promise<unknown> = Promise.resolve();

  constructor(log: EventLog, decode: (record: LogRecord) => SchemaEntry, encode: (entry: SchemaEntry) => Buffer) {
    this.log = log;
    this.decode = decode;
    this.encode = encode;
  }

  /** Registers one schema at a time: two new schemas must not get the same id. */
  register(subject: string, schema: string): Promise<number> {
    const run = this.registering.then(() => this.registerOne(subject, schema));
    this.registering = run.catch(() => {});
    return run;
  }

  async fetch(id: number): Promise<string> {
    if (!this.schemas.has(id)) await this.catchUp();
    const schema = this.schemas.get(id);
    if (schema === undefined) throw new CodecError('unknown_schema', `schema ${id} is not registered`);
    return schema;
  }

  /** Reads what was registered since the last read. */
  async catchUp(): Promise<void> {
    const { first, next } = await this.log.bounds(AT);
    if (this.next >= next) return;
    const range = { from: Math.max(first, this.next), last: next - 1 };
    for await (const records of readUntil(this.log, AT, range)) for (const record of records) this.apply(record);
  }

  private async registerOne(subject: string, schema: string): Promise<number> {
    const known = this.ids.get(schema);
    if (known !== undefined) return known;
    const id = this.newestId + 1;
    const receivedAt = Math.max(this.receivedAt, Date.now());
    const value = this.encode({ receivedAt, id, subject, schema });
    await this.log.append([{ ...AT, key: String(id), value, receivedAt, seq: this.seq + 1 }]);
    await this.catchUp();
    return id;
  }

  private apply(record: LogRecord): void {
    this.next = record.offset + 1;
    this.seq = record.seq;
    this.receivedAt = record.receivedAt;
    if (!record.value) return;
    const { id, schema } = this.decode(record);
    this.schemas.set(id, schema);
    this.ids.set(schema, id);
    this.newestId = Math.max(this.newestId, id);
  }
}
