import { createClusterTable, createTable } from '#schemas/tables/create-table';
import { TABLES } from '#schemas/tables/index';
import { readSettings, textSetting } from '../../../config/declare.ts';
import { settingsHelp } from '../../../config/help.ts';
import type { Command } from '../command.ts';

const DDL_SETTINGS = {
  cluster: textSetting({
    flag: 'cluster',
    variable: 'PARALLAX_DDL_CLUSTER',
    fallback: null,
    accepts: 'the name of a cluster: A-Z, a-z, 0-9 and underscores',
    pattern: /^[A-Za-z_]\w*$/,
    description: 'Print replicated and distributed tables for this cluster of ClickHouse.',
  }),
};

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
  return TABLES.flatMap((table) => (cluster === null ? [createTable(table)] : createClusterTable(table, cluster)));
}
