import { readFile, writeFile } from 'node:fs/promises';
import type { Command } from '../command.ts';

/** Writes the generated parts of the documentation. Runs from the project's root. */
export const docs: Command = {
  async run() {
    const { referencePage, withSettingsTable } = await import('../docs/reference.ts');
    await writeFile('docs/reference.md', referencePage());
    await writeFile('README.md', withSettingsTable(await readFile('README.md', 'utf8')));
    return 0;
  },
};
