import { LogError } from '../log.ts';
import type { LogEnvironment } from './environment.ts';

/** Raised whenever the storage changes so that an older or newer version would misread it. Version 1 stored no number. */
const FORMAT = 4;
const NAME = 'log';

/**
 * Writes the format version into an environment without topics, and rejects one of another version with
 * `log_other_format`; the environment is then closed and unchanged.
 */
export async function checkFormat(environment: LogEnvironment, path: string): Promise<void> {
  const stored = environment.json<number>('format');
  const found = stored?.get(NAME) ?? (hasTopics(environment) ? 1 : null);
  if (found === FORMAT) return;
  if (found === null) {
    if (environment.canWrite) environment.transact(() => stored!.putSync(NAME, FORMAT));
    return;
  }
  await environment.root.close();
  throw new LogError(
    'log_other_format',
    `the log in ${path} has format ${found}, this version reads format ${FORMAT} only; choose another --data-dir`,
  );
}

function hasTopics(environment: LogEnvironment): boolean {
  for (const _ of environment.json('topics')?.getKeys({ limit: 1 }) ?? []) return true;
  return false;
}
