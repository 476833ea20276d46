import { createTableStatements } from '#schemas/tables/create-table';
import { TABLES } from '#schemas/tables/index';
import { readSettings } from '../../../config/declare.ts';
import { settingsHelp } from '../../../config/help.ts';
import { STORE_SETTINGS } from '../../../config/port-settings.ts';
import type { Command } from '../command.ts';

const DDL_SETTINGS = { cluster: STORE_SETTINGS.storeCluster };

/** Prints the statements that create the tables. */
export const ddl: Command = {
  async run(argv) {
    if (argv.includes('--help')) {
      console.log(`npm run ddl -- [settings]\n\n${settingsHelp(DDL_SETTINGS)}`);
      return 0;
    }
    const { cluster } = readSettings(DDL_SETTINGS, argv, process.env).values;
    for (const statement of statements(cluster)) console.log(`${statement};\n`);
    return 0;
  },
};

/** Every statement, in the order in which they have to run. */
export function statements(cluster: string | null): string[] {
  return TABLES.flatMap((table) => createTableStatements(table, cluster));
}
