import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Settings } from '../config/settings.ts';
import { openEmbeddedLog } from './embedded/open-embedded-log.ts';
import type { EventLog } from './log.ts';

/** Where a log is, and how long it keeps what comes from venues. */
export type LogSettings = Pick<Settings, 'log' | 'dataDir' | 'retentionDays'>;

export interface OpenLogOptions {
  /** Beside the process that writes it (`EmbeddedLogOptions.readOnly`). On a cluster it makes no difference. */
  readonly readOnly?: boolean;
  /** Told what a log outside the process has trouble with. */
  readonly logger?: Logger | undefined;
}

const KAFKA = 'kafka://';
const DAY_MS = 86_400_000;

/** Opens the log that the settings name. Rejects as the adapters do. */
export async function openLog(
  { log, dataDir, retentionDays }: LogSettings,
  { readOnly = false, logger }: OpenLogOptions = {},
): Promise<EventLog> {
  if (log === 'embedded') return openEmbeddedLog({ path: join(resolve(dataDir), 'log'), readOnly });
  // Loaded for who uses it.
  const { openKafkaLog } = await import('./kafka/open-kafka-log.ts');
  const brokers = log.slice(KAFKA.length).split(',');
  return openKafkaLog({ brokers, rawMaxAgeMs: retentionDays * DAY_MS, ...(logger ? { logger } : {}) });
}
