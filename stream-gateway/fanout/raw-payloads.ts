/** Reads the payloads of raw feeds from the raw topics: frames only refer to them. */
import { type Codec, CodecError } from '#infra/codec/codec';
import type { EventLog, LogRecord } from '#infra/log/log';
import { partitionName } from '#infra/log/partition-name';
import type { RawChannelFrame } from '#schemas/topics/channels';
import { rawTopics } from '#schemas/topics/raw';
import { type Absence, RawPartition } from './raw-partition.ts';

/** A reader that was not used for this long is closed. */
const UNUSED_MS = 10_000;

/** Why there is no payload: the record is absent, or it or the referenced part cannot be read (`malformed`). */
export type PayloadAbsence = Absence | 'malformed';

/** The JSON text that a frame of a raw feed refers to, or why there is none. */
export type RawPayload = { readonly text: string } | { readonly absence: PayloadAbsence };

/** A frame of a raw feed with its payload. */
export interface RawEvent {
  readonly frame: RawChannelFrame;
  readonly payload: RawPayload;
}

/** A record of a raw channel with its frame. */
export type RawEntry = readonly [record: LogRecord, frame: RawChannelFrame];

export interface RawPayloadsOptions {
  readonly log: EventLog;
  readonly codec: Codec;
  /** Aborts once nobody waits for payloads: then a load that waits for the log rejects. */
  readonly signal: AbortSignal;
}

/** Reads the raw topics for one reader of channel topics, which requests payloads in the order of the events. */
export class RawPayloads {
  private readonly options: RawPayloadsOptions;
  private readonly partitions = new Map<string, { readonly partition: RawPartition; usedAt: number }>();
  private readonly loaded = new Map<LogRecord, RawEvent>();

  constructor(options: RawPayloadsOptions) {
    this.options = options;
  }

  /** Aborts once nobody waits for payloads. */
  get signal(): AbortSignal {
    return this.options.signal;
  }

  /** Bytes of raw topics read so far. */
  get bytesRead(): number {
    let bytes = 0;
    for (const { partition } of this.partitions.values()) bytes += partition.bytesRead;
    return bytes;
  }

  /**
   * Fetches the payloads of these events for `get`, each raw record once. Rejects with a `LogError`; after a transient
   * one the same call continues where it stopped.
   */
  async load(entries: readonly RawEntry[]): Promise<void> {
    let previous: RawChannelFrame | null = null;
    let payload: RawPayload = { absence: 'missing' };
    for (const [record, frame] of [...entries].sort(byLocation)) {
      if (this.loaded.has(record)) continue;
      if (previous === null || !isSameRecord(previous, frame))
        payload = this.tryReadText(frame) ?? (await this.readText(frame));
      previous = frame;
      this.loaded.set(record, { frame, payload: sliceOf(payload, frame) });
    }
  }

  /** The event of a record that was loaded since the last `clear`. */
  get(record: LogRecord): RawEvent | undefined {
    return this.loaded.get(record);
  }

  /** Removes everything that was loaded. */
  clear(): void {
    this.loaded.clear();
  }

  /**
   * Closes readers that were not used for a while.
   * @param now of the monotonic clock, ms.
   */
  async closeUnused(now: number): Promise<void> {
    for (const used of this.partitions.values()) {
      if (now - used.usedAt < UNUSED_MS) continue;
      used.usedAt = Number.POSITIVE_INFINITY;
      await used.partition.close();
    }
  }

  async close(): Promise<void> {
    this.clear();
    for (const { partition } of this.partitions.values()) await partition.close();
  }

  /** The text of a raw record if it is cached; null if it has to be read. */
  private tryReadText(frame: RawChannelFrame): RawPayload | null {
    const partition = this.partitionOf(frame);
    if (!partition) return { absence: 'missing' };
    const record = partition.peek(frame.offset);
    if (record === undefined) return null;
    try {
      return this.decode(frame, record);
    } catch (error) {
      if (error instanceof CodecError) return null;
      throw error;
    }
  }

  /** The text of a raw record; reads the record and fetches its schema if needed. */
  private async readText(frame: RawChannelFrame): Promise<RawPayload> {
    const record = await this.partitionOf(frame)!.read(frame.offset);
    try {
      if (typeof record === 'object' && record.value) await this.options.codec.fetchSchema(record.value);
      return this.decode(frame, record);
    } catch (error) {
      if (error instanceof CodecError) return { absence: 'malformed' };
      throw error;
    }
  }

  private decode({ topic }: RawChannelFrame, record: LogRecord | Absence): RawPayload {
    if (typeof record === 'string') return { absence: record };
    if (!record.value) return { absence: 'malformed' };
    return { text: this.options.codec.decode(rawTopics.get(topic)!, record.value).payload.toString() };
  }

  /** The reader of a partition; null if the catalog has no such partition. */
  private partitionOf({ topic, partition }: RawChannelFrame): RawPartition | null {
    const at = { topic, partition };
    const name = partitionName(at);
    let used = this.partitions.get(name);
    if (!used) {
      if (partition < 0 || partition >= (rawTopics.get(topic)?.partitions ?? 0)) return null;
      const { log, signal } = this.options;
      used = { partition: new RawPartition({ log, at, signal }), usedAt: 0 };
      this.partitions.set(name, used);
    }
    used.usedAt = performance.now();
    return used.partition;
  }
}

function byLocation([, a]: RawEntry, [, b]: RawEntry): number {
  if (a.topic !== b.topic) return a.topic < b.topic ? -1 : 1;
  return a.partition - b.partition || a.offset - b.offset;
}

function isSameRecord(a: RawChannelFrame, b: RawChannelFrame): boolean {
  return a.offset === b.offset && a.partition === b.partition && a.topic === b.topic;
}

/** The part of a raw record's text that a frame refers to. */
function sliceOf(payload: RawPayload, { start, length }: RawChannelFrame): RawPayload {
  if ('absence' in payload) return payload;
  const { text } = payload;
  if (start < 0 || length <= 0 || start + length > text.length) return { absence: 'malformed' };
  return { text: text.slice(start, start + length) };
}
