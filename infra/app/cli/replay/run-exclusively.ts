import type { Logger } from 'pino';
import { projectionsOf } from '#processors/stages';
import { PROCESSORS_LEASE } from '#processors/start';
import { type EventLog, LogError } from '../../../log/log.ts';
import { timeLimit } from '../../../runtime/time-limit.ts';
import type { Stage } from '../../../stages/stage.ts';
import type { Ports } from '../ports.ts';
import { dropProjections, isDropUnfinished, replayJournal } from './drop-projections.ts';

/** A service that was just killed loses its lease within about ten seconds. */
const LEASE_TIMEOUT_MS = 20_000;
/** Subject of the messages about the process that holds the lease. */
const OTHER_WRITER = 'another process (a service with the role processors, or a replay) writes the derived topics';

export interface ExclusiveOptions {
  readonly log: Pick<EventLog, 'createTopics' | 'lease'>;
  /** Receives a warning when the lease is held by another process. */
  readonly logger: Logger;
  readonly leaseTimeoutMs?: number;
}

/**
 * Runs `work` while holding the processors' lease, so that no service and no other replay writes the derived topics.
 * Rejects with `log_locked` if the lease is not free within 20 s, and with `log_fenced` if another process acquires it
 * meanwhile.
 */
export async function runExclusively<T>(
  { log, logger, leaseTimeoutMs: timeoutMs = LEASE_TIMEOUT_MS }: ExclusiveOptions,
  stages: readonly Stage<unknown>[],
  work: () => Promise<T>,
): Promise<T> {
  const topics = [...projectionsOf(stages), replayJournal];
  await log.createTopics(topics);
  const signal = timeLimit(timeoutMs);
  const onStandby = () => logger.warn(`${OTHER_WRITER}; waiting for it to end, for at most ${timeoutMs / 1_000} s`);
  const names = topics.map(({ name }) => name);
  const lease = await log.lease(PROCESSORS_LEASE, names, { signal, onStandby }).catch((error: unknown) => {
    if (!(error instanceof LogError) || error.code !== 'log_locked' || !signal.aborted) throw error;
    const message = `${OTHER_WRITER}, and still does after ${timeoutMs / 1_000} s; stop it or wait for it to end, then try again`;
    throw new LogError('log_locked', message, { cause: error });
  });
  try {
    return await Promise.race([work(), lease.lost]);
  } finally {
    await lease.release();
  }
}

/**
 * Finishes the dropping of projections that an interrupted replay started, so that stages and sink start from the
 * oldest records. Does nothing if none was interrupted. Must run before any role starts: views do not notice that a
 * topic was cleared.
 */
export async function finishInterruptedReplay(
  ports: Pick<Ports, 'log' | 'store' | 'codec'> & Pick<ExclusiveOptions, 'logger'>,
  stages: readonly Stage<unknown>[],
): Promise<void> {
  if (!(await isDropUnfinished(ports.log))) return;
  ports.logger.warn('a replay was interrupted while it dropped derived data, or still runs; finishing the drop first');
  await runExclusively(ports, stages, async () => {
    // Another process may have finished it while this one waited for the lease.
    if (await isDropUnfinished(ports.log)) await dropProjections(ports, stages);
  });
}
