import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TABLES } from '#schemas/tables/index';
import { declaredTable } from '#schemas/tables/migrations/declared-tables';
import { freezeSchemas, VERSIONS_FOLDER } from '../../../codec/frozen-schemas.ts';
import type { Command } from '../command.ts';

const TABLES_FILE = join('schemas', 'tables', 'migrations', 'declared-tables.json');

/** Writes a version file for the schema of every record that changed, and the tables. Runs from the project's root. */
export const freezeSchemasCommand: Command = {
  async run() {
    const written = freezeSchemas(VERSIONS_FOLDER);
    console.log(written.length > 0 ? written.join('\n') : 'no record schema has changed');
    writeFileSync(TABLES_FILE, `${JSON.stringify(TABLES.map(declaredTable), null, 2)}\n`);
    return 0;
  },
};
