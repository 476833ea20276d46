import type { Settings } from '../config/settings.ts';
import type { EventLog } from '../log/log.ts';
import type { Codec } from './codec.ts';
import { openConfluentRegistry } from './confluent-registry.ts';
import { createCodec } from './create-codec.ts';
import { openLogRegistry } from './log-registry.ts';

/** The codec of the log that the settings name: its schemas stand in the embedded log itself, or on a cluster's registry. */
export async function openCodec(
  { log, schemaRegistry }: Pick<Settings, 'log' | 'schemaRegistry'>,
  opened: EventLog,
): Promise<Codec> {
  return createCodec(log === 'embedded' ? await openLogRegistry(opened) : openConfluentRegistry(schemaRegistry!));
}
