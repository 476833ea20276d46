/** Opens the log, the codec and the store for a command, and closes them in reverse order. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { TOPICS } from '#schemas/topics/catalog';
import { feedTopics, rawTopics } from '#schemas/topics/raw';
import type { Codec } from '../../codec/codec.ts';
import { createCodec } from '../../codec/create-codec.ts';
import { openCodec, openRegistry } from '../../codec/open-codec.ts';
import type { SchemaRegistry } from '../../codec/registry.ts';
import { SettingError } from '../../config/declare.ts';
import type { Settings } from '../../config/settings.ts';
import type { EventLog } from '../../log/log.ts';
import { type LogSettings, openLog } from '../../log/open-log.ts';
import { migrate } from '../../store/migrate.ts';
import { openStore } from '../../store/open-store.ts';
import type { Store } from '../../store/store.ts';

export interface Ports {
  readonly log: EventLog;
  readonly store: Store;
  readonly codec: Codec;
  readonly registry: SchemaRegistry;
  close(): Promise<void>;
}

/** What it takes to open the log for reading. */
type ReadSettings = LogSettings & Pick<Settings, 'schemaRegistry'>;
/** What it takes to open the log for writing. */
type IngestSettings = ReadSettings & Pick<Settings, 'venues'> & Partial<Pick<Settings, 'simSeed'>>;
type PortSettings = IngestSettings & Pick<Settings, 'store' | 'storePassword' | 'storeCluster'>;

/** What a data directory was created with. */
interface Origin {
  readonly venues: string;
  /** Seed of the simulator; not set for other venues. */
  readonly simSeed?: number;
}

/**
 * Opens log, codec and store as configured. When it resolves, topics exist and tables are migrated. `claim: false`
 * opens an existing data directory, whatever its `--venues` is. `logger` receives the warnings of a remote log.
 */
export async function openPorts(
  settings: PortSettings,
  { claim = true, logger }: { claim?: boolean; logger?: Logger } = {},
): Promise<Ports> {
  const dataDir = resolve(settings.dataDir);
  if (settings.log === 'embedded' || settings.store === 'embedded') {
    if (claim) claimDataDir(dataDir, settings);
    else if (!existsSync(dataDir))
      throw new SettingError(`no data directory ${dataDir}; accepted: one that npm start created`);
  }
  const log = await openLog(settings, { logger });
  try {
    await log.createTopics(TOPICS);
    const registry = await openRegistry(settings, log);
    const codec = createCodec(registry);
    await codec.prepare(TOPICS);
    const store = await openStore({ ...settings, dataDir });
    await migrate(store);
    return {
      log,
      store,
      codec,
      registry,
      close: async () => {
        await store.close();
        await log.close();
      },
    };
  } catch (error) {
    await log.close();
    throw error;
  }
}

/** Records what a new data directory is created with, and rejects other venues or another seed for an existing one. */
function claimDataDir(dataDir: string, { venues, simSeed }: IngestSettings): void {
  const file = join(dataDir, 'parallax.json');
  const folder = venues.startsWith('recording:') ? resolve(venues.slice('recording:'.length)) : null;
  if (folder && !existsSync(folder))
    throw new SettingError(`--venues: there is no folder ${folder}; accepted: sim, live, recording:<folder>`);
  if (folder && !isRecording(folder))
    throw new SettingError(
      `--venues: ${folder} is not a folder with *.ndjson or *.ndjson.gz files, as npm run record writes them`,
    );
  const origin: Origin = {
    venues: folder ? `recording:${folder}` : venues,
    ...(venues === 'sim' && simSeed !== undefined ? { simSeed } : {}),
  };
  if (existsSync(file)) {
    const existing = JSON.parse(readFileSync(file, 'utf8')) as Origin;
    if (existing.venues !== origin.venues) throw refusal(dataDir, '--venues', origin.venues, existing.venues);
    // Two worlds with the same names of markets would be mixed.
    if (existing.simSeed !== undefined && origin.simSeed !== undefined && existing.simSeed !== origin.simSeed)
      throw refusal(dataDir, '--sim-seed', origin.simSeed, existing.simSeed);
    return;
  }
  try {
    createFolder(dataDir);
    writeFileSync(file, `${JSON.stringify(origin)}\n`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SettingError(`--data-dir ${dataDir} cannot be created (${code}); accepted: a writable folder`);
  }
}

function refusal(dataDir: string, flag: string, given: string | number, created: string | number): SettingError {
  return new SettingError(
    `${flag} ${given} does not fit the data directory ${dataDir}, which was created with ${flag} ${created}; choose another --data-dir`,
  );
}

function isRecording(folder: string): boolean {
  return statSync(folder).isDirectory() && readdirSync(folder).some((name) => /\.ndjson(\.gz)?$/.test(name));
}

/** Like a recursive mkdir, which never returns below a folder that accepts no folders, such as /proc. */
function createFolder(path: string): void {
  const missing: string[] = [];
  for (let folder = path; !existsSync(folder); folder = dirname(folder)) missing.unshift(folder);
  for (const folder of missing) mkdirSync(folder);
}

/**
 * Opens the log and its codec for a command that writes as ingest does. A missing data directory is created. `logger` is
 * used as in `openPorts`.
 */
export async function openForIngest(
  settings: IngestSettings,
  logger: Logger,
): Promise<Pick<Ports, 'log' | 'codec' | 'close'>> {
  if (settings.log === 'embedded') claimDataDir(resolve(settings.dataDir), settings);
  const log = await openLog(settings, { logger });
  try {
    await log.createTopics(TOPICS);
    const codec = await openCodec(settings, log);
    await codec.prepare(TOPICS);
    return { log, codec, close: () => log.close() };
  } catch (error) {
    await log.close();
    throw error;
  }
}

/** Opens the log and its codec read-only, while a service may run. `logger` is used as in `openPorts`. */
export async function openForReading(
  settings: ReadSettings,
  logger: Logger,
): Promise<Pick<Ports, 'log' | 'codec' | 'close'>> {
  const dataDir = resolve(settings.dataDir);
  if (settings.log === 'embedded' && !existsSync(dataDir))
    throw new SettingError(`no data directory ${dataDir}; accepted: one that npm start created`);
  const log = await openLog(settings, { readOnly: true, logger });
  const codec = await openCodec(settings, log);
  await codec.prepare([...rawTopics.values(), ...Object.values(feedTopics)]);
  return { log, codec, close: () => log.close() };
}
