/** The registry of the embedded log: assigns ids itself and stores the schemas in the topic `control.schemas`. */
import type { EventLog } from '../log/log.ts';
import { CodecError } from './codec.ts';
import { openRecordedSchemas, type RecordedSchemas } from './recorded-schemas.ts';
import type { SchemaRegistry } from './registry.ts';

/**
 * Opens the registry and reads the topic. Only the process that writes the log registers schemas; a reading process
 * reads new schemas when it sees unknown ids.
 */
export async function openLogRegistry(log: EventLog): Promise<SchemaRegistry> {
  return new LogRegistry(await openRecordedSchemas(log));
}

class LogRegistry implements SchemaRegistry {
  private readonly recorded: RecordedSchemas;
  private registering: Promise<unknown> = Promise.resolve();

  constructor(recorded: RecordedSchemas) {
    this.recorded = recorded;
  }

  /** Registers one schema at a time: two new schemas must not get the same id. */
  register(subject: string, schema: string): Promise<number> {
    const run = this.registering.then(() => this.registerOne(subject, schema));
    this.registering = run.catch(() => {});
    return run;
  }

  async fetch(id: number): Promise<string> {
    return fetchRecorded(this.recorded, id);
  }

  private async registerOne(subject: string, schema: string): Promise<number> {
    const known = this.recorded.idOf(schema);
    if (known !== undefined) return known;
    const id = (this.recorded.entries().at(-1)?.id ?? 0) + 1;
    await this.recorded.append({ id, subject, schema });
    return id;
  }
}

/** Returns the text of an id from the log. Rejects with `CodecError('unknown_schema')` if it is not there. */
export async function fetchRecorded(recorded: RecordedSchemas, id: number): Promise<string> {
  if (recorded.schemaOf(id) === undefined) await recorded.catchUp();
  const schema = recorded.schemaOf(id);
  if (schema === undefined) throw new CodecError('unknown_schema', `schema ${id} is not registered`);
  return schema;
}
