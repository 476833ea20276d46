import type { Settings } from '../config/settings.ts';
import type { EventLog } from '../log/log.ts';
import type { Codec } from './codec.ts';
import { openConfluentRegistry } from './confluent-registry.ts';
import { createCodec } from './create-codec.ts';
import { openLogRegistry } from './log-registry.ts';

/**
 * Opens the codec for the configured log: its schemas are in the embedded log itself, or in the registry of a cluster.
 */
export async function openCodec(
  { log, schemaRegistry }: Pick<Settings, 'log' | 'schemaRegistry'>,
  opened: EventLog,
): Promise<Codec> {
  return createCodec(log === 'embedded' ? await openLogRegistry(opened) : openConfluentRegistry(schemaRegistry!));
}
