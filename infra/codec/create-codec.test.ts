import { describe, expect, it, vi } from 'vitest';
import { avroSchema, blob, integer, list, nullable, record, text, withDefault } from '#schemas/avro';
import { defineTopic, type Topic } from '#schemas/topics/topic';
import type { LogRecord } from '../log/log.ts';
import { CodecError } from './codec.ts';
import { createCodec } from './create-codec.ts';
import type { SchemaRegistry } from './registry.ts';
import { LONGEST } from './sample-values.fixture.ts';

/** A registry in memory that assigns ids from 7 on. */
function memoryRegistry(): SchemaRegistry & { readonly texts: string[] } {
  const texts: string[] = [];
  return {
    texts,
    async register(_, schema) {
      if (!texts.includes(schema)) texts.push(schema);
      return texts.indexOf(schema) + 7;
    },
    async fetch(id) {
      const schema = texts[id - 7];
      if (schema === undefined) throw new CodecError('unknown_schema', `no schema ${id}`);
      return schema;
    },
  };
}

const topicOf = <T>(schema: Topic<T>['schema'], name = 'test.things'): Topic<T> =>
  defineTopic({ name, description: '', key: '', partitions: 1, retention: { kind: 'raw' }, schema });

const thing = topicOf(
  record('Thing', 'A thing.', {
    at: integer('When.'),
    name: text('Name.'),
    note: nullable(text('Note.')),
    parts: list(record('Part', 'A part.', { size: nullable(integer('Size.')) }), 'Parts.'),
    payload: blob('Bytes.'),
  }),
);
const value = { at: 5, name: 'n', note: null, parts: [{ size: 1 }, { size: null }], payload: Buffer.from('ab') };

describe('createCodec', () => {
  it('writes magic byte 0, the id in 4 bytes, then the body', async () => {
    const codec = createCodec(memoryRegistry());
    const small = topicOf(record('Small', '', { at: integer('') }));
    await codec.prepare([small]);
    // Avro writes a long as a zigzag varint: 5 becomes 10.
    expect([...codec.encode(small, { at: 5 })]).toEqual([0, 0, 0, 0, 7, 10]);
  });

  it('returns plain values, nulls as null', async () => {
    const codec = createCodec(memoryRegistry());
    await codec.prepare([thing]);
    expect(codec.decode(thing, codec.encode(thing, value))).toEqual(value);
    const withNote = { ...value, note: 'noted' };
    expect(codec.decode(thing, codec.encode(thing, withNote))).toEqual(withNote);
  });

  it('decodes a record once for successive readers, and caches a limited number of values', async () => {
    const codec = createCodec(memoryRegistry());
    await codec.prepare([thing]);
    const bytes = codec.encode(thing, value);
    const recordAt = (offset: number): LogRecord => ({
      ...{ topic: thing.name, partition: 0, key: '', receivedAt: 1, seq: 1, appendedAt: 1 },
      offset,
      value: bytes,
    });
    const first = recordAt(0);
    expect(codec.decodeRecord(thing, first)).toEqual(value);
    expect(codec.decodeRecord(thing, first)).toBe(codec.decodeRecord(thing, first));
    for (let offset = 1; offset <= 4_096; offset += 1) codec.decodeRecord(thing, recordAt(offset));
    expect(first.decoded).toBeUndefined();
  });

  it('caches fewer values of large records', async () => {
    const codec = createCodec(memoryRegistry());
    await codec.prepare([thing]);
    const page = codec.encode(thing, { ...value, payload: Buffer.alloc(1024 * 1024) });
    const records = Array.from({ length: 17 }, (_, offset): LogRecord => {
      const at = { topic: thing.name, partition: 0, key: '', receivedAt: 1, seq: 1, appendedAt: 1 };
      return { ...at, offset, value: page };
    });
    for (const record of records) codec.decodeRecord(thing, record);
    // Sixteen pages of a little more than 1 MiB exceed the 16 MiB of the cache.
    expect(records.map(({ decoded }) => decoded !== undefined)).toEqual([false, false, ...Array(15).fill(true)]);
  });

  it('caches the newest values however many came before them', async () => {
    const codec = createCodec(memoryRegistry());
    await codec.prepare([thing]);
    const bytes = codec.encode(thing, value);
    const records = Array.from({ length: 10_000 }, (_, offset): LogRecord => {
      const at = { topic: thing.name, partition: 0, key: '', receivedAt: 1, seq: 1, appendedAt: 1 };
      return { ...at, offset, value: bytes };
    });
    for (const record of records) codec.decodeRecord(thing, record);
    const cached = records.filter(({ decoded }) => decoded !== undefined);
    expect(cached).toEqual(records.slice(-4_096));
  });

  it('separates records of all sizes that are encoded into one buffer', async () => {
    const codec = createCodec(memoryRegistry());
    await codec.prepare([thing]);
    const values = Array.from({ length: 100 }, (_, at) => ({ ...value, at, payload: Buffer.alloc(at * at * 10, at) }));
    const encoded = values.map((one) => codec.encode(thing, one));
    for (const [at, bytes] of encoded.entries())
      expect(codec.decode(thing, bytes).payload.equals(values[at]!.payload)).toBe(true);
  });

  it('does not change an earlier record when it encodes a later one', async () => {
    const codec = createCodec(memoryRegistry());
    await codec.prepare([thing]);
    const first = codec.encode(thing, value);
    const copy = Buffer.from(first);
    codec.encode(thing, { ...value, name: 'another', at: 99 });
    expect(first).toEqual(copy);
  });

  it('encodes records larger than its buffer, repeatedly', async () => {
    const codec = createCodec(memoryRegistry());
    await codec.prepare([thing]);
    for (const bytes of [65_530, 65_536, 300_000, 3_000_000, 10]) {
      const payload = Buffer.alloc(bytes, bytes % 251);
      const { payload: read, ...rest } = codec.decode(thing, codec.encode(thing, { ...value, payload }));
      expect(read.equals(payload)).toBe(true);
      expect({ ...rest, payload: value.payload }).toEqual(value);
    }
  });

  it('registers a topic once', async () => {
    const registry = memoryRegistry();
    const register = vi.spyOn(registry, 'register');
    const codec = createCodec(registry);
    await codec.prepare([thing]);
    await codec.prepare([thing]);
    expect(register.mock.calls).toEqual([['test.things-value', JSON.stringify(avroSchema(thing.schema))]]);
  });

  it('throws for a topic that was not prepared', () => {
    expect(() => createCodec(memoryRegistry()).encode(thing, value)).toThrow(/prepare was not called for test.things/);
  });

  const long = topicOf(record('Long', '', { at: integer('') }));
  const malformed = expect.objectContaining({ name: 'CodecError', code: 'malformed' });

  it('accepts integers from -2^52 to 2^53 - 2, and refuses others as malformed', async () => {
    const codec = createCodec(memoryRegistry());
    await codec.prepare([long]);
    for (const at of [LONGEST, 0, -1, -(2 ** 52)])
      expect(codec.decode(long, codec.encode(long, { at }))).toEqual({ at });
    expect(() => codec.encode(long, { at: LONGEST + 1 })).toThrow(malformed);
    expect(() => codec.encode(long, { at: 2 ** 53 })).toThrow(malformed);
    expect(() => codec.encode(long, { at: 1.5 })).toThrow(malformed);
    // 2^53 as zigzag varint: 2^54 in groups of 7 bits, lowest first.
    const beyond = Buffer.from([0, 0, 0, 0, 7, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20]);
    expect(() => codec.decode(long, beyond)).toThrow(malformed);
  });

  it('refuses a value that does not fit its schema', async () => {
    const codec = createCodec(memoryRegistry());
    await codec.prepare([thing]);
    expect(() => codec.encode(thing, { ...value, name: undefined } as never)).toThrow(malformed);
    expect(() => codec.encode(thing, { ...value, at: 'x' } as never)).toThrow(malformed);
    expect(codec.decode(thing, codec.encode(thing, value))).toEqual(value);
  });

  it('refuses truncated, too long and foreign records as malformed', async () => {
    const codec = createCodec(memoryRegistry());
    await codec.prepare([thing]);
    const bytes = codec.encode(thing, value);
    for (let end = 0; end < bytes.length; end += 1)
      expect(() => codec.decode(thing, bytes.subarray(0, end))).toThrow(malformed);
    expect(() => codec.decode(thing, Buffer.concat([bytes, Buffer.from([0])]))).toThrow(malformed);
    expect(() => codec.decode(thing, Buffer.concat([Buffer.from([1]), bytes.subarray(1)]))).toThrow(malformed);
    expect(() => codec.decode(thing, Buffer.from('{"at":5}'))).toThrow(malformed);
  });

  describe('with schemas that evolve', () => {
    const older = topicOf(record('Growing', '', { at: integer(''), gone: text('') }));
    const newer = topicOf(record('Growing', '', { at: integer(''), note: withDefault(text(''), 'none') }));

    it('reads an older record with the defaults of added fields after its schema was fetched', async () => {
      const registry = memoryRegistry();
      const writer = createCodec(registry);
      await writer.prepare([older]);
      const bytes = writer.encode(older, { at: 3, gone: 'x' });
      const reader = createCodec(registry);
      await reader.prepare([newer]);
      expect(() => reader.decode(newer, bytes)).toThrow(expect.objectContaining({ code: 'unknown_schema' }));
      await reader.fetchSchema(bytes);
      expect(reader.decode(newer, bytes)).toEqual({ at: 3, note: 'none' });
      expect(reader.decode(newer, bytes)).toEqual({ at: 3, note: 'none' });
    });

    it('fetches a schema from the registry once', async () => {
      const registry = memoryRegistry();
      const writer = createCodec(registry);
      await writer.prepare([older]);
      const bytes = writer.encode(older, { at: 3, gone: 'x' });
      const fetch = vi.spyOn(registry, 'fetch');
      const reader = createCodec(registry);
      await reader.prepare([newer]);
      await reader.fetchSchema(bytes);
      await reader.fetchSchema(bytes);
      expect(fetch).toHaveBeenCalledTimes(1);
      await expect(reader.fetchSchema(Buffer.from([0, 0, 0, 9, 9, 1]))).rejects.toMatchObject({
        code: 'unknown_schema',
      });
    });

    it('rejects a schema that is incompatible with the current one', async () => {
      const registry = memoryRegistry();
      const strict = topicOf(record('Growing', '', { at: integer(''), must: text('') }), 'test.strict');
      const writer = createCodec(registry);
      await writer.prepare([older]);
      const bytes = writer.encode(older, { at: 3, gone: 'x' });
      const reader = createCodec(registry);
      await reader.prepare([strict]);
      await reader.fetchSchema(bytes);
      const incompatible = expect.objectContaining({ code: 'incompatible_schema' });
      expect(() => reader.decode(strict, bytes)).toThrow(incompatible);
      expect(() => reader.decode(strict, bytes)).toThrow(incompatible);
    });
  });
});
