import { setTimeout as sleep } from 'node:timers/promises';
import type { TableSpec } from '#schemas/tables/table';
import { changeTopic, clockTopic, commandTopic, schemaTopic, settingsTopic } from '#schemas/topics/control';
import { usageTopic } from '#schemas/topics/usage';
import { attemptTopic } from '#schemas/topics/webhooks';
import type { EventLog, TopicPartition } from '../../../log/log.ts';

/** Pause of a reader of both logs between two polls without records. */
const POLL_INTERVAL_MS = 5;

const CONTROL_SOURCES: ReadonlySet<string> = new Set(
  [clockTopic, commandTopic, changeTopic, usageTopic, attemptTopic, settingsTopic, schemaTopic].map(({ name }) => name),
);

/** True for source topics, which a rebuild reads and never writes: input from outside the pipeline. */
export function isSource(topic: string): boolean {
  return topic.startsWith('raw.') || CONTROL_SOURCES.has(topic);
}

/**
 * True if a table is filled from source topics only. A rebuild does not derive its rows, and it may hold rows whose
 * records the topic no longer has.
 */
export function isSourceTable({ fromTopics }: Pick<TableSpec, 'fromTopics'>): boolean {
  return fromTopics.every(({ name }) => isSource(name));
}

/**
 * Combines the source topics of one log with the derived topics of another. `replay --verify` rebuilds into the scratch
 * log and leaves the live log unchanged.
 */
export function overlayLog(base: EventLog, scratch: EventLog): EventLog {
  const logOf = (topic: string) => (isSource(topic) ? base : scratch);
  const split = <T extends { topic: string }>(items: readonly T[]) => [
    items.filter((item) => isSource(item.topic)),
    items.filter((item) => !isSource(item.topic)),
  ];
  return {
    // Includes source topics: they stay empty in the scratch log, but a group may list them.
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
      let waits = true;
      return {
        async poll(maxRecords, timeoutMs) {
          const deadline = performance.now() + timeoutMs;
          for (;;) {
            const batches = await Promise.all(
              opened.map(({ reader }) => reader.poll(maxRecords, opened.length > 1 ? 0 : timeoutMs)),
            );
            const records = batches.flatMap((batch) => batch.records);
            if (records.length > 0 || !waits || performance.now() >= deadline) return { records, watermarks: [] };
            // Waiting on one log could delay records of the other.
            await sleep(POLL_INTERVAL_MS);
          }
        },
        pause(at, paused) {
          const owner = opened.find((entry) => (entry.log === base) === isSource(at.topic));
          owner?.reader.pause(at, paused);
        },
        endWaits() {
          waits = false;
          for (const { reader } of opened) reader.endWaits();
        },
        close: async () => {
          await Promise.all(opened.map(({ reader }) => reader.close()));
        },
      };
    },
    sizes: () => scratch.sizes(),
    group: (id, topics) => scratch.group(id, topics),
    committed: (id, at) => scratch.committed(id, at),
    bounds: (at: TopicPartition) => logOf(at.topic).bounds(at),
    last: (at: TopicPartition) => logOf(at.topic).last(at),
    recordFrom: (at) => logOf(at.topic).recordFrom(at),
    offsetAt: (at, appendedAt) => logOf(at.topic).offsetAt(at, appendedAt),
    clearTopic: (topic) =>
      isSource(topic) ? Promise.reject(new Error(`a rebuild must not clear ${topic}`)) : scratch.clearTopic(topic),
    maintain: () => Promise.resolve(0),
    close: () => scratch.close(),
  };
}
