import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createStages } from '#processors/stages';
import { TABLES } from '#schemas/tables/index';
import { TOPICS } from '#schemas/topics/catalog';
import { channelTopics } from '#schemas/topics/channels';
import { deadTopic, stateTopic } from '#schemas/topics/control';
import { readSettings, switchSetting } from '../../config/declare.ts';
import { settingsHelp } from '../../config/help.ts';
import { SETTINGS, type Settings } from '../../config/settings.ts';
import { openEmbeddedLog } from '../../log/embedded/open-embedded-log.ts';
import { beginEpoch } from '../../log/epochs.ts';
import { migrate } from '../../store/migrate.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { createMetrics } from '../../telemetry/metrics.ts';
import type { Command } from '../command.ts';
import { openPorts, type Ports } from '../ports.ts';
import { compareTables, compareTopics, type Difference } from '../replay/compare.ts';
import { overlayLog } from '../replay/overlay-log.ts';
import { rebuild } from '../replay/rebuild.ts';

const {
  dataDir,
  venues,
  log,
  store,
  schemaRegistry,
  retentionDays,
  logLevel,
  arbitrageSize,
  venueAOutcomeTakerFee,
  venueBConfirmations,
} = SETTINGS;

/** What a replay needs to know, and its own two switches. */
const REPLAY_SETTINGS = {
  dataDir,
  venues,
  log,
  store,
  schemaRegistry,
  retentionDays,
  logLevel: { ...logLevel, fallback: 'warn' },
  arbitrageSize,
  venueAOutcomeTakerFee,
  venueBConfirmations,
  verify: switchSetting({
    flag: 'verify',
    variable: 'PARALLAX_REPLAY_VERIFY',
    fallback: false,
    meaning: 'Rebuild beside what is there, compare, and change nothing; exit code 1 when something differs.',
  }),
  json: switchSetting({
    flag: 'json',
    variable: 'PARALLAX_REPLAY_JSON',
    fallback: false,
    meaning: 'Print the differences as one JSON object.',
  }),
};
type ReplaySettings = Settings & { readonly verify: boolean; readonly json: boolean };

/** Rebuilds every derived topic and table from the raw topics; the service must be stopped. */
export const replay: Command = {
  name: 'replay',
  summary: 'rebuild derived topics and tables from the raw ones; --verify compares instead',
  async run(argv) {
    if (argv.includes('--help')) {
      console.log(`npm run replay -- [settings]\n\n${settingsHelp(REPLAY_SETTINGS)}`);
      return 0;
    }
    const settings = readSettings(REPLAY_SETTINGS, argv, process.env).values as ReplaySettings;
    const ports = await openPorts(settings, { claim: false });
    try {
      if (!settings.verify) {
        await rebuildInPlace(settings, ports);
        return 0;
      }
      const differences = await verify(settings, ports);
      report(differences, settings.json);
      return differences.length === 0 ? 0 : 1;
    } finally {
      await ports.close();
    }
  },
};

function tools(settings: ReplaySettings) {
  return {
    settings,
    logger: createLogger(settings.logLevel),
    metrics: createMetrics(),
    bars: !settings.json && process.stderr.isTTY === true,
  };
}

/** Drops every projection and derives it anew; channels begin a new epoch, so clients learn of it. */
async function rebuildInPlace(settings: ReplaySettings, ports: Ports): Promise<void> {
  const stages = createStages(settings);
  const inputs = new Set(stages.flatMap((stage) => stage.inputs.map(({ topic }) => topic.name)));
  const topics = [
    ...stages.flatMap((stage) => stage.outputs),
    ...stages.map((stage) => stateTopic(stage.name)),
    ...[...inputs].map((name) => deadTopic(name)),
  ];
  await ports.log.createTopics(topics);
  for (const topic of topics) await ports.log.clearTopic(topic.name);
  for (const topic of Object.values(channelTopics)) await beginEpoch(ports.log, ports.codec, topic.name);
  for (const { name } of TABLES) await ports.store.command(`TRUNCATE TABLE ${name}`);
  await rebuild({ ...tools(settings), ports, label: 'rebuild' });
}

/**
 * First lets the live side finish what a stop left over, as its next start would; then derives everything again from
 * the raw topics into a scratch log and a second database, and compares.
 */
async function verify(settings: ReplaySettings, ports: Ports): Promise<Difference[]> {
  await rebuild({ ...tools(settings), ports, label: 'finish ' });
  // Beside the live log where there is one, since that disk has room for it; anywhere with a remote log.
  const parent = settings.log === 'embedded' ? resolve(settings.dataDir) : tmpdir();
  const scratchDir = await mkdtemp(join(parent, 'parallax-verify-'));
  const scratch = await openEmbeddedLog({ path: scratchDir });
  const database = `${ports.store.database}_verify`;
  await ports.store.command(`DROP DATABASE IF EXISTS ${database}`);
  const store = await ports.store.inDatabase(database);
  try {
    await migrate(store);
    const log = overlayLog(ports.log, scratch);
    await log.createTopics(TOPICS);
    await rebuild({ ...tools(settings), ports: { log, store, codec: ports.codec }, label: 'rebuild' });
    return [...(await compareTopics(ports.log, scratch, ports.codec)), ...(await compareTables(ports.store, store))];
  } finally {
    await ports.store.command(`DROP DATABASE IF EXISTS ${database}`);
    await scratch.close();
    await rm(scratchDir, { recursive: true, force: true });
  }
}

function report(differences: readonly Difference[], json: boolean): void {
  if (json) {
    console.log(JSON.stringify({ differences }));
    return;
  }
  for (const { table, key, expected, actual } of differences) {
    console.log(`${table} ${key}\n  expected ${expected ?? 'nothing'}\n  actual   ${actual ?? 'nothing'}`);
  }
  console.log(`${differences.length} differences`);
}
