import type { RoleContext, Running } from '../runtime/context.ts';
import { pause } from '../runtime/pause.ts';
import { CheckedRegistry, describeDifferences } from './checked-registry.ts';
import type { SchemaRegistry } from './registry.ts';

const PART = 'schema registry';
const INTERVAL_MS = 30_000;

/**
 * Compares a registry server with the log at intervals. A difference makes the process `degraded` until it is gone: it
 * goes on with the schemas of the log, but other tools would decode its records wrongly. Does nothing for other
 * registries.
 */
export function watchRegistry(
  registry: SchemaRegistry,
  { health, logger, metrics }: Pick<RoleContext, 'health' | 'logger' | 'metrics'>,
  intervalMs: number = INTERVAL_MS,
): Running {
  if (!(registry instanceof CheckedRegistry)) return { close: async () => {} };
  const stopping = new AbortController();
  let state = 'ready';
  /** Logs changes only. */
  const change = (to: string, log: () => void) => {
    if (state !== to) log();
    state = to;
  };
  const check = async () => {
    try {
      const found = await registry.differences();
      metrics.registryMismatches.set(found.length);
      if (found.length === 0) {
        health.ready(PART);
        change('ready', () => logger.info('the schema registry fits the log again'));
        return;
      }
      const reason = `does not fit the log: ${describeDifferences(found)}`;
      health.degraded(PART, reason);
      change(reason, () => logger.error({ differences: found }, 'the schema registry does not fit the log'));
    } catch (error) {
      // Whatever is wrong with the server: it is needed at a start only, so the process stays as ready as it is.
      change('unavailable', () => logger.warn({ error }, 'the schema registry cannot be checked'));
    }
  };
  const run = async () => {
    while (await pause(intervalMs, stopping.signal)) await check();
  };
  const running = run();
  return {
    close: async () => {
      stopping.abort();
      await running;
    },
  };
}
