import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import type { LOG_SETTINGS } from '../config/port-settings.ts';
import type { Settings } from '../config/settings.ts';
import { openEmbeddedLog } from './embedded/open-embedded-log.ts';
import type { EventLog } from './log.ts';

/** Location of a log, how to connect to it, and how long it stores raw records. */
export type LogSettings = Pick<Settings, Exclude<keyof typeof LOG_SETTINGS, 'schemaRegistry'>>;

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
  settings: LogSettings,
  { readOnly = false, logger }: OpenLogOptions = {},
): Promise<EventLog> {
  const { log, dataDir, retentionDays, kafkaReplication: replication } = settings;
  if (log === 'embedded') return openEmbeddedLog({ path: join(resolve(dataDir), 'log'), readOnly });
  // Loaded only if it is used.
  const [{ openKafkaLog }, { kafkaSecurity }] = await Promise.all([
    import('./kafka/open-kafka-log.ts'),
    import('./kafka/kafka-security.ts'),
  ]);
  const brokers = log.slice(KAFKA.length).split(',');
  const rawMaxAgeMs = retentionDays * DAY_MS;
  return openKafkaLog({ brokers, security: kafkaSecurity(settings), replication, rawMaxAgeMs, logger });
}
