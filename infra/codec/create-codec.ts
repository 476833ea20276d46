import avsc, { type Schema, type Type } from 'avsc';
import { avroSchema } from '#schemas/avro';
import type { Topic } from '#schemas/topics/topic';
import type { LogRecord } from '../log/log.ts';
import { type Codec, CodecError } from './codec.ts';
import type { SchemaRegistry } from './registry.ts';
import { SharedValues } from './shared-values.ts';

/** Magic byte 0, then the schema id as 4 bytes, big endian (Confluent wire format). */
export const HEADER_BYTES = 5;
/** Records are encoded side by side into buffers of this size; each keeps its buffer in memory. */
const SLAB_BYTES = 64 * 1024;
/** Less room than this is not tried. */
const ROOM_MIN_BYTES = 1024;

type Resolver = ReturnType<Type['createResolver']>;

interface Prepared {
  readonly id: number;
  readonly type: Type;
  /** How to read what was written with another schema, by its id; an error where today's cannot. */
  readonly resolvers: Map<number, Resolver | CodecError>;
}

/** A codec over a registry. */
export function createCodec(registry: SchemaRegistry): Codec {
  return new RegistryCodec(registry);
}

class RegistryCodec implements Codec {
  private readonly registry: SchemaRegistry;
  private readonly prepared = new Map<string, Prepared>();
  /** Schemas that records were written with, by id. */
  private readonly writers = new Map<number, Type>();
  private readonly shared = new SharedValues(this);
  private slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
  /** Where the next record goes in it. */
  private slabAt = 0;

  constructor(registry: SchemaRegistry) {
    this.registry = registry;
  }

  async prepare(topics: readonly Topic[]): Promise<void> {
    for (const topic of topics) {
      if (this.prepared.has(topic.name)) continue;
      const schema = avroSchema(topic.schema);
      const id = await this.registry.register(`${topic.name}-value`, JSON.stringify(schema));
      const type = parseSchema(schema);
      this.writers.set(id, type);
      this.prepared.set(topic.name, { id, type, resolvers: new Map() });
    }
  }

  encode<T>(topic: Topic<T>, value: T): Buffer {
    const { id, type } = this.of(topic.name);
    try {
      const start = this.slabAt;
      const end = type.encode(value, this.slab, start + HEADER_BYTES);
      if (end < 0) {
        // A negative position says how many bytes were missing.
        this.openSlab(this.slab.length - start - end);
        return this.encode(topic, value);
      }
      this.slab.writeUInt8(0, start);
      this.slab.writeUInt32BE(id, start + 1);
      const bytes = this.slab.subarray(start, end);
      this.slabAt = end;
      if (this.slab.length - end < ROOM_MIN_BYTES) this.openSlab(SLAB_BYTES);
      return bytes;
    } catch (error) {
      throw new CodecError('malformed', `a value does not fit the schema of ${topic.name}`, { cause: error });
    }
  }

  decode<T>(topic: Topic<T>, bytes: Buffer): T {
    const prepared = this.of(topic.name);
    const writerId = idOf(bytes);
    const resolver = writerId === prepared.id ? undefined : this.resolverFor(topic.name, prepared, writerId);
    try {
      const { value, offset } = prepared.type.decode(bytes, HEADER_BYTES, resolver);
      if (offset === bytes.length) return value as T;
    } catch (error) {
      throw malformed(topic.name, { cause: error });
    }
    // The record ends before its last field, or goes on after it.
    throw malformed(topic.name);
  }

  decodeRecord<T>(topic: Topic<T>, record: LogRecord): T {
    return this.shared.of(topic, record);
  }

  knows(bytes: Buffer): boolean {
    // Bytes in no wire format are not learned either: decoding refuses them.
    return !isInWireFormat(bytes) || this.writers.has(bytes.readUInt32BE(1));
  }

  async learn(bytes: Buffer): Promise<void> {
    const id = idOf(bytes);
    if (this.writers.has(id)) return;
    this.writers.set(id, parseSchema(JSON.parse(await this.registry.fetch(id)) as Schema));
  }

  private openSlab(bytes: number): void {
    this.slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, bytes));
    this.slabAt = 0;
  }

  private of(topic: string): Prepared {
    const found = this.prepared.get(topic);
    if (!found) throw new Error(`codec.prepare was not called for ${topic}`);
    return found;
  }

  private resolverFor(topic: string, { type, resolvers }: Prepared, writerId: number): Resolver {
    const known = resolvers.get(writerId);
    if (known instanceof CodecError) throw known;
    if (known) return known;
    const writer = this.writers.get(writerId);
    if (!writer) throw new CodecError('unknown_schema', `schema ${writerId} is not known here yet`);
    try {
      const resolver = type.createResolver(writer);
      resolvers.set(writerId, resolver);
      return resolver;
    } catch (error) {
      const message = `schema ${writerId}, which ${topic} was written with, cannot be read any more`;
      const incompatible = new CodecError('incompatible_schema', message, { cause: error });
      resolvers.set(writerId, incompatible);
      throw incompatible;
    }
  }
}

/**
 * The avsc type of a schema: unions are plain `null | value`, records plain data without methods. Longs are exact from
 * -2^52 to 2^53 - 2, which is all that times, counts and offsets need; avsc refuses larger ones.
 */
export function parseSchema(schema: Schema): Type {
  return avsc.Type.forSchema(schema, { wrapUnions: false, omitRecordMethods: true, registry: {} });
}

function idOf(bytes: Buffer): number {
  if (!isInWireFormat(bytes)) throw new CodecError('malformed', 'not in the Confluent wire format');
  return bytes.readUInt32BE(1);
}

function isInWireFormat(bytes: Buffer): boolean {
  return bytes.length >= HEADER_BYTES && bytes[0] === 0;
}

function malformed(topic: string, options?: ErrorOptions): CodecError {
  return new CodecError('malformed', `a record of ${topic} does not fit the schema that it names`, options);
}
