import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readSettings as readRecordedSettings } from '#processors/settings/recorded-settings';
import { createStagesOverTime } from '#processors/stages';
import { readSettings, switchSetting } from '../../../config/declare.ts';
import { settingsHelp } from '../../../config/help.ts';
import { LOG_SETTINGS, STORE_SETTINGS } from '../../../config/port-settings.ts';
import { recordedSettings, SETTINGS, type Settings } from '../../../config/settings.ts';
import { createLogger } from '../../../telemetry/logger.ts';
import { createMetrics } from '../../../telemetry/metrics.ts';
import type { Command } from '../command.ts';
import { openPorts } from '../ports.ts';
import type { Verification } from '../replay/difference.ts';
import { type Replay, rebuildInPlace } from '../replay/rebuild-in-place.ts';
import { runExclusively } from '../replay/run-exclusively.ts';
import { verifyAgainstRebuild } from '../replay/verify.ts';

/** The service's settings that a replay uses, and two switches of its own. */
const REPLAY_SETTINGS = {
  ...LOG_SETTINGS,
  ...STORE_SETTINGS,
  venues: SETTINGS.venues,
  logLevel: { ...SETTINGS.logLevel, fallback: 'warn' },
  ...recordedSettings,
  verify: switchSetting({
    flag: 'verify',
    variable: 'PARALLAX_REPLAY_VERIFY',
    fallback: false,
    description:
      'Rebuild into a separate log and database, compare, and change nothing; exit code 1 if something differs.',
  }),
  json: switchSetting({
    flag: 'json',
    variable: 'PARALLAX_REPLAY_JSON',
    fallback: false,
    description: 'Print the differences and the pending counts as one JSON object.',
  }),
};
type ReplaySettings = Settings & { readonly verify: boolean; readonly json: boolean };

/** Rebuilds every derived topic and table from the raw topics; the service must be stopped. */
export const replay: Command = {
  async run(argv) {
    if (argv.includes('--help')) {
      console.log(`npm run replay -- [settings]\n\n${settingsHelp(REPLAY_SETTINGS)}`);
      return 0;
    }
    const settings = readSettings(REPLAY_SETTINGS, argv, process.env).values as ReplaySettings;
    const logger = createLogger(settings.logLevel);
    const ports = await openPorts(settings, { claim: false, logger });
    try {
      // Uses the settings that are recorded in this log, and the given ones where none is recorded.
      const stages = createStagesOverTime(await readRecordedSettings(ports.log, ports.codec, settings));
      const replayed: Replay = {
        ports,
        stages,
        threads: settings,
        logger,
        metrics: createMetrics(),
        bars: !settings.json && process.stderr.isTTY === true,
      };
      return await runExclusively({ log: ports.log, logger }, stages, () => replayWith(replayed, settings));
    } finally {
      await ports.close();
    }
  },
};

async function replayWith(
  replay: Replay,
  { verify, json, log, dataDir, retentionDays }: ReplaySettings,
): Promise<number> {
  if (!verify) {
    await rebuildInPlace(replay, log);
    return 0;
  }
  const verification = await verifyAgainstRebuild(replay, { scratchDir: scratchDirOf(log, dataDir), retentionDays });
  report(verification, json);
  return verification.differences.length === 0 ? 0 : 1;
}

/**
 * Folder of the scratch log: always the same for a log, of which no two are verified at once, so that a verification
 * removes what one before it left behind when it was killed.
 */
function scratchDirOf(log: string, dataDir: string): string {
  // The disk of an embedded log has room for a scratch log. A remote log has no folder here.
  if (log === 'embedded') return join(resolve(dataDir), 'verify');
  const name = createHash('sha256').update(log).digest('hex').slice(0, 16);
  return join(tmpdir(), `parallax-verify-${name}`);
}

function report({ differences, pending }: Verification, json: boolean): void {
  if (json) {
    console.log(JSON.stringify({ differences, pending }));
    return;
  }
  for (const { table, topic, key, expected, actual } of differences) {
    console.log(
      `${table ?? `topic ${topic}`} ${key}\n  expected ${expected ?? 'nothing'}\n  actual   ${actual ?? 'nothing'}`,
    );
  }
  for (const [name, count] of Object.entries(pending))
    console.log(
      `${name}: ${count} not yet written when the service stopped; the next start writes them, or npm run replay if the topic or table is new`,
    );
  console.log(`${differences.length} differences`);
}
