import avsc, { type Schema, type Type } from 'avsc';
import { avroSchema } from '#schemas/avro';
import type { Topic } from '#schemas/topics/topic';
import type { LogRecord } from '../log/log.ts';
import { fasterType } from './avro-types.ts';
import { type Codec, CodecError } from './codec.ts';
import { DecodeCache } from './decode-cache.ts';
import type { SchemaRegistry } from './registry.ts';

/** Magic byte 0, then the schema id as 4 bytes, big endian (Confluent wire format). */
const HEADER_BYTES = 5;
/** Records are encoded one after another into buffers of this size; each record keeps its buffer in memory. */
const SLAB_BYTES = 64 * 1024;
/** A buffer with less room than this is not used any more. */
const ROOM_MIN_BYTES = 1024;

type Resolver = ReturnType<Type['createResolver']>;

interface Prepared {
  readonly id: number;
  readonly type: Type;
  /**
   * Resolvers for records that were written with other schemas, by id; an error if the current schema cannot read them.
   */
  readonly resolvers: Map<number, Resolver | CodecError>;
}

/** Creates a codec that uses a schema registry. */
export function createCodec(registry: SchemaRegistry): Codec {
  return new RegistryCodec(registry);
}

class RegistryCodec implements Codec {
  private readonly registry: SchemaRegistry;
  private readonly prepared = new Map<string, Prepared>();
  /** Writer schemas of records, by id. */
  private readonly writers = new Map<number, Type>();
  private readonly decodeCache = new DecodeCache(this);
  private slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
  /** Position of the next record in the buffer. */
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
    const { id, type } = this.preparedTopic(topic.name);
    try {
      const start = this.slabAt;
      const end = type.encode(value, this.slab, start + HEADER_BYTES);
      if (end < 0) {
        // A negative position is the number of missing bytes.
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
    const prepared = this.preparedTopic(topic.name);
    const writerId = idOf(bytes);
    const resolver = writerId === prepared.id ? undefined : this.resolverFor(topic.name, prepared, writerId);
    try {
      const { value, offset } = prepared.type.decode(bytes, HEADER_BYTES, resolver);
      if (offset === bytes.length) return value as T;
    } catch (error) {
      throw malformed(topic.name, { cause: error });
    }
    // The record ends before its last field, or continues after it.
    throw malformed(topic.name);
  }

  decodeRecord<T>(topic: Topic<T>, record: LogRecord): T {
    return this.decodeCache.get(topic, record);
  }

  hasSchema(bytes: Buffer): boolean {
    // Bytes in another format have no schema to fetch: decoding refuses them.
    return !isInWireFormat(bytes) || this.writers.has(bytes.readUInt32BE(1));
  }

  async fetchSchema(bytes: Buffer): Promise<void> {
    const id = idOf(bytes);
    if (this.writers.has(id)) return;
    this.writers.set(id, parseSchema(JSON.parse(await this.registry.fetch(id)) as Schema));
  }

  private openSlab(bytes: number): void {
    this.slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, bytes));
    this.slabAt = 0;
  }

  private preparedTopic(topic: string): Prepared {
    const found = this.prepared.get(topic);
    if (!found) throw new Error(`codec.prepare was not called for ${topic}`);
    return found;
  }

  private resolverFor(topic: string, { type, resolvers }: Prepared, writerId: number): Resolver {
    const known = resolvers.get(writerId);
    if (known instanceof CodecError) throw known;
    if (known) return known;
    const writer = this.writers.get(writerId);
    if (!writer) throw new CodecError('unknown_schema', `schema ${writerId} is not known on this node yet`);
    try {
      const resolver = type.createResolver(writer);
      resolvers.set(writerId, resolver);
      return resolver;
    } catch (error) {
      const message = `schema ${writerId}, which ${topic} was written with, is incompatible with the current schema`;
      const incompatible = new CodecError('incompatible_schema', message, { cause: error });
      resolvers.set(writerId, incompatible);
      throw incompatible;
    }
  }
}

/**
 * The avsc type of a schema. Unions are plain `null | value`, records plain data without methods. Longs are exact from
 * -2^52 to 2^53 - 2, which suffices for times, counts and offsets; avsc refuses larger ones.
 */
export function parseSchema(schema: Schema): Type {
  return avsc.Type.forSchema(schema, {
    wrapUnions: false,
    omitRecordMethods: true,
    registry: {},
    typeHook: fasterType,
  });
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
