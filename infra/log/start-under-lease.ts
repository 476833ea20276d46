import { closeInReverse } from '../closing.ts';
import type { RoleContext, Running } from '../context.ts';
import type { Lease } from './log.ts';

export interface StartUnderLeaseOptions {
  readonly context: Pick<RoleContext, 'log' | 'logger' | 'health'>;
  /** The part of `/health` that waits, and a field of it that then says `standby` or `active`. */
  readonly part: string;
  readonly lease: string;
  /** Every topic that the part writes alone; they must exist. */
  readonly topics: readonly string[];
  readonly start: (lease: Lease) => Promise<Running>;
}

/**
 * Starts a part of this process once it alone may write its topics. While another process has the lease this one stands
 * by: the promise resolves all the same, and the part starts by itself when its turn has come. A part that loses its
 * lease has failed for good, since another one goes on with its work.
 */
export async function startUnderLease(options: StartUnderLeaseOptions): Promise<Running> {
  const { context, part, lease: name, topics, start } = options;
  const { log, logger, health } = context;
  const ending = new AbortController();
  let isStandby = false;
  let lease: Lease | null = null;
  let running: Running | null = null;
  let tellStandby = () => {};
  const standby = new Promise<void>((resolve) => {
    tellStandby = resolve;
  });
  const onStandby = () => {
    isStandby = true;
    logger.info(
      { part, lease: name },
      'standby: another process writes what this part writes, a service or a replay; waiting until it ends',
    );
    // Ready for what a standby is there for.
    health.ready(part);
    health.setExtra(part, 'standby');
    tellStandby();
  };
  const release = async () => lease?.release();
  const begin = async () => {
    lease = await log.lease(name, topics, { onStandby, signal: ending.signal });
    lease.lost.catch((error: unknown) => {
      logger.error({ part, error }, 'another process has taken over');
      health.failed(part, error, 'another process has taken over');
    });
    if (isStandby) {
      logger.info({ part, lease: name }, 'active: takes over');
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
    logger.error({ part, error }, `a standby could not take over`);
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
