/** A log whose records, epochs and faults the test controls, a hub that reads it, and replays from it. */
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { Codec } from '#infra/codec/codec';
import { CodecError } from '#infra/codec/codec';
import type { EventLog, LogRecord } from '#infra/log/log';
import { createHealth } from '#infra/telemetry/health';
import { OpenProblems } from '#infra/telemetry/open-problems';
import { formatChannel } from '#schemas/stream/channel-names';
import { parseCursor } from '#schemas/stream/cursor';
import { channelTopics } from '#schemas/topics/channels';
import { epochTopic } from '#schemas/topics/control';
import { partitionOf } from '#schemas/topics/topic';
import { type CatchUpOptions, catchUp } from '../fanout/catch-up.ts';
import { FairScheduler } from '../fanout/fair-scheduler.ts';
import { Hub, type SequenceGap } from '../fanout/hub.ts';
import { type FakeConnection, fakeConnection } from './fake-socket.fixture.ts';

const NAME = { kind: 'event', universalId: 'evt_one' } as const;
/** The channel of all frames. */
export const CHANNEL = formatChannel(NAME);
/** The topic of its frames. */
export const TOPIC = channelTopics.events;
const AT = { topic: TOPIC.name, partition: partitionOf(CHANNEL, TOPIC.partitions) };

/** Creates a record of the epochs of the topic. */
export function epochRecord(epoch: object | null, appendedAt: number, offset = 0): LogRecord {
  const value = epoch && Buffer.from(JSON.stringify(epoch));
  return { topic: epochTopic.name, partition: 0, key: TOPIC.name, value, receivedAt: 1, seq: 0, offset, appendedAt };
}

/** One partition of channel frames with offsets that continue across rebuilds, as on Kafka, and the epochs. */
export class FakeLog {
  readonly stored: LogRecord[] = [];
  epoch = 'one';
  /** The records that the hub's reader gets next. */
  readonly live: LogRecord[] = [];
  fault: Error | null = null;
  /** Called when the schema of a record is fetched. */
  fetchSchema: () => Promise<void> = async () => {};
  /** Called before a reader of history answers. */
  beforeHistory: () => Promise<void> = async () => {};
  private epochOffset = 0;

  /** Stores a frame and, unless `live` is false, makes it available to the hub's reader. */
  put(seq: number, offset: number, { live = true, appendedAt = 100, key = CHANNEL, padding = '' } = {}): LogRecord {
    const value = Buffer.from(JSON.stringify({ seq }) + padding);
    const record = { ...AT, key, value, receivedAt: 1, seq: 0, offset, appendedAt };
    this.stored.push(record);
    if (live) this.live.push(record);
    return record;
  }

  /** Empties the topic and begins another epoch; the hub reads its record only if `announced`. */
  rebuild(epoch: string, { announced = true, appendedAt = 200 } = {}): void {
    this.epoch = epoch;
    this.stored.length = 0;
    this.epochOffset += 1;
    if (announced) this.live.push(epochRecord({ epoch }, appendedAt, this.epochOffset));
  }

  readonly log = {
    createTopics: async () => {},
    bounds: async ({ topic, partition }: { topic: string; partition: number }) => {
      const own = topic === AT.topic && partition === AT.partition ? this.stored : [];
      return { first: own[0]?.offset ?? 0, next: (own.at(-1)?.offset ?? -1) + 1 };
    },
    last: async ({ topic, partition }: { topic: string; partition: number }) => {
      if (topic === epochTopic.name) return epochRecord(null, 1);
      return topic === AT.topic && partition === AT.partition ? (this.stored.at(-1) ?? null) : null;
    },
    reader: async (from: readonly { topic: string; offset: number }[]) => {
      if (from.length > 1) return this.reader(async () => this.live.splice(0));
      if (from[0]!.topic === epochTopic.name) return this.reader(async () => [epochRecord({ epoch: this.epoch }, 1)]);
      let next = from[0]!.offset;
      return this.reader(async (max) => {
        const records = this.stored.filter(({ offset }) => offset >= next).slice(0, max);
        next = (records.at(-1)?.offset ?? next - 1) + 1;
        await this.beforeHistory();
        return records;
      });
    },
  } as unknown as EventLog;

  private reader(read: (max: number) => Promise<LogRecord[]>) {
    const poll = async (max: number) => {
      if (this.fault) throw this.fault;
      const records = await read(max);
      if (records.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      return { records, watermarks: [] };
    };
    return { poll, pause: () => {}, endWaits: () => {}, close: async () => {} };
  }
}

/** Values are JSON; a schema is unknown until it is fetched if the value says so. */
function fakeCodec(log: FakeLog): Codec {
  const fetched = new Set<string>();
  const decode = (_topic: unknown, bytes: Buffer) => {
    const value = JSON.parse(bytes.toString()) as { unknown?: boolean };
    if (value.unknown && !fetched.has(bytes.toString())) throw new CodecError('unknown_schema', 'not yet');
    const frame = { channel: CHANNEL, type: 't', provider: null, marketId: null, receivedAt: 1, payload: '{}' };
    return { ...frame, ...value } as never;
  };
  return {
    prepare: async () => {},
    encode: () => Buffer.alloc(0),
    fetchSchema: async (bytes: Buffer) => {
      await log.fetchSchema();
      fetched.add(bytes.toString());
    },
    decode,
    decodeRecord: (topic, record) => decode(topic, record.value!),
    hasSchema: () => true,
  };
}

/** Starts a hub until the end of the test, and collects what it reports. */
export async function open(log: FakeLog) {
  const reported: SequenceGap[] = [];
  const undecodable: string[] = [];
  const faults: unknown[] = [];
  const hub = new Hub({
    log: log.log,
    codec: fakeCodec(log),
    logger: pino({ enabled: false }),
    onUndecodable: (_record, reason) => void undecodable.push(reason),
    problems: new OpenProblems(createHealth(), 'gateway'),
    onGap: (gap) => void reported.push(gap),
  });
  onTestFinished(() => hub.close());
  await hub.start((error) => void faults.push(error));
  return { hub, reported, undecodable, faults };
}

/** A live subscription of the channel. */
export function subscribe(on: Hub, fake: FakeConnection = fakeConnection()) {
  const subscription = fake.subscribe();
  subscription.acknowledged = true;
  on.add(subscription);
  subscription.progress.advance({ seq: on.newestSeqOf(CHANNEL), offset: on.dispatchedOffset(subscription) });
  on.goLive(subscription);
  return { fake, subscription };
}

/** Returns the numbers of the events that were sent. */
export const seqs = ({ sent }: FakeConnection) =>
  sent.flatMap(({ type, seq }) => (type === 'event' ? [Number(seq)] : []));
/** Returns the gap frames that were sent. */
export const gaps = ({ sent }: FakeConnection) => sent.filter(({ type }) => type === 'gap');

/** Replays from a cursor, or from the first retained event. */
export function replay(
  on: Hub,
  log: FakeLog,
  text: string | null,
  scheduler: CatchUpOptions['scheduler'] = new FairScheduler({ max: 1, maxPerOwner: 1 }),
) {
  const fake = fakeConnection();
  const subscription = fake.subscribe();
  on.add(subscription);
  const options: CatchUpOptions = {
    log: log.log,
    hub: on,
    subscription,
    since: text === null ? 'earliest' : { text, cursor: parseCursor(text)! },
    signal: new AbortController().signal,
    scheduler,
    acknowledge: () => {
      subscription.acknowledged = true;
    },
  };
  return { fake, subscription, done: catchUp(options) };
}
