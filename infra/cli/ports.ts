/** Opens the two ports and what every command needs beside them, and closes them in reverse. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { TOPICS } from '#schemas/topics/catalog';
import { rawTopics } from '#schemas/topics/raw';
import type { Codec } from '../codec/codec.ts';
import { openCodec } from '../codec/open-codec.ts';
import { SettingError } from '../config/declare.ts';
import type { Settings } from '../config/settings.ts';
import type { EventLog } from '../log/log.ts';
import { openLog } from '../log/open-log.ts';
import { migrate } from '../store/migrate.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';

export interface Ports {
  readonly log: EventLog;
  readonly store: Store;
  readonly codec: Codec;
  close(): Promise<void>;
}

type PortSettings = Pick<Settings, 'dataDir' | 'log' | 'store' | 'schemaRegistry' | 'venues' | 'retentionDays'>;

/**
 * Opens log, codec and store as the settings say; topics exist and tables are migrated when it resolves.
 * `claim: false` works on an existing data directory, whatever its `--venues` is. `logger` is told what a log outside
 * the process has trouble with.
 */
export async function openPorts(
  settings: PortSettings,
  { claim = true, logger }: { claim?: boolean; logger?: Logger } = {},
): Promise<Ports> {
  const dataDir = resolve(settings.dataDir);
  if (settings.log === 'embedded' || settings.store === 'embedded') {
    if (claim) claimDataDir(dataDir, settings.venues);
    else if (!existsSync(dataDir))
      throw new SettingError(`no data directory ${dataDir}; accepted: one that was made by npm start`);
  }
  const log = await openLog(settings, { logger });
  try {
    await log.createTopics(TOPICS);
    const codec = await openCodec(settings, log);
    await codec.prepare(TOPICS);
    const store = await openStore(settings.store, dataDir);
    await migrate(store);
    return {
      log,
      store,
      codec,
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

/** A data directory belongs to one `--venues` value: another world in the same log would make no sense. */
function claimDataDir(dataDir: string, venues: string): void {
  const file = join(dataDir, 'parallax.json');
  const folder = venues.startsWith('recording:') ? resolve(venues.slice('recording:'.length)) : null;
  if (folder && !existsSync(folder))
    throw new SettingError(`--venues: there is no folder ${folder}; accepted: sim, live, recording:<folder>`);
  if (folder && !isRecording(folder))
    throw new SettingError(
      `--venues: ${folder} is no folder with *.ndjson or *.ndjson.gz files, as npm run record writes`,
    );
  const value = folder ? `recording:${folder}` : venues;
  if (existsSync(file)) {
    const made = (JSON.parse(readFileSync(file, 'utf8')) as { venues: string }).venues;
    if (made === value) return;
    throw new SettingError(
      `--venues ${venues} does not fit the data directory ${dataDir}, which was made with --venues ${made}; choose another --data-dir`,
    );
  }
  try {
    makeFolder(dataDir);
    writeFileSync(file, `${JSON.stringify({ venues: value })}\n`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SettingError(`--data-dir ${dataDir} cannot be made (${code}); accepted: a folder that can be written to`);
  }
}

function isRecording(folder: string): boolean {
  return statSync(folder).isDirectory() && readdirSync(folder).some((name) => /\.ndjson(\.gz)?$/.test(name));
}

/** As a recursive mkdir, which does not return below a folder that takes none, as /proc. */
function makeFolder(path: string): void {
  const missing: string[] = [];
  for (let folder = path; !existsSync(folder); folder = dirname(folder)) missing.unshift(folder);
  for (const folder of missing) mkdirSync(folder);
}

/** Opens the log and its codec beside a running service, to read only. `logger` as for `openPorts`. */
export async function openForReading(
  settings: Pick<Settings, 'dataDir' | 'log' | 'schemaRegistry' | 'retentionDays'>,
  logger: Logger,
): Promise<Pick<Ports, 'log' | 'codec' | 'close'>> {
  const dataDir = resolve(settings.dataDir);
  if (settings.log === 'embedded' && !existsSync(dataDir))
    throw new SettingError(`no data directory ${dataDir}; accepted: one that was made by npm start`);
  const log = await openLog(settings, { readOnly: true, logger });
  const codec = await openCodec(settings, log);
  await codec.prepare([...rawTopics.values()]);
  return { log, codec, close: () => log.close() };
}
