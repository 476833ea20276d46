import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { avroSchema, integer, record, text, withDefault } from '#schemas/avro';
import { defineTopic, type Topic } from '#schemas/topics/topic';
import { createCodec, parseSchema } from './create-codec.ts';
import { currentSchemas, freezeSchemas, frozenVersions, SCHEMA_TOPICS, VERSIONS_FOLDER } from './frozen-schemas.ts';
import { sampleOf } from './sample-values.fixture.ts';

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), '..', '..', VERSIONS_FOLDER);
const current = currentSchemas();

describe.each([...current])('the record %s', (name, schema) => {
  const versions = frozenVersions(FOLDER, name);

  it('has its current schema as newest version: npm run schemas:freeze', () => {
    expect(versions.at(-1)).toEqual(schema);
  });

  it.each(versions.map((version, index) => [index + 1, version] as const))(
    'is readable from version %i',
    (_, version) => {
      const writer = parseSchema(version);
      const reader = parseSchema(schema);
      const resolver = reader.createResolver(writer);
      for (const kind of ['full', 'bare'] as const) {
        const value = reader.fromBuffer(writer.toBuffer(sampleOf(version, kind)), resolver);
        expect(reader.isValid(value)).toBe(true);
        expect(value).toMatchObject(commonPart(sampleOf(version, kind), schema));
      }
    },
  );
});

/** Fields of an earlier value that the current schema still has. */
function commonPart(value: unknown, schema: unknown): object {
  const { fields } = schema as { fields: readonly { name: string }[] };
  const known = new Set(fields.map((field) => field.name));
  return Object.fromEntries(Object.entries(value as object).filter(([name]) => known.has(name)));
}

describe.each(SCHEMA_TOPICS.map((topic) => [topic.name, topic] as const))('the topic %s', (_, topic) => {
  it.each(['full', 'bare'] as const)('returns the values that were written to it (%s)', async (kind) => {
    const codec = createCodec({ register: async () => 1, fetch: async () => '' });
    await codec.prepare([topic]);
    const value = sampleOf(avroSchema(topic.schema), kind);
    expect(codec.decode(topic, codec.encode(topic, value))).toEqual(value);
  });
});

describe('the folder of versions', () => {
  it('contains only records that a topic carries', () => {
    expect(readdirSync(FOLDER).sort()).toEqual([...current.keys()].sort());
  });
});

describe('freezing', () => {
  const topicOf = (schema: Topic['schema']): Topic =>
    defineTopic({ name: 't', description: '', key: '', partitions: 1, retention: { kind: 'raw' }, schema });
  const freeze = (folder: string, schema: Topic['schema']) => freezeSchemas(folder, currentSchemas([topicOf(schema)]));

  it('writes a version when the encoding of a schema changes, and none when only a description does', () => {
    const folder = mkdtempSync(join(tmpdir(), 'parallax-schemas-'));
    try {
      expect(freeze(folder, record('Thing', 'A thing.', { at: integer('When.') }))).toEqual([join('Thing', '1.json')]);
      expect(freeze(folder, record('Thing', 'Something.', { at: integer('The time.') }))).toEqual([]);
      const grown = record('Thing', 'A thing.', { at: integer('When.'), note: withDefault(text('What.'), '') });
      expect(freeze(folder, grown)).toEqual([join('Thing', '2.json')]);
      expect(freeze(folder, grown)).toEqual([]);
      expect(frozenVersions(folder, 'Thing')).toHaveLength(2);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('refuses two records of one name', () => {
    const [a, b] = [integer('A number.'), text('A text.')].map((field) => topicOf(record('Same', '', { field })));
    expect(() => currentSchemas([a!, b!])).toThrow(/two records are called Same/);
  });
});
