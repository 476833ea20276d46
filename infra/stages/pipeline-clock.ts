/**
 * What time it is for the pipeline, and so how old derived data is. Event time follows the machine's clock when the data
 * is live; while a recording is played, and after it, event time is that of the recording.
 */
import { clockTopic } from '#schemas/topics/control';
import type { Running } from '../context.ts';
import { type EventLog, LogError } from '../log/log.ts';
import { pause } from '../pause.ts';

/** Derived data that is older than this does not count as live. */
export const LAG_MAX_MS = 5_000;
/** A clock mark of live data is appended within this time of its event time. */
const LIVE_DEVIATION_MS = 60_000;
const REFRESH_MS = 2_000;
const CLOCK_AT = { topic: clockTopic.name, partition: 0 };

export interface PipelineClock extends Running {
  /** False while or after a recording is played, and before the first clock mark. */
  isLive(): boolean;
  /**
   * The pipeline's time, unix ms. Live it is the machine's, so that data counts as old also when nothing comes any more.
   * @param newest the newest event time that the caller knows of.
   */
  now(newest: number | null): number | null;
}

/** Follows the newest clock mark of the log until it is closed. */
export async function openPipelineClock(log: Pick<EventLog, 'createTopics' | 'last'>): Promise<PipelineClock> {
  await log.createTopics([clockTopic]);
  const closing = new AbortController();
  let live = false;
  const refresh = async () => {
    const mark = await log.last(CLOCK_AT);
    live = mark !== null && Math.abs(mark.appendedAt - mark.receivedAt) <= LIVE_DEVIATION_MS;
  };
  await refresh();
  const run = async () => {
    while (await pause(REFRESH_MS, closing.signal)) {
      await refresh().catch((error: unknown) => {
        // A log that is away is reported by whoever reads it; what was known of the clock holds meanwhile.
        if (!(error instanceof LogError)) throw error;
      });
    }
  };
  const running = run();
  return {
    isLive: () => live,
    now: (newest) => (live ? Math.max(newest ?? Number.NEGATIVE_INFINITY, Date.now()) : newest),
    async close() {
      closing.abort();
      await running;
    },
  };
}
