import { randomBytes } from 'node:crypto';
import { dropDatabase } from '#schemas/tables/cluster-statements';
import { readSettings, SettingError } from '../../../config/declare.ts';
import { settingsHelp } from '../../../config/help.ts';
import { STORE_SETTINGS } from '../../../config/port-settings.ts';
import { Subject } from '../../../store/conformance/check.ts';
import { STORE_CHECKS } from '../../../store/conformance/checks.ts';
import { runChecks } from '../../../store/conformance/run-checks.ts';
import { openServerStore, parseServerUrl } from '../../../store/server.ts';
import { type Store, StoreError } from '../../../store/store.ts';
import type { Command } from '../command.ts';

/** Length of the random part of the database's name. */
const RANDOM_BYTES = 6;

/** Checks in a database of its own whether a ClickHouse server gives the guarantees of a store, and drops the database. */
export const checkStore: Command = {
  async run(argv) {
    if (argv.includes('--help')) {
      console.log(`npm run store:check -- [settings]\n\n${settingsHelp(STORE_SETTINGS)}`);
      return 0;
    }
    const { store, storePassword, storeCluster: cluster } = readSettings(STORE_SETTINGS, argv, process.env).values;
    if (store === 'embedded')
      throw new SettingError('--store must name a server; accepted: http(s)://user:pass@host:port');
    const connection = await asSetting(() => parseServerUrl(store));
    const database = `parallax_check_${randomBytes(RANDOM_BYTES).toString('hex')}`;
    const password = storePassword ?? connection.password;
    const open = () => openServerStore({ ...connection, password, database, cluster });
    const closing = new AbortController();
    const onSignal = () => {
      console.error('ending after the check that runs');
      closing.abort();
    };
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
    try {
      const root = await asSetting(open);
      try {
        return await check(root, new Subject(open), closing.signal);
      } finally {
        await root.close();
      }
    } finally {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, onSignal);
    }
  },
};

/** Prints a line for each check, and drops the database. Returns the exit code. */
async function check(root: Store, subject: Subject, signal: AbortSignal): Promise<number> {
  let failed = 0;
  let isConforming = false;
  try {
    isConforming = await runChecks(subject, STORE_CHECKS, {
      signal,
      onResult({ name, reason }) {
        if (reason !== null) failed += 1;
        console.log(reason === null ? `ok      ${name}` : `failed  ${name}: ${reason}`);
      },
    });
  } finally {
    await root.command(dropDatabase(root.database, root.cluster)).catch((error: unknown) => {
      isConforming = false;
      console.error(`the database ${root.database} could not be dropped: ${(error as Error).message}`);
    });
  }
  console.log(signal.aborted ? 'ended before the last check' : `${failed} of ${STORE_CHECKS.length} checks failed`);
  return isConforming ? 0 : 1;
}

/** What prevents the first connection is for the operator to correct, as an invalid setting is. */
async function asSetting<T>(open: () => T | Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    throw error instanceof StoreError ? new SettingError(error.message) : error;
  }
}
