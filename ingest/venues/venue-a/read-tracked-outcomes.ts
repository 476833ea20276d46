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
 * Rounds to read. They contain a request for each of a thousand pending outcomes, and each round has a list of outcomes
 * even if its other requests fail.
 */
const ROUNDS = 150;
/** Answers to read at first: those of that many rounds. With answers to reads of clients among them, more are read. */
const TAIL_RECORDS = 2_048;
const TAIL_RECORDS_MAX = 16 * TAIL_RECORDS;
/** Answers in memory at a time, since they are large. */
const READ_AT_ONCE = 16;

const TOPIC = rawTopic('venue_a', 'info');

/** State derived from the lists of outcomes and from the requests. */
export interface TrackedOutcomes {
  /** Outcomes that ended and were not settled at their last request. */
  readonly pending: PendingSettlements;
  /** Outcomes that were listed only between two lists. */
  readonly missed: MissedOutcomes;
}

/** Restores the state after the newest answers. Outcomes that ended while no process ran follow from the next list. */
export async function readTrackedOutcomes(log: EventLog, codec: Codec): Promise<TrackedOutcomes> {
  const at = { topic: TOPIC.name, partition: 0 };
  const newest = await log.last(at);
  if (!newest) return createTracked();
  const { first } = await log.bounds(at);
  for (let records = TAIL_RECORDS; ; records *= 4) {
    const tracked = createTracked();
    const from = Math.max(first, newest.offset - records + 1);
    const rounds = await readAnswers(log, codec, { from, last: newest.offset }, tracked);
    if (rounds >= ROUNDS || from === first || records >= TAIL_RECORDS_MAX) return tracked;
  }
}

function createTracked(): TrackedOutcomes {
  return { pending: new PendingSettlements(), missed: new MissedOutcomes() };
}

/** Applies the answers between two offsets. Resolves with the number of lists of outcomes among them. */
async function readAnswers(
  log: EventLog,
  codec: Codec,
  between: { readonly from: number; readonly last: number },
  tracked: TrackedOutcomes,
): Promise<number> {
  const at = { topic: TOPIC.name, partition: 0 };
  let lists = 0;
  for await (const records of readUntil(log, at, { ...between, pollRecords: READ_AT_ONCE })) {
    for (const { value } of records) {
      if (!value) continue;
      // Written by ingest, perhaps with an older schema.
      await codec.fetchSchema(value);
      const { request, payload } = codec.decode(TOPIC, value);
      if (applyAnswer(tracked, request ?? '', payload)) lists += 1;
    }
  }
  return lists;
}

/** @returns true for a list of outcomes. */
function applyAnswer({ pending, missed }: TrackedOutcomes, request: string, payload: Buffer): boolean {
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
  return type === 'outcomeMeta';
}
