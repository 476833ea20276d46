import { projectionsOf } from '#processors/stages';
import { PROCESSORS_LEASE } from '#processors/start';
import type { EventLog } from '../../log/log.ts';
import type { Stage } from '../../stages/stage.ts';
import type { Ports } from '../ports.ts';
import { dropProjections, isDropUnfinished, replayJournal } from './drop-projections.ts';

/** A service that was just killed loses its lease within about ten seconds. */
const LEASE_TIMEOUT_MS = 20_000;

/**
 * Works as the only writer of what the stages write: no service and no other replay runs. Rejects with `log_locked` when
 * one still does after 20 s, and with `log_fenced` when another one takes over.
 */
export async function alone<T>(log: EventLog, stages: readonly Stage<unknown>[], work: () => Promise<T>): Promise<T> {
  const topics = [...projectionsOf(stages), replayJournal];
  await log.createTopics(topics);
  const signal = AbortSignal.timeout(LEASE_TIMEOUT_MS);
  const lease = await log.lease(
    PROCESSORS_LEASE,
    topics.map(({ name }) => name),
    { signal },
  );
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
  ports: Pick<Ports, 'log' | 'store' | 'codec'>,
  stages: readonly Stage<unknown>[],
): Promise<void> {
  if (!(await isDropUnfinished(ports.log))) return;
  await alone(ports.log, stages, async () => {
    // Another process may have finished it while this one waited.
    if (await isDropUnfinished(ports.log)) await dropProjections(ports, stages);
  });
}
