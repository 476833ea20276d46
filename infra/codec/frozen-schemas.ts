/**
 * Stores every version that the schema of a record ever was in `schemas/topics/versions/<record>/<n>.json`, so that a
 * test can check current schemas against all earlier ones. Descriptions are left out: they do not change the encoding.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Schema } from 'avsc';
import { avroSchema } from '#schemas/avro';
import { TOPICS } from '#schemas/topics/catalog';
import { deadLetterTopic, stateTopic } from '#schemas/topics/control';
import type { Topic } from '#schemas/topics/topic';

/** The folder of the versions, relative to the project's root. */
export const VERSIONS_FOLDER = join('schemas', 'topics', 'versions');

/** Every topic of the catalog, and one of each kind that is derived from the stages. */
export const SCHEMA_TOPICS: readonly Topic[] = [
  ...TOPICS,
  stateTopic('example') as Topic,
  deadLetterTopic(TOPICS[0]!.name) as Topic,
];

/** The current schema of every record that a topic carries, by record name without the namespace. */
export function currentSchemas(topics: readonly Topic[] = SCHEMA_TOPICS): ReadonlyMap<string, Schema> {
  const schemas = new Map<string, Schema>();
  for (const { name: topic, schema: type } of topics) {
    const schema = withoutDocs(avroSchema(type)) as { readonly name?: string };
    if (!schema.name) throw new Error(`${topic} carries no record`);
    const record = schema.name.slice(schema.name.lastIndexOf('.') + 1);
    const known = schemas.get(record);
    if (known && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`two records are called ${record}, one of them on ${topic}`);
    schemas.set(record, schema as Schema);
  }
  return schemas;
}

/** The versions of a record, oldest first. */
export function frozenVersions(folder: string, record: string): Schema[] {
  const own = join(folder, record);
  if (!existsSync(own)) return [];
  const numbers = readdirSync(own).map((file) => Number(/^(\d+)\.json$/.exec(file)?.[1] ?? Number.NaN));
  numbers.sort((a, b) => a - b);
  if (numbers.some((number, index) => number !== index + 1))
    throw new Error(`${own} must contain only the versions 1.json, 2.json, …`);
  return numbers.map((number) => JSON.parse(readFileSync(join(own, `${number}.json`), 'utf8')) as Schema);
}

/** Writes a version of every record whose schema differs from its newest; returns the files, relative to the folder. */
export function freezeSchemas(folder: string, schemas = currentSchemas()): string[] {
  const written: string[] = [];
  for (const [record, schema] of schemas) {
    const versions = frozenVersions(folder, record);
    const newest = versions.at(-1);
    if (newest && JSON.stringify(newest) === JSON.stringify(schema)) continue;
    const file = join(record, `${versions.length + 1}.json`);
    mkdirSync(join(folder, record), { recursive: true });
    writeFileSync(join(folder, file), `${JSON.stringify(schema, null, 2)}\n`);
    written.push(file);
  }
  return written;
}

function withoutDocs(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutDocs);
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).filter(([name]) => name !== 'doc');
  return Object.fromEntries(entries.map(([name, value]) => [name, name === 'default' ? value : withoutDocs(value)]));
}
