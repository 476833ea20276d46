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

/**
 * Creates the stage of the view.
 * @param shownAt the position of figures that are shown however far they lag, unix ms: as of then the times stay. Null
 * if figures that lag by more than `LAG_MAX_MS` are not shown as live.
 */
export function createBookTimesView(shownAt: () => number | null): Stage<BookTimesView> {
  return {
    name: 'view.book-times',
    inputs: Object.values(bookTopics).map((topic) =>
      on(topic, (view: BookTimesView, { key, receivedAt }) => {
        const neededAt = Math.min(receivedAt - LAG_MAX_MS, shownAt() ?? Number.POSITIVE_INFINITY);
        const times = view.newer.get(key);
        if (times) {
          append(times, receivedAt, neededAt);
          return;
        }
        const fromOlder = [...(view.older.get(key) ?? [])];
        append(fromOlder, receivedAt, neededAt);
        view.newer.set(key, fromOlder);
        if (view.newer.size <= GENERATION_MAX) return;
        view.older = view.newer;
        view.newer = new Map();
      }),
    ),
    outputs: [],
    initialState: () => ({ newer: new Map(), older: new Map() }),
  };
}

/**
 * Appends a time, and drops those before the last one at or before `neededAt`, which no figure refers to: this view may
 * have read frames that the stage that calculates the figures has not processed.
 */
function append(times: number[], receivedAt: number, neededAt: number): void {
  if (times[times.length - 1] !== receivedAt) times.push(receivedAt);
  let dropped = Math.max(0, times.length - TIMES_MAX);
  while (dropped + 1 < times.length && times[dropped + 1]! <= neededAt) dropped += 1;
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
