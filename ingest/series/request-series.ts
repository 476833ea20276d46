/**
 * Requests the series of followed accounts of a venue once an hour, in the background. The responses are published like
 * all others; the series that the stage derives from one ends the request. What is due after a restart follows from the
 * log.
 */
import type { Running } from '#infra/runtime/context';
import { pause } from '#infra/runtime/pause';
import { TopicFollower } from '#infra/stages/topic-follower';
import { WINDOWS, type Window } from '#schemas/domain/returns/series';
import { accountSeriesTopic } from '#schemas/topics/account-series';
import { accountName, type ProviderFamily } from '#schemas/venues/accounts';
import { UpstreamError } from '../feed/errors.ts';
import type { RequestHandler } from '../requests/request-handler.ts';
import type { AdapterContext } from '../venues/adapter.ts';
import type { SeriesAttempts } from './series-attempts.ts';
import { SeriesDue } from './series-due.ts';
import { createHintHandler, SeriesHints } from './series-hints.ts';

/** Time between two looks for requests that are due. */
const INTERVAL_MS = 5_000;

export interface SeriesRequestsOptions {
  readonly context: Pick<AdapterContext, 'log' | 'codec' | 'logger'>;
  readonly attempts: SeriesAttempts;
  readonly family: ProviderFamily;
  /** The windows that are requested; of a venue whose response has all of them, only one. */
  readonly windows: readonly Window[];
  /** Sends the request and publishes the response. */
  readonly send: (address: string, window: Window, signal: AbortSignal) => Promise<unknown>;
  readonly intervalMs?: number;
  readonly now?: () => number;
}

export interface SeriesRequests extends Running {
  /** Serves hints, which make a series due before its hour is over. */
  readonly handler: RequestHandler;
}

/** Runs until it is closed. Close it before the publisher. */
export async function startSeriesRequests(options: SeriesRequestsOptions): Promise<SeriesRequests> {
  const { context, family, windows, now = Date.now } = options;
  const { log, codec } = context;
  await log.createTopics([accountSeriesTopic]);
  await codec.prepare([accountSeriesTopic]);
  const due = new SeriesDue(now);
  const prefix = accountName(family, '');
  const { first } = await log.bounds({ topic: accountSeriesTopic.name, partition: 0 });
  const follower = new TopicFollower(context, {
    topic: accountSeriesTopic,
    part: `series of ${family}`,
    from: first,
    isWanted: (key) => key.startsWith(prefix),
    handle: ({ account, window, observedAt }, { key }) => {
      if (windows.includes(window)) due.follow(key, { address: account.slice(prefix.length), window }, observedAt);
    },
    onRemoved: (key) => due.remove(key),
  });
  await follower.catchUp();
  await follower.start();
  const running = run(options, due, follower.signal);
  return {
    handler: createHintHandler(family, new SeriesHints(due, now)),
    close: async () => {
      await follower.close();
      await running;
    },
  };
}

async function run(options: SeriesRequestsOptions, due: SeriesDue, signal: AbortSignal): Promise<void> {
  const { context, attempts, family, windows, send, intervalMs = INTERVAL_MS, now = Date.now } = options;
  while (!signal.aborted) {
    const next = due.next();
    if (!next) {
      if (!(await pause(intervalMs, signal))) return;
      continue;
    }
    const { address, window } = next;
    const attemptedAt = now();
    due.markSent(next);
    try {
      await send(address, window, signal);
    } catch (error) {
      if (signal.aborted) return;
      due.markFailed(next);
      const level = error instanceof UpstreamError ? 'debug' : 'error';
      context.logger[level]({ error, family, address, window }, 'could not request the series of an account, retrying');
    }
    const account = accountName(family, address);
    const covered = windows.length > 1 ? [window] : [...WINDOWS];
    const attempt = { account, windows: covered, attemptedAt, nextAttemptAt: due.dueAt(next) };
    await publishAttempt(attempts, attempt, context.logger, signal);
  }
}

/** What reports an attempt must not end the requests: one that is missing in the log only delays what nodes report. */
async function publishAttempt(
  attempts: SeriesAttempts,
  attempt: Parameters<SeriesAttempts['publish']>[0],
  logger: AdapterContext['logger'],
  signal: AbortSignal,
): Promise<void> {
  try {
    await attempts.publish(attempt, signal);
  } catch (error) {
    if (!signal.aborted) logger.error({ error, account: attempt.account }, 'could not publish a request for a series');
  }
}
