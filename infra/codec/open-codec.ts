import type { Settings } from '../config/settings.ts';
import type { EventLog } from '../log/log.ts';
import { CheckedRegistry } from './checked-registry.ts';
import type { Codec } from './codec.ts';
import { openConfluentRegistry } from './confluent-registry.ts';
import { createCodec } from './create-codec.ts';
import { openLogRegistry } from './log-registry.ts';
import { openRecordedSchemas } from './recorded-schemas.ts';
import type { SchemaRegistry } from './registry.ts';

type CodecSettings = Pick<Settings, 'log' | 'schemaRegistry'>;

/**
 * Opens the registry for the configured log: its schemas are in the embedded log itself, or in the registry of a
 * cluster, which is checked first. Rejects with a `RegistryMismatchError` or a `RegistryError`.
 */
export async function openRegistry(settings: CodecSettings, log: EventLog): Promise<SchemaRegistry> {
  if (settings.log === 'embedded') return openLogRegistry(log);
  const registry = await openServerRegistry(settings, log);
  await registry.check();
  return registry;
}

/** Opens the registry of a cluster without checking it. */
export async function openServerRegistry({ schemaRegistry }: CodecSettings, log: EventLog): Promise<CheckedRegistry> {
  return new CheckedRegistry(await openRecordedSchemas(log), openConfluentRegistry(schemaRegistry!));
}

/** Opens the codec with the registry for the configured log. */
export async function openCodec(settings: CodecSettings, log: EventLog): Promise<Codec> {
  return createCodec(await openRegistry(settings, log));
}
