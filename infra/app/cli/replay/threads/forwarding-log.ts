import type { AppendRecord, EventLog } from '../../../../log/log.ts';

/**
 * The log of a thread: it reads by itself and appends through the thread that writes the log. Nobody waits for the
 * watermarks of a rebuild, so they are dropped.
 */
export function forwardingLog(
  reading: EventLog,
  append: (records: readonly AppendRecord[]) => Promise<void>,
): EventLog {
  return {
    append,
    advance: () => {},
    // Topics exist already: a reading log only checks that.
    createTopics: (topics) => reading.createTopics(topics),
    lease: (name, topics, options) => reading.lease(name, topics, options),
    reader: (from) => reading.reader(from),
    group: (id, topics) => reading.group(id, topics),
    committed: (id, at) => reading.committed(id, at),
    bounds: (at) => reading.bounds(at),
    last: (at) => reading.last(at),
    offsetAt: (at, appendedAt) => reading.offsetAt(at, appendedAt),
    clearTopic: (topic) => reading.clearTopic(topic),
    maintain: (now, limits, signal) => reading.maintain(now, limits, signal),
    close: () => reading.close(),
  };
}
