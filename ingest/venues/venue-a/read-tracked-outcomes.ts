/** Where an earlier process stood with the settlements of outcomes, read from the end of its raw topic. */
import type { Codec } from '#infra/codec/codec';
import type { EventLog } from '#infra/log/log';
import { readUntil } from '#infra/log/read-until';
import { rawTopic } from '#schemas/topics/raw';
import { asObject } from '../../feed/json.ts';
import { readOutcomes } from './coins.ts';
import { asksForEarlier, EARLIER_SAID_EVERY } from './earlier-outcomes.ts';
import { asksForMissed, MissedOutcomes } from './missed-outcomes.ts';
import { SettledOutcomes } from './settled-outcomes.ts';

/**
 * Answers read back: of some hundred rounds, in which each of several hundred outcomes that wait was asked for; of which
 * each holds a list of the live outcomes, also where all else fails.
 */
const TAIL_RECORDS = 2_048;
/** Beyond what is published between two sayings of the place among the earlier outcomes. */
const EARLIER_RECORDS = 3 * EARLIER_SAID_EVERY;
/** Answers are large: so many are held at a time. */
const READ_AT_ONCE = 16;

/** What follows from the lists of live outcomes and from what was asked. */
export interface FollowedOutcomes {
  /** Not listed, and not settled when they were asked for. */
  readonly settled: SettledOutcomes;
  /** Came and went between two lists. */
  readonly missed: MissedOutcomes;
}

/** Both as the newest answers leave them: outcomes that ended while no process ran follow from the next list. */
export async function readFollowed(log: EventLog, codec: Codec): Promise<FollowedOutcomes> {
  const followed = { settled: new SettledOutcomes(), missed: new MissedOutcomes() };
  const topic = rawTopic('venue_a', 'info');
  const at = { topic: topic.name, partition: 0 };
  const newest = await log.last(at);
  if (!newest) return followed;
  const from = Math.max((await log.bounds(at)).first, newest.offset - TAIL_RECORDS + 1);
  for await (const records of readUntil(log, at, { from, last: newest.offset, atOnce: READ_AT_ONCE })) {
    for (const { value } of records) {
      if (!value) continue;
      // Ours, but perhaps written with an older schema.
      await codec.fetchSchema(value);
      const { request, payload } = codec.decode(topic, value);
      follow(followed, request ?? '', payload);
    }
  }
  return followed;
}

/** The earlier outcome that was asked for last, looked for from the end back; null where none is found. */
export async function readEarlierOutcome(log: EventLog, codec: Codec): Promise<number | null> {
  const topic = rawTopic('venue_a', 'info');
  const at = { topic: topic.name, partition: 0 };
  const newest = await log.last(at);
  if (!newest) return null;
  const oldest = Math.max((await log.bounds(at)).first, newest.offset - EARLIER_RECORDS + 1);
  for (let last = newest.offset; last >= oldest; last -= TAIL_RECORDS) {
    let outcome: number | null = null;
    const from = Math.max(oldest, last - TAIL_RECORDS + 1);
    for await (const records of readUntil(log, at, { from, last, atOnce: READ_AT_ONCE })) {
      for (const { value } of records) {
        if (!value) continue;
        await codec.fetchSchema(value);
        const { request } = codec.decode(topic, value);
        if (asksForEarlier(request ?? '')) outcome = Number(asObject(parseOrNull(request!)).outcome);
      }
    }
    if (outcome !== null) return outcome;
  }
  return null;
}

function follow({ settled, missed }: FollowedOutcomes, request: string, payload: Buffer): void {
  const { type, outcome } = asObject(parseOrNull(request));
  if (type === 'settledOutcome') {
    const isSettled = parseOrNull(payload.toString()) !== null;
    // The list that it was last on may lie before what is read here, and some were on none.
    settled.asked(Number(outcome), isSettled, asksForEarlier(request) || asksForMissed(request));
    if (asksForMissed(request)) missed.asked(Number(outcome));
  } else if (type === 'outcomeMeta') {
    // An answer that could not be read lists nothing, and ends nothing.
    const outcomes = readOutcomes(parseOrNull(payload.toString()));
    settled.list(outcomes);
    missed.list(outcomes);
  }
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Published as it came, for the processors to say what is wrong with it.
    return null;
  }
}
