import { setTimeout as sleep } from 'node:timers/promises';
import type { TableSpec } from '#schemas/tables/table';
import { changeTopic, clockTopic, commandTopic, schemaTopic, settingsTopic } from '#schemas/topics/control';
import { usageTopic } from '#schemas/topics/usage';
import { attemptTopic } from '#schemas/topics/webhooks';
import type { EventLog, TopicPartition } from '../../log/log.ts';

/** How long a reader of both logs waits before it looks again where neither had anything. */
const BETWEEN_LOOKS_MS = 5;

const CONTROL_SOURCES: ReadonlySet<string> = new Set(
  [clockTopic, commandTopic, changeTopic, usageTopic, attemptTopic, settingsTopic, schemaTopic].map(({ name }) => name),
);

/** Topics that a rebuild reads and never writes: what came from outside. */
export function isSource(topic: string): boolean {
  return topic.startsWith('raw.') || CONTROL_SOURCES.has(topic);
}

/**
 * Whether a table tells of what came from outside. No rebuild makes its rows anew: it may hold more than the topic that
 * they came from still does.
 */
export function isSourceTable({ fromTopics }: Pick<TableSpec, 'fromTopics'>): boolean {
  return fromTopics.every(({ name }) => isSource(name));
}

/**
 * Sources of one log with everything derived kept in another: `replay --verify` rebuilds into the scratch log while
 * the live one stays as it is.
 */
export function overlayLog(base: EventLog, scratch: EventLog): EventLog {
  const of = (topic: string) => (isSource(topic) ? base : scratch);
  const split = <T extends { topic: string }>(items: readonly T[]) => [
    items.filter((item) => isSource(item.topic)),
    items.filter((item) => !isSource(item.topic)),
  ];
  return {
    // Sources too: they stay empty there, but a group can have them among its topics.
    createTopics: (topics) => scratch.createTopics(topics),
    append(records) {
      const wrong = records.find((record) => isSource(record.topic));
      if (wrong) return Promise.reject(new Error(`a rebuild must not write ${wrong.topic}`));
      return scratch.append(records);
    },
    advance: (watermarks) => scratch.advance(watermarks.filter((mark) => !isSource(mark.topic))),
    lease: (name, topics, options) => scratch.lease(name, topics, options),
    async reader(from) {
      const [sources = [], derived = []] = split(from);
      const readers = [
        { log: base, from: sources },
        { log: scratch, from: derived },
      ].filter((entry) => entry.from.length > 0);
      const opened = await Promise.all(
        readers.map(async (entry) => ({ ...entry, reader: await entry.log.reader(entry.from) })),
      );
      return {
        async poll(maxRecords, timeoutMs) {
          const deadline = performance.now() + timeoutMs;
          for (;;) {
            const batches = await Promise.all(
              opened.map(({ reader }) => reader.poll(maxRecords, opened.length > 1 ? 0 : timeoutMs)),
            );
            const records = batches.flatMap((batch) => batch.records);
            if (records.length > 0 || performance.now() >= deadline) return { records, watermarks: [] };
            // Neither may be waited for alone. What a broker sends comes in meanwhile.
            await sleep(BETWEEN_LOOKS_MS);
          }
        },
        pause(at, paused) {
          const owner = opened.find((entry) => (entry.log === base) === isSource(at.topic));
          owner?.reader.pause(at, paused);
        },
        close: async () => {
          await Promise.all(opened.map(({ reader }) => reader.close()));
        },
      };
    },
    group: (id, topics) => scratch.group(id, topics),
    committed: (id, partitions) => scratch.committed(id, partitions),
    bounds: (at: TopicPartition) => of(at.topic).bounds(at),
    last: (at: TopicPartition) => of(at.topic).last(at),
    offsetAt: (at, appendedAt) => of(at.topic).offsetAt(at, appendedAt),
    clearTopic: (topic) =>
      isSource(topic) ? Promise.reject(new Error(`a rebuild must not clear ${topic}`)) : scratch.clearTopic(topic),
    maintain: () => Promise.resolve(0),
    close: () => scratch.close(),
  };
}
