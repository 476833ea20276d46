/**
 * A schema registry that is checked against the log. The server assigns ids; every schema that records are written with
 * is also recorded under its id in `control.schemas`, and only that copy is used for decoding. A server that was emptied
 * assigns its ids in another order: with it, old records would be decoded with wrong schemas by every other tool.
 */
import type { Schema } from 'avsc';
import { CodecError } from './codec.ts';
import { parseSchema } from './create-codec.ts';
import { fetchRecorded } from './log-registry.ts';
import type { RecordedSchemas } from './recorded-schemas.ts';
import type { SchemaRegistry } from './registry.ts';

/** More were another's schemas: the registry is shared, and its ids cannot be restored this way. */
const UNUSED_IDS_MAX = 1_000;

/** The server assigns or holds other ids than the log; nothing may be written or decoded with it. */
export class RegistryMismatchError extends Error {
  override name = 'RegistryMismatchError';
  readonly code = 'registry_mismatch';
  readonly canRetry = false;
  constructor(what: string) {
    super(
      `the schema registry does not fit the log: ${what}. If it was emptied, npm run schemas:restore registers the schemas again; otherwise check --schema-registry`,
    );
  }
}

export class CheckedRegistry implements SchemaRegistry {
  private readonly recorded: RecordedSchemas;
  private readonly server: SchemaRegistry;

  constructor(recorded: RecordedSchemas, server: SchemaRegistry) {
    this.recorded = recorded;
    this.server = server;
  }

  /** Rejects with a `RegistryMismatchError` if the server's id is not the one of the log. */
  async register(subject: string, schema: string): Promise<number> {
    const { recorded } = this;
    if (recorded.schemaOf(0) === schema) return 0;
    const id = await this.server.register(subject, schema);
    if (recorded.schemaOf(id) === undefined) await recorded.catchUp();
    const recordedSchema = recorded.schemaOf(id);
    const recordedId = recorded.idOf(schema);
    if (recordedSchema === undefined && recordedId === undefined) await recorded.append({ id, subject, schema });
    else if (recordedSchema === undefined || !isSameSchema(recordedSchema, schema))
      throw new RegistryMismatchError(`id ${id} for ${subject}, which has id ${recordedId ?? 'none'} in the log`);
    return id;
  }

  fetch(id: number): Promise<string> {
    return fetchRecorded(this.recorded, id);
  }

  /** Compares every recorded schema with the server's. Returns a text for each difference. Rejects as the server does. */
  async differences(): Promise<string[]> {
    const found: string[] = [];
    for (const { id, subject, schema } of this.recorded.entries()) {
      const served = await this.served(id);
      if (served === null) found.push(`id ${id} (${subject}) is missing`);
      else if (!isSameSchema(served, schema)) found.push(`id ${id} (${subject}) has another schema`);
    }
    return found;
  }

  /** Rejects with a `RegistryMismatchError` if there are differences. */
  async check(): Promise<void> {
    const found = await this.differences();
    if (found.length > 0) throw new RegistryMismatchError(describeDifferences(found));
  }

  /**
   * Registers the recorded schemas that the server lacks, in the order of the ids. Ids that the log does not use, for
   * example because two processes registered a schema at the same time, are used for schemas that say so. Rejects with a
   * `RegistryMismatchError` before anything is registered if the server has another schema for one of the ids, since it
   * is then not the registry of this log, and later at the first schema that gets another id. Returns how many schemas
   * the log has.
   */
  async restore(onRestored: (done: number, total: number) => void): Promise<number> {
    const entries = this.recorded.entries();
    const missing = new Set<number>();
    for (const { id, subject, schema } of entries) {
      const served = await this.served(id);
      if (served === null) missing.add(id);
      else if (!isSameSchema(served, schema))
        throw new RegistryMismatchError(`id ${id} (${subject}) has another schema, so nothing was registered`);
    }
    let before = 0;
    for (const [at, { id, subject, schema }] of entries.entries()) {
      if (missing.has(id)) {
        await this.useIdsBetween(before, id);
        const assigned = await this.server.register(subject, schema);
        if (assigned !== id)
          throw new RegistryMismatchError(`id ${assigned} for ${subject}, which has id ${id} in the log`);
      }
      before = id;
      onRestored(at + 1, entries.length);
    }
    return entries.length;
  }

  private async useIdsBetween(before: number, next: number): Promise<void> {
    if (next - before > UNUSED_IDS_MAX)
      throw new RegistryMismatchError(`the log uses no id between ${before} and ${next}, which are too many to skip`);
    for (let id = before + 1; id < next; id += 1) {
      if ((await this.served(id)) !== null) continue;
      const schema = JSON.stringify({ type: 'record', name: `UnusedId${id}`, fields: [] });
      const assigned = await this.server.register(`parallax.unused-id-${id}`, schema);
      if (assigned !== id) throw new RegistryMismatchError(`id ${assigned} follows ${id - 1}, and ${id} is missing`);
    }
  }

  private async served(id: number): Promise<string | null> {
    try {
      return await this.server.fetch(id);
    } catch (error) {
      if (error instanceof CodecError) return null;
      throw error;
    }
  }
}

/** A sentence part for operators, which names the first difference. */
export function describeDifferences(found: readonly string[]): string {
  return `${found[0]}${found.length > 1 ? `, and ${found.length - 1} more ids differ` : ''}`;
}

/** True if both decode the same bytes alike: descriptions and defaults do not matter for that. */
function isSameSchema(one: string, other: string): boolean {
  return one === other || canonical(one) === canonical(other);
}

function canonical(schema: string): string {
  return JSON.stringify(parseSchema(JSON.parse(schema) as Schema).schema());
}
