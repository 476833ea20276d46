/**
 * View of the receive times of the last book frames of each instrument. It uses only keys and times, so no record is
 * decoded.
 */
import { LAG_MAX_MS } from '#infra/stages/pipeline-clock';
import { on, type Stage } from '#infra/stages/stage';
import { bookTopics } from '#schemas/topics/normalised';

/** Instruments per generation. When the newer one is full, the older one is dropped, and closed markets with it. */
const GENERATION_MAX = 50_000;

/** Times stored of each instrument, if that many frames arrive while the stage that calculates a figure lags. */
const TIMES_MAX = 4_096;

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
        append(times, receivedAt);
        return;
      }
      const fromOlder = [...(view.older.get(key) ?? [])];
      append(fromOlder, receivedAt);
      view.newer.set(key, fromOlder);
      if (view.newer.size <= GENERATION_MAX) return;
      view.older = view.newer;
      view.newer = new Map();
    }),
  ),
  outputs: [],
  initialState: () => ({ newer: new Map(), older: new Map() }),
};

/**
 * Appends a time, and drops those that no figure refers to: this view may have read frames that the stage that calculates
 * the figures has not processed, but a stage that lags by more than `LAG_MAX_MS` has no live figures.
 */
function append(times: number[], receivedAt: number): void {
  if (times[times.length - 1] !== receivedAt) times.push(receivedAt);
  let dropped = Math.max(0, times.length - TIMES_MAX);
  while (dropped + 1 < times.length && times[dropped + 1]! <= receivedAt - LAG_MAX_MS) dropped += 1;
  if (dropped > 0) times.splice(0, dropped);
}

/**
 * Receive time of the last book frame of an instrument that was received at or before a time, unix ms; null if that is
 * not known.
 */
export function bookTimeOf({ newer, older }: BookTimesView, instrument: string, until: number): number | null {
  const times = newer.get(instrument) ?? older.get(instrument) ?? [];
  for (let at = times.length - 1; at >= 0; at -= 1) if (times[at]! <= until) return times[at]!;
  return null;
}
