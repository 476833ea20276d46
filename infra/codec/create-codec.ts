import avsc, { type Schema, type Type } from 'avsc';
import { avroSchema } from '#schemas/avro';
import type { Topic } from '#schemas/topics/topic';
import { type Codec, CodecError } from './codec.ts';
import type { SchemaRegistry } from './registry.ts';

/** Magic byte 0, then the schema id as 4 bytes, big endian (Confluent wire format). */
const HEADER_BYTES = 5;
const FIRST_BUFFER_BYTES = 64 * 1024;

interface Prepared {
  readonly id: number;
  readonly type: Type;
  /** Readers of older schemas, by writer id. */
  readonly resolvers: Map<number, ReturnType<Type['createResolver']>>;
}

/** A codec over a registry. */
export function createCodec(registry: SchemaRegistry): Codec {
  const prepared = new Map<string, Prepared>();
  /** Schemas that records were written with, by id. */
  const writers = new Map<number, Type>();
  let scratch = Buffer.allocUnsafe(FIRST_BUFFER_BYTES);

  const of = (topic: Topic<never>): Prepared => {
    const found = prepared.get(topic.name);
    if (!found) throw new Error(`codec.prepare was not called for ${topic.name}`);
    return found;
  };

  return {
    async prepare(topics) {
      for (const topic of topics) {
        if (prepared.has(topic.name)) continue;
        const schema = avroSchema(topic.schema);
        const id = await registry.register(`${topic.name}-value`, JSON.stringify(schema));
        const type = parseSchema(schema);
        prepared.set(topic.name, { id, type, resolvers: new Map() });
      }
    },

    encode(topic, value) {
      const { id, type } = of(topic as Topic<never>);
      for (;;) {
        const end = type.encode(value, scratch, HEADER_BYTES);
        if (end >= 0) {
          scratch[0] = 0;
          scratch.writeUInt32BE(id, 1);
          return Buffer.from(scratch.subarray(0, end));
        }
        // A negative position says how many bytes were missing.
        scratch = Buffer.allocUnsafe(Math.max(scratch.length * 2, scratch.length - end));
      }
    },

    decode(topic, bytes) {
      const { id, type, resolvers } = of(topic as Topic<never>);
      const writerId = idOf(bytes);
      let resolver: ReturnType<Type['createResolver']> | undefined;
      if (writerId !== id) {
        const writer = writers.get(writerId);
        if (!writer) throw new CodecError('unknown_schema', `schema ${writerId} is not known here yet`);
        resolver = resolvers.get(writerId) ?? resolve(type, writer, topic.name);
        resolvers.set(writerId, resolver);
      }
      try {
        const { value, offset } = type.decode(bytes, HEADER_BYTES, resolver);
        // Avsc tells a record that ends too early by an offset beyond the end or below zero.
        if (offset !== bytes.length) throw new Error(offset < 0 || offset > bytes.length ? 'too short' : 'too long');
        return value;
      } catch (error) {
        throw new CodecError('malformed', `a record of ${topic.name} does not fit its schema`, { cause: error });
      }
    },

    async learn(bytes) {
      const id = idOf(bytes);
      if (!writers.has(id)) writers.set(id, parseSchema(JSON.parse(await registry.fetch(id)) as Schema));
    },
  };
}

function parseSchema(schema: Schema): Type {
  // Plain `null | value` in memory, without wrapping objects.
  return avsc.Type.forSchema(schema, { wrapUnions: false, registry: {} });
}

function idOf(bytes: Buffer): number {
  if (bytes.length < HEADER_BYTES || bytes[0] !== 0)
    throw new CodecError('malformed', 'not in the Confluent wire format');
  return bytes.readUInt32BE(1);
}

function resolve(type: Type, writer: Type, topic: string) {
  try {
    return type.createResolver(writer);
  } catch (error) {
    throw new CodecError('incompatible_schema', `a schema that ${topic} was written with cannot be read any more`, {
      cause: error,
    });
  }
}
