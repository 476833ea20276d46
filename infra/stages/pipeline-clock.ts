/**
 * What time it is for the pipeline, and so how old derived data is. Live, event time goes on also when nothing comes any
 * more; while a recording is played, and after it, event time is that of the recording.
 */
import { clockTopic } from '#schemas/topics/control';
import type { Running } from '../context.ts';
import { type EventLog, LogError, type LogRecord } from '../log/log.ts';
import { pause } from '../pause.ts';

/** Derived data that is older than this does not count as live. */
export const LAG_MAX_MS = 5_000;
/** A clock mark of live data is appended within this time after its event time. */
const LIVE_DELAY_MAX_MS = 60_000;
const REFRESH_MS = 2_000;
/** How long a relation of event time to this machine's time is used: clocks of two machines drift apart. */
const GENERATION_MS = 60_000;
const CLOCK_AT = { topic: clockTopic.name, partition: 0 };

export interface PipelineClock extends Running {
  /** False while or after a recording is played, and before the first clock mark. */
  isLive(): boolean;
  /**
   * The pipeline's time, whole unix ms; null before any is known. Live it goes on by itself.
   * @param newest the newest event time that the caller knows of.
   */
  now(newest: number | null): number | null;
}

/**
 * Event time that goes on without news, by a clock that nobody sets. Event times arrive late by a varying delay, so the
 * relation that gives the latest time is nearest to the truth.
 */
class EventClock {
  private newest = Number.NEGATIVE_INFINITY;
  /** Event time minus monotonic time: the largest of this generation, and of the one before. */
  private offset = Number.NEGATIVE_INFINITY;
  private offsetBefore = Number.NEGATIVE_INFINITY;
  private generationBegan = Number.NEGATIVE_INFINITY;

  learn(newest: number, at = performance.now()): void {
    if (newest <= this.newest) return;
    this.newest = newest;
    if (at - this.generationBegan > GENERATION_MS) {
      this.offsetBefore = this.offset;
      this.offset = Number.NEGATIVE_INFINITY;
      this.generationBegan = at;
    }
    this.offset = Math.max(this.offset, newest - at);
  }

  /** Whole ms; null before anything was learned. */
  now(): number | null {
    const time = Math.round(Math.max(this.offset, this.offsetBefore) + performance.now());
    return Number.isFinite(time) ? time : null;
  }
}

/**
 * Follows the newest clock mark of the log until it is closed.
 * @param onFault called when following ends by a fault.
 */
export async function openPipelineClock(
  log: Pick<EventLog, 'createTopics' | 'last'>,
  onFault: (error: unknown) => void,
): Promise<PipelineClock> {
  await log.createTopics([clockTopic]);
  const closing = new AbortController();
  const clock = new EventClock();
  let live = false;
  const take = (mark: LogRecord | null) => {
    live = mark !== null && mark.appendedAt - mark.receivedAt <= LIVE_DELAY_MAX_MS;
  };
  const first = await log.last(CLOCK_AT);
  take(first);
  // Until ingest reports its time, the time that has passed since the log was written counts too.
  if (first) clock.learn(first.receivedAt + Math.max(0, Date.now() - first.appendedAt));
  const run = async () => {
    while (await pause(REFRESH_MS, closing.signal)) {
      try {
        take(await log.last(CLOCK_AT));
      } catch (error) {
        // A log that is away is reported by whoever reads it; what was known of the clock holds meanwhile.
        if (!(error instanceof LogError)) throw error;
      }
    }
  };
  run().catch(onFault);
  return {
    isLive: () => live,
    now(newest) {
      if (newest !== null) clock.learn(newest);
      return live ? clock.now() : newest;
    },
    close: async () => closing.abort(),
  };
}
