/**
 * View of the receive times of the last book frames of each instrument. It uses only keys and times, so no record is
 * decoded.
 */
import { on, type Stage } from '#infra/stages/stage';
import { bookTopics } from '#schemas/topics/normalised';

/** Instruments per generation. When the newer one is full, the older one is dropped, and closed markets with it. */
const GENERATION_MAX = 50_000;

/**
 * Times stored of each instrument: this view may have read this many frames that the stage that calculates a figure has
 * not processed yet.
 */
const TIMES_MAX = 8;

/** Receive times by instrument, unix ms and rising, in two generations. */
export interface BookTimesView {
  newer: Map<string, number[]>;
  older: ReadonlyMap<string, readonly number[]>;
}

export const bookTimesView: Stage<BookTimesView> = {
  name: 'view.book-times',
  inputs: Object.values(bookTopics).map((topic) =>
    on(topic, (view: BookTimesView, { key, receivedAt }) => {
      const times = view.newer.get(key);
      if (times) {
        if (times[times.length - 1] !== receivedAt) times.push(receivedAt);
        if (times.length > TIMES_MAX) times.shift();
        return;
      }
      view.newer.set(key, [...(view.older.get(key) ?? []), receivedAt].slice(-TIMES_MAX));
      if (view.newer.size <= GENERATION_MAX) return;
      view.older = view.newer;
      view.newer = new Map();
    }),
  ),
  outputs: [],
  initialState: () => ({ newer: new Map(), older: new Map() }),
};

/**
 * Receive time of the last book frame of an instrument that was received at or before a time, unix ms; null if that is
 * not known.
 */
export function bookTimeOf({ newer, older }: BookTimesView, instrument: string, until: number): number | null {
  const times = newer.get(instrument) ?? older.get(instrument) ?? [];
  for (let at = times.length - 1; at >= 0; at -= 1) if (times[at]! <= until) return times[at]!;
  return null;
}
