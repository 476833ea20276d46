import { readFileSync } from 'node:fs';

/** The version in package.json, found both from the sources and from the build output. */
export const VERSION: string = readVersion(['../../package.json', '../../../package.json']);

function readVersion(paths: readonly string[]): string {
  for (const path of paths) {
    try {
      return (JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as { version: string }).version;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new Error('package.json was not found next to the program');
}
