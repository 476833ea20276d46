/** The newest requests for the series of followed accounts, as ingest publishes them. */
import { type FollowerContext, TopicFollower } from '#infra/stages/topic-follower';
import { seriesKey } from '#schemas/topics/account-series';
import {
  SERIES_ATTEMPT_RETENTION_HOURS,
  type SeriesAttempt,
  seriesAttemptTopic,
} from '#schemas/topics/series-attempts';

const AT = { topic: seriesAttemptTopic.name, partition: 0 };
const RETAINED_MS = SERIES_ATTEMPT_RETENTION_HOURS * 3_600_000;

/** By account and window (`seriesKey`), the oldest first; those of the last two hours. */
export type SeriesAttemptsView = Map<string, Pick<SeriesAttempt, 'attemptedAt' | 'nextAttemptAt' | 'receivedAt'>>;

export interface RunningSeriesAttempts {
  readonly state: SeriesAttemptsView;
  close(): Promise<void>;
}

/** Follows the requests until it is closed. */
export async function openSeriesAttempts(context: FollowerContext): Promise<RunningSeriesAttempts> {
  const { log, codec } = context;
  await log.createTopics([seriesAttemptTopic]);
  await codec.prepare([seriesAttemptTopic]);
  const state: SeriesAttemptsView = new Map();
  const follower = new TopicFollower(context, {
    topic: seriesAttemptTopic,
    part: 'series-attempts',
    from: await log.offsetAt(AT, Date.now() - RETAINED_MS),
    handle: (attempt) => addAttempt(state, attempt),
  });
  await follower.catchUp();
  await follower.start();
  return { state, close: () => follower.close() };
}

export function addAttempt(state: SeriesAttemptsView, attempt: SeriesAttempt): void {
  const { account, windows, attemptedAt, nextAttemptAt, receivedAt } = attempt;
  for (const window of windows) {
    const key = seriesKey({ account, window });
    state.delete(key);
    state.set(key, { attemptedAt, nextAttemptAt, receivedAt });
  }
  for (const [key, known] of state) {
    if (known.receivedAt >= receivedAt - RETAINED_MS) return;
    state.delete(key);
  }
}
