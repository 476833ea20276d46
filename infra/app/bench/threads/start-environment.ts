/** The variables that `npm start` sets, so that programs of benchmarks run as they do for users. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Reads them from package.json, so that they are stated once. */
export function startEnvironment(): Record<string, string> {
  const { scripts } = JSON.parse(readFileSync(packageFile(), 'utf8')) as { scripts: { start: string } };
  return variablesOf(scripts.start);
}

/** The assignments before a command. */
export function variablesOf(command: string): Record<string, string> {
  const words = command.split(' ');
  const count = words.findIndex((word) => !/^\w+=/.test(word));
  return Object.fromEntries(
    words.slice(0, count).map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]),
  );
}

/** The nearest one above this file, which is one folder deeper when compiled. Imports with `#` need it as well. */
function packageFile(): string {
  let folder = new URL('./', import.meta.url);
  while (!existsSync(new URL('package.json', folder))) folder = new URL('../', folder);
  return fileURLToPath(new URL('package.json', folder));
}
