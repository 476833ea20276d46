import { readFileSync } from 'node:fs';

/** The version in package.json; found from the sources and from what was built alike. */
export const VERSION: string = readVersion(['../package.json', '../../package.json']);

function readVersion(paths: readonly string[]): string {
  for (const path of paths) {
    try {
      return (JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as { version: string }).version;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new Error('package.json is not where it should be');
}
