import { openServerRegistry } from '../../../codec/open-codec.ts';
import { readSettings, SettingError } from '../../../config/declare.ts';
import { settingsHelp } from '../../../config/help.ts';
import { LOG_SETTINGS } from '../../../config/port-settings.ts';
import { SETTINGS } from '../../../config/settings.ts';
import { openLog } from '../../../log/open-log.ts';
import { createLogger } from '../../../telemetry/logger.ts';
import type { Command } from '../command.ts';

const RESTORE_SETTINGS = { ...LOG_SETTINGS, logLevel: { ...SETTINGS.logLevel, fallback: 'warn' } };

/** Registers the schemas of the log in an emptied registry, under the ids that its records name. */
export const restoreSchemas: Command = {
  async run(argv) {
    if (argv.includes('--help')) {
      console.log(`npm run schemas:restore -- [settings]\n\n${settingsHelp(RESTORE_SETTINGS)}`);
      return 0;
    }
    const { values } = readSettings(RESTORE_SETTINGS, argv, process.env);
    if (values.log === 'embedded' || values.schemaRegistry === null)
      throw new SettingError('--log and --schema-registry must name a cluster; accepted: kafka://host:port and a URL');
    const log = await openLog(values, { readOnly: true, logger: createLogger(values.logLevel) });
    try {
      const registry = await openServerRegistry(values, log);
      const count = await registry.restore((done, total) => console.log(`${done} of ${total}`));
      console.log(`${count} schemas are registered under the ids of the log`);
    } finally {
      await log.close();
    }
    return 0;
  },
};
