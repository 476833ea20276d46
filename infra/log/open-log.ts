import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Settings } from '../config/settings.ts';
import { openEmbeddedLog } from './embedded/open-embedded-log.ts';
import type { EventLog } from './log.ts';

/** Location of a log, and how long it stores raw records. */
export type LogSettings = Pick<Settings, 'log' | 'dataDir' | 'retentionDays'>;

export interface OpenLogOptions {
  /** Opens the log beside the process that writes it (`EmbeddedLogOptions.readOnly`). No effect on Kafka. */
  readonly readOnly?: boolean;
  /** Receives warnings about a log outside the process. */
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
  // Loaded only if it is used.
  const { openKafkaLog } = await import('./kafka/open-kafka-log.ts');
  const brokers = log.slice(KAFKA.length).split(',');
  return openKafkaLog({ brokers, rawMaxAgeMs: retentionDays * DAY_MS, ...(logger ? { logger } : {}) });
}
