import { freezeSchemas, VERSIONS_FOLDER } from '../../../codec/frozen-schemas.ts';
import type { Command } from '../command.ts';

/** Writes a version file for the schema of every record that changed. Runs from the project's root. */
export const freezeSchemasCommand: Command = {
  name: 'freeze-schemas',
  summary: 'write a version file for every record schema that changed (schemas/topics/versions)',
  async run() {
    const written = freezeSchemas(VERSIONS_FOLDER);
    console.log(written.length > 0 ? written.join('\n') : 'no record schema has changed');
    return 0;
  },
};
