import type { Logger } from 'pino';
import { projectionsOf } from '#processors/stages';
import { PROCESSORS_LEASE } from '#processors/start';
import { type EventLog, LogError } from '../../log/log.ts';
import type { Stage } from '../../stages/stage.ts';
import type { Ports } from '../ports.ts';
import { dropProjections, isDropUnfinished, replayJournal } from './drop-projections.ts';

/** A service that was just killed loses its lease within about ten seconds. */
const LEASE_TIMEOUT_MS = 20_000;
/** Who may be waited for. */
const OTHER = 'another process, a service with the role processors or a replay, writes the derived topics';

export interface AloneOptions {
  readonly log: Pick<EventLog, 'createTopics' | 'lease'>;
  /** Told who is waited for. */
  readonly logger: Logger;
  readonly leaseTimeoutMs?: number;
}

/**
 * Works as the only writer of what the stages write: no service and no other replay runs. Rejects with `log_locked` when
 * one still does after 20 s, and with `log_fenced` when another one takes over.
 */
export async function alone<T>(
  { log, logger, leaseTimeoutMs: timeoutMs = LEASE_TIMEOUT_MS }: AloneOptions,
  stages: readonly Stage<unknown>[],
  work: () => Promise<T>,
): Promise<T> {
  const topics = [...projectionsOf(stages), replayJournal];
  await log.createTopics(topics);
  const signal = AbortSignal.timeout(timeoutMs);
  const onStandby = () => logger.warn(`${OTHER}; waiting for its end, ${timeoutMs / 1_000} s at most`);
  const names = topics.map(({ name }) => name);
  const lease = await log.lease(PROCESSORS_LEASE, names, { signal, onStandby }).catch((error: unknown) => {
    if (!(error instanceof LogError) || error.code !== 'log_locked' || !signal.aborted) throw error;
    const message = `${OTHER}, and still did after ${timeoutMs / 1_000} s; stop it or wait for its end, then try again`;
    throw new LogError('log_locked', message, { cause: error });
  });
  try {
    return await Promise.race([work(), lease.lost]);
  } finally {
    await lease.release();
  }
}

/**
 * Finishes what an interrupted replay began to drop, so that stages and sink begin at the beginning; does nothing where
 * none was interrupted. For a start of the service, before any of its roles: views do not follow a topic that is emptied.
 */
export async function finishInterruptedReplay(
  ports: Pick<Ports, 'log' | 'store' | 'codec'> & Pick<AloneOptions, 'logger'>,
  stages: readonly Stage<unknown>[],
): Promise<void> {
  if (!(await isDropUnfinished(ports.log))) return;
  ports.logger.warn('a replay was interrupted, or runs, while it drops what is derived; that is finished first');
  await alone(ports, stages, async () => {
    // Another process may have finished it while this one waited.
    if (await isDropUnfinished(ports.log)) await dropProjections(ports, stages);
  });
}
