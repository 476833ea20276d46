import { setTimeout as sleep } from 'node:timers/promises';
import type { RoleContext, Running } from '../context.ts';
import { CheckedRegistry, describeDifferences } from './checked-registry.ts';
import { RegistryError } from './confluent-registry.ts';
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
  const { signal } = stopping;
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
      // It is needed at a start only, so the process stays as ready as it is.
      if (!(error instanceof RegistryError)) throw error;
      change('unavailable', () => logger.warn({ error }, 'the schema registry cannot be checked'));
    }
  };
  const run = async () => {
    while (await sleep(intervalMs, true, { signal }).catch(() => false)) await check();
  };
  const running = run().catch((error: unknown) => health.failed(PART, error));
  return {
    close: async () => {
      stopping.abort();
      await running;
    },
  };
}
