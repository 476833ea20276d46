import type { EventLog } from './log.ts';

/** A log that passes every call on to another one, except those that are replaced. */
export function delegatingLog(log: EventLog, replaced: Partial<EventLog>): EventLog {
  return {
    append: (records) => log.append(records),
    advance: (watermarks) => log.advance(watermarks),
    createTopics: (topics) => log.createTopics(topics),
    lease: (name, topics, options) => log.lease(name, topics, options),
    reader: (from) => log.reader(from),
    group: (id, topics) => log.group(id, topics),
    committed: (id, at) => log.committed(id, at),
    bounds: (at) => log.bounds(at),
    last: (at) => log.last(at),
    recordFrom: (at) => log.recordFrom(at),
    offsetAt: (at, appendedAt) => log.offsetAt(at, appendedAt),
    sizes: () => log.sizes(),
    clearTopic: (topic) => log.clearTopic(topic),
    maintain: (now, limits, signal) => log.maintain(now, limits, signal),
    close: () => log.close(),
    ...replaced,
  };
}
