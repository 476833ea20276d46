/**
 * The current time of the pipeline, from which the age of derived data follows. Live, event time advances even if
 * nothing arrives; while a recording is played, and after it, event time is that of the recording.
 */
import { clockTopic } from '#schemas/topics/control';
import { type EventLog, LogError, type LogRecord } from '../log/log.ts';
import type { Running } from '../runtime/context.ts';
import { pause } from '../runtime/pause.ts';

/** Derived data that is older than this does not count as live. */
export const LAG_MAX_MS = 5_000;
/** A clock mark of live data is appended within this time after its event time. */
const LIVE_DELAY_MAX_MS = 60_000;
const REFRESH_MS = 2_000;
/** Until the first mark, nobody knows whether data is live: a new data directory has it soon after the start. */
const FIRST_MARK_MS = 100;
/**
 * How long an observed difference between event time and this machine's clock is used: clocks of two machines drift
 * apart.
 */
const GENERATION_MS = 60_000;
const CLOCK_AT = { topic: clockTopic.name, partition: 0 };

export interface PipelineClock extends Running {
  /** False while or after a recording is played, and before the first clock mark. */
  isLive(): boolean;
  /**
   * The pipeline's time in whole unix ms; null before the first clock mark was read, and while no time is known. In live
   * mode it advances by itself.
   * @param newest the newest event time that the caller knows of.
   */
  now(newest: number | null): number | null;
}

/**
 * Extrapolates event time by a monotonic clock. Event times arrive late by a varying delay, so the difference that
 * gives the latest time is nearest to the truth.
 */
class EventClock {
  private newest = Number.NEGATIVE_INFINITY;
  /** Event time minus monotonic time: the largest of this generation, and of the previous one. */
  private offset = Number.NEGATIVE_INFINITY;
  private offsetBefore = Number.NEGATIVE_INFINITY;
  private generationBegan = Number.NEGATIVE_INFINITY;

  observe(newest: number, at = performance.now()): void {
    if (newest <= this.newest) return;
    this.newest = newest;
    if (at - this.generationBegan > GENERATION_MS) {
      this.offsetBefore = this.offset;
      this.offset = Number.NEGATIVE_INFINITY;
      this.generationBegan = at;
    }
    this.offset = Math.max(this.offset, newest - at);
  }

  /** Whole ms; null before anything was observed. */
  now(): number | null {
    const time = Math.round(Math.max(this.offset, this.offsetBefore) + performance.now());
    return Number.isFinite(time) ? time : null;
  }
}

/**
 * Follows the newest clock mark of the log until it is closed.
 * @param onFault called if following ends with an error.
 */
export async function openPipelineClock(
  log: Pick<EventLog, 'createTopics' | 'last'>,
  onFault: (error: unknown) => void,
  wait: typeof pause = pause,
): Promise<PipelineClock> {
  await log.createTopics([clockTopic]);
  const closing = new AbortController();
  const clock = new EventClock();
  let [isKnown, live] = [false, false];
  const applyMark = (mark: LogRecord | null) => {
    isKnown ||= mark !== null;
    live = mark !== null && mark.appendedAt - mark.receivedAt <= LIVE_DELAY_MAX_MS;
  };
  const first = await log.last(CLOCK_AT);
  applyMark(first);
  // Until ingest reports its time, add the time that has passed since the log was written.
  if (first) clock.observe(first.receivedAt + Math.max(0, Date.now() - first.appendedAt));
  const run = async () => {
    while (await wait(isKnown ? REFRESH_MS : FIRST_MARK_MS, closing.signal)) {
      try {
        applyMark(await log.last(CLOCK_AT));
      } catch (error) {
        // The readers of the log report that it is unavailable; the last known mark stays in use.
        if (!(error instanceof LogError)) throw error;
      }
    }
  };
  run().catch(onFault);
  return {
    isLive: () => live,
    now(newest) {
      if (newest !== null) clock.observe(newest);
      if (!isKnown) return null;
      return live ? clock.now() : newest;
    },
    close: async () => closing.abort(),
  };
}
