/** Restores which outcomes an earlier process tracked, from the end of `raw.venue_a.info`. */
import type { Codec } from '#infra/codec/codec';
import type { EventLog } from '#infra/log/log';
import { readUntil } from '#infra/log/read-until';
import { asObject, parseJsonOrNull } from '#schemas/domain/json-fields';
import { rawTopic } from '#schemas/topics/raw';
import { readOutcomes } from './markets.ts';
import { MissedOutcomes } from './missed-outcomes.ts';
import { isEarlierOutcomeRequest, isMissedOutcomeRequest } from './outcome-requests.ts';
import { PendingSettlements } from './pending-settlements.ts';

/**
 * Answers to read: those of some hundred rounds. They contain a request for each of several hundred pending outcomes, and
 * each round has a list of outcomes even if its other requests fail.
 */
const TAIL_RECORDS = 2_048;
/** Answers in memory at a time, since they are large. */
const READ_AT_ONCE = 16;

/** State derived from the lists of outcomes and from the requests. */
export interface TrackedOutcomes {
  /** Outcomes that ended and were not settled at their last request. */
  readonly pending: PendingSettlements;
  /** Outcomes that were listed only between two lists. */
  readonly missed: MissedOutcomes;
}

/** Restores the state after the newest answers. Outcomes that ended while no process ran follow from the next list. */
export async function readTrackedOutcomes(log: EventLog, codec: Codec): Promise<TrackedOutcomes> {
  const tracked = { pending: new PendingSettlements(), missed: new MissedOutcomes() };
  const topic = rawTopic('venue_a', 'info');
  const at = { topic: topic.name, partition: 0 };
  const newest = await log.last(at);
  if (!newest) return tracked;
  const from = Math.max((await log.bounds(at)).first, newest.offset - TAIL_RECORDS + 1);
  for await (const records of readUntil(log, at, { from, last: newest.offset, pollRecords: READ_AT_ONCE })) {
    for (const { value } of records) {
      if (!value) continue;
      // Written by ingest, perhaps with an older schema.
      await codec.fetchSchema(value);
      const { request, payload } = codec.decode(topic, value);
      applyAnswer(tracked, request ?? '', payload);
    }
  }
  return tracked;
}

function applyAnswer({ pending, missed }: TrackedOutcomes, request: string, payload: Buffer): void {
  const { type, outcome } = asObject(parseJsonOrNull(request));
  if (type === 'settledOutcome') {
    const isSettled = parseJsonOrNull(payload.toString()) !== null;
    // The last list with this outcome may precede the answers read here, and some outcomes were in no list.
    pending.recordAnswer(
      Number(outcome),
      isSettled,
      isEarlierOutcomeRequest(request) || isMissedOutcomeRequest(request),
    );
    if (isMissedOutcomeRequest(request)) missed.recordRequested(Number(outcome));
  } else if (type === 'outcomeMeta') {
    // An unreadable answer lists nothing and ends no outcome.
    const outcomes = readOutcomes(parseJsonOrNull(payload.toString()));
    pending.addList(outcomes);
    missed.addList(outcomes);
  }
}
