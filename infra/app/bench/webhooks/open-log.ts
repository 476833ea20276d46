/**
 * Opens the log of a folder and the rest of a webhook sender's context. Without a store, which takes seconds to open.
 */
import { createCodec } from '../../../codec/create-codec.ts';
import { openLogRegistry } from '../../../codec/log-registry.ts';
import { openEmbeddedLog } from '../../../log/embedded/open-embedded-log.ts';
import { createHealth } from '../../../telemetry/health.ts';
import { createLogger } from '../../../telemetry/logger.ts';
import { createMetrics } from '../../../telemetry/metrics.ts';

export type LogContext = Awaited<ReturnType<typeof openLogContext>>;

export async function openLogContext(path: string) {
  const log = await openEmbeddedLog({ path });
  const codec = createCodec(await openLogRegistry(log));
  return { log, codec, logger: createLogger('error'), metrics: createMetrics(), health: createHealth() };
}
