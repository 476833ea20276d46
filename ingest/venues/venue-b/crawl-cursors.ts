/** Reads from the end of `raw.venue_b.gamma` how far an earlier process published the closed markets. */
import type { Codec } from '#infra/codec/codec';
import type { EventLog } from '#infra/log/log';
import { readUntil } from '#infra/log/read-until';
import { type RawEnvelope, rawTopic } from '#schemas/topics/raw';
import { isFirstClosedPage } from './closed-markets.ts';
import { CURSOR_RECORDS } from './declaration.ts';
import { type EarlierCursor, earlierCursorAfter } from './earlier-markets.ts';

/** Answers in memory at a time, since they are large. */
const READ_AT_ONCE = 20;
/** Records of one step of the backward search. */
const LOOK_BACK = 100;

export interface CrawlCursors {
  /** Cursor of the crawl of earlier markets; null if no answer about them is found. */
  readonly earlier: EarlierCursor | null;
  /** Everything that closed before this time is published, unix ms; null if no answer shows it. */
  readonly closedUntil: number | null;
  /** Event time of the oldest answer that was read, unix ms; null for an empty log. */
  readonly oldestReadAt: number | null;
}

/** Searches the last answers backwards until both cursors are found. */
export async function readCrawlCursors(log: EventLog, codec: Codec): Promise<CrawlCursors> {
  let cursors: CrawlCursors = { earlier: null, closedUntil: null, oldestReadAt: null };
  const at = { topic: rawTopic('venue_b', 'gamma').name, partition: 0 };
  const newest = await log.last(at);
  if (!newest) return cursors;
  const oldest = Math.max((await log.bounds(at)).first, newest.offset - CURSOR_RECORDS + 1);
  for (let last = newest.offset; last >= oldest; last -= LOOK_BACK) {
    const within = await readCursorsWithin(log, codec, Math.max(oldest, last - LOOK_BACK + 1), last);
    cursors = {
      earlier: cursors.earlier ?? within.earlier,
      closedUntil: cursors.closedUntil ?? within.closedUntil,
      oldestReadAt: within.oldestReadAt ?? cursors.oldestReadAt,
    };
    if (cursors.earlier !== null && cursors.closedUntil !== null) break;
  }
  return cursors;
}

async function readCursorsWithin(log: EventLog, codec: Codec, from: number, last: number): Promise<CrawlCursors> {
  const topic = rawTopic('venue_b', 'gamma');
  let cursors: CrawlCursors = { earlier: null, closedUntil: null, oldestReadAt: null };
  const at = { topic: topic.name, partition: 0 };
  for await (const records of readUntil(log, at, { from, last, pollRecords: READ_AT_ONCE })) {
    for (const { offset, value } of records) {
      if (!value || offset > last) continue;
      // Written by ingest, perhaps with an older schema.
      await codec.fetchSchema(value);
      cursors = cursorsAfter(cursors, codec.decode(topic, value));
    }
  }
  return cursors;
}

function cursorsAfter(cursors: CrawlCursors, { request, payload, receivedAt }: RawEnvelope): CrawlCursors {
  return {
    earlier: earlierCursorAfter(request ?? '', payload) ?? cursors.earlier,
    closedUntil: isFirstClosedPage(request ?? '') ? receivedAt : cursors.closedUntil,
    oldestReadAt: cursors.oldestReadAt ?? receivedAt,
  };
}
