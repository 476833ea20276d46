/** How far an earlier process told the closed markets, read from the end of `raw.venue_b.gamma`. */
import type { Codec } from '#infra/codec/codec';
import type { EventLog } from '#infra/log/log';
import { readUntil } from '#infra/log/read-until';
import { type RawEnvelope, rawTopic } from '#schemas/topics/raw';
import { saysClosedAreTold } from './closed-markets.ts';
import { PLACE_RECORDS } from './declaration.ts';
import { type EarlierPlace, earlierPlaceAfter } from './earlier-markets.ts';

/** Answers are large: so many are held at a time… */
const READ_AT_ONCE = 20;
/** …from the end back in steps of so many. */
const LOOK_BACK = 100;

export interface Places {
  /** Among the earlier markets; null where no answer about them is found. */
  readonly earlier: EarlierPlace | null;
  /** What closed before that moment was told, unix ms; null where no answer says so. */
  readonly closedUntil: number | null;
  /** When the oldest answer came that was looked at, unix ms; null in an empty log. */
  readonly lookedBackTo: number | null;
}

/** Looks through the last answers, the newest first, until both places are found. */
export async function readPlaces(log: EventLog, codec: Codec): Promise<Places> {
  let places: Places = { earlier: null, closedUntil: null, lookedBackTo: null };
  const at = { topic: rawTopic('venue_b', 'gamma').name, partition: 0 };
  const newest = await log.last(at);
  if (!newest) return places;
  const oldest = Math.max((await log.bounds(at)).first, newest.offset - PLACE_RECORDS + 1);
  for (let last = newest.offset; last >= oldest; last -= LOOK_BACK) {
    const within = await placesWithin(log, codec, Math.max(oldest, last - LOOK_BACK + 1), last);
    places = {
      earlier: places.earlier ?? within.earlier,
      closedUntil: places.closedUntil ?? within.closedUntil,
      lookedBackTo: within.lookedBackTo ?? places.lookedBackTo,
    };
    if (places.earlier !== null && places.closedUntil !== null) break;
  }
  return places;
}

async function placesWithin(log: EventLog, codec: Codec, from: number, last: number): Promise<Places> {
  const topic = rawTopic('venue_b', 'gamma');
  let places: Places = { earlier: null, closedUntil: null, lookedBackTo: null };
  const at = { topic: topic.name, partition: 0 };
  for await (const records of readUntil(log, at, { from, last, atOnce: READ_AT_ONCE })) {
    for (const { offset, value } of records) {
      if (!value || offset > last) continue;
      // Ours, but perhaps written with an older schema.
      await codec.fetchSchema(value);
      places = placesAfter(places, codec.decode(topic, value));
    }
  }
  return places;
}

function placesAfter(places: Places, { request, payload, receivedAt }: RawEnvelope): Places {
  return {
    earlier: earlierPlaceAfter(request ?? '', payload) ?? places.earlier,
    closedUntil: saysClosedAreTold(request ?? '') ? receivedAt : places.closedUntil,
    lookedBackTo: places.lookedBackTo ?? receivedAt,
  };
}
