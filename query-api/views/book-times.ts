/**
 * View of the receive time of the last book frame of each instrument. It uses only keys and times, so no record is
 * decoded.
 */
import { on, type Stage } from '#infra/stages/stage';
import { bookTopics } from '#schemas/topics/normalised';

/** Instruments per generation. When the newer one is full, the older one is dropped, and closed markets with it. */
const GENERATION_MAX = 50_000;

/** Receive times by instrument, unix ms, in two generations. */
export interface BookTimesView {
  newer: Map<string, number>;
  older: ReadonlyMap<string, number>;
}

export const bookTimesView: Stage<BookTimesView> = {
  name: 'view.book-times',
  inputs: Object.values(bookTopics).map((topic) =>
    on(topic, (view: BookTimesView, { key, receivedAt }) => {
      view.newer.set(key, receivedAt);
      if (view.newer.size <= GENERATION_MAX) return;
      view.older = view.newer;
      view.newer = new Map();
    }),
  ),
  outputs: [],
  initialState: () => ({ newer: new Map(), older: new Map() }),
};

/** Receive time of the last book frame of an instrument, unix ms; null if none was seen. */
export function bookTimeOf({ newer, older }: BookTimesView, instrument: string): number | null {
  return newer.get(instrument) ?? older.get(instrument) ?? null;
}
