import { closeInReverse } from '../runtime/closing.ts';
import type { RoleContext, Running } from '../runtime/context.ts';
import type { Lease } from './log.ts';

export interface StartUnderLeaseOptions {
  readonly context: Pick<RoleContext, 'log' | 'logger' | 'health'>;
  /** The part of `/health` that waits, and the name of its extra field with the value `standby` or `active`. */
  readonly part: string;
  readonly lease: string;
  /** Every topic that only this part writes; they must exist. */
  readonly topics: readonly string[];
  readonly start: (lease: Lease) => Promise<Running>;
}

/**
 * Starts a part of this process once it alone may write its topics. While another process holds the lease, this one is
 * a standby: the promise resolves nevertheless, and the part starts by itself once it acquires the lease. A part that
 * loses its lease fails for good, since another process continues its work.
 */
export async function startUnderLease(options: StartUnderLeaseOptions): Promise<Running> {
  const { context, part, lease: name, topics, start } = options;
  const { log, logger, health } = context;
  const ending = new AbortController();
  let isStandby = false;
  let lease: Lease | null = null;
  let running: Running | null = null;
  let resolveStandby = () => {};
  const standby = new Promise<void>((resolve) => {
    resolveStandby = resolve;
  });
  const onStandby = () => {
    isStandby = true;
    logger.info(
      { part, lease: name },
      'standby: another process (a service or a replay) holds the lease; waiting until it ends',
    );
    // A standby is ready: its task is to wait.
    health.ready(part);
    health.setExtra(part, 'standby');
    resolveStandby();
  };
  const release = async () => lease?.release();
  const begin = async () => {
    lease = await log.lease(name, topics, { onStandby, signal: ending.signal });
    lease.lost.catch((error: unknown) => {
      logger.error({ part, error }, 'another process has taken over');
      health.failed(part, error, 'another process has taken over');
    });
    if (isStandby) {
      logger.info({ part, lease: name }, 'became leader');
      health.setExtra(part, 'active');
      health.expect(part);
    }
    running = await start(lease);
  };
  const begun = begin();
  try {
    await Promise.race([begun, standby]);
  } catch (error) {
    await release();
    throw error;
  }
  const settled = begun.catch((error: unknown) => {
    if (ending.signal.aborted) return;
    logger.error({ part, error }, 'a standby failed to take over');
    health.failed(part, error);
  });
  return {
    close: async () => {
      ending.abort();
      await settled;
      await closeInReverse([release, async () => running?.close()]);
    },
  };
}
