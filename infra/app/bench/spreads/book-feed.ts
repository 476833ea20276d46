/** Appends the events and books of `synthetic-books.ts` to the log, as events stage, normalisers and clock do. */
import { type ClockMark, clockTopic } from '#schemas/topics/control';
import { eventTopic } from '#schemas/topics/derived';
import { bookTopics, statusTopics } from '#schemas/topics/normalised';
import { partitionOf, type Topic } from '#schemas/topics/topic';
import type { AppendRecord } from '../../../log/log.ts';
import { partitionName } from '../../../log/partition-name.ts';
import type { LogContext } from '../webhooks/open-log.ts';
import { eventAt, initialBooksAt, statusesAt, updateAt } from './synthetic-books.ts';

const TICK_MS = 5_000;
/** Events per append during setup. */
const SETUP_EVENTS = 500;

/** Topics that the feed writes: the inputs of the stage. */
const TOPICS: readonly Topic[] = [
  eventTopic,
  ...Object.values(bookTopics),
  ...Object.values(statusTopics),
  clockTopic,
] as readonly Topic[];

export interface BookFeed {
  /** Appends every event with its statuses and initial books. */
  writeEvents(): Promise<void>;
  /** Generates the updates and clock ticks of the next `ms` of event time without appending them. */
  prepare(ms: number): Promise<PreparedUpdates>;
}

export interface PreparedUpdates {
  readonly updates: number;
  /** Appends them and advances the watermark to their end. Returns that end, unix ms. */
  write(): Promise<number>;
}

export interface BookFeedOptions {
  readonly events: number;
  /** Updates per second of event time. */
  readonly rate: number;
  /** Unix ms. */
  readonly startMs: number;
}

export async function openBookFeed(
  { log, codec }: Pick<LogContext, 'log' | 'codec'>,
  { events, rate, startMs }: BookFeedOptions,
): Promise<BookFeed> {
  await log.createTopics(TOPICS);
  await codec.prepare(TOPICS);
  const seqs = new Map<string, number>();
  let now = startMs;
  let number = 0;

  const recordOf = <T extends { receivedAt: number }>(topic: Topic<T>, key: string, value: T): AppendRecord => {
    const partition = partitionOf(key, topic.partitions);
    const name = partitionName({ topic: topic.name, partition });
    const seq = (seqs.get(name) ?? 0) + 1;
    seqs.set(name, seq);
    const { receivedAt } = value;
    return { topic: topic.name, partition, key, value: codec.encode(topic as Topic, value), receivedAt, seq };
  };
  const advanceWatermark = (watermark: number) =>
    log.advance(
      TOPICS.flatMap(({ name: topic, partitions }) =>
        Array.from({ length: partitions }, (_, partition) => ({ topic, partition, watermark })),
      ),
    );

  return {
    async writeEvents() {
      for (let first = 0; first < events; first += SETUP_EVENTS) {
        const batch: AppendRecord[] = [];
        for (let event = first; event < Math.min(events, first + SETUP_EVENTS); event += 1) {
          const record = eventAt(event, now);
          batch.push(recordOf(eventTopic, record.universalId, record));
          for (const { venue, status } of statusesAt(event, now))
            batch.push(recordOf(statusTopics[venue], status.instrument, status));
          for (const { venue, update } of initialBooksAt(event, now))
            batch.push(recordOf(bookTopics[venue], update.instrument, update));
        }
        await log.append(batch);
      }
      now += 1;
      advanceWatermark(now);
    },
    async prepare(ms) {
      const until = now + ms;
      const updates = Math.round((rate * ms) / 1_000);
      const batch: AppendRecord[] = [];
      let tickAt = Math.ceil(now / TICK_MS) * TICK_MS;
      for (let nth = 0; nth < updates; nth += 1) {
        const receivedAt = now + Math.floor((nth * ms) / updates);
        for (; tickAt <= receivedAt; tickAt += TICK_MS) batch.push(recordOf(clockTopic, 'clock', tickOf(tickAt)));
        const { venue, update } = updateAt(number, events, receivedAt);
        batch.push(recordOf(bookTopics[venue], update.instrument, update));
        number += 1;
      }
      now = until;
      return {
        updates,
        async write() {
          await log.append(batch);
          advanceWatermark(until);
          return until;
        },
      };
    },
  };
}

function tickOf(receivedAt: number): ClockMark {
  return { receivedAt, tick: true, hour: false, day: false };
}
