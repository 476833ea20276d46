import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DATA_SET_FILE, dataSetText } from '#query-api/sandbox/data-set-file';
import { INFO_RESPONSES_FILE } from '#query-api/sandbox/info-responses';
import type { Command } from '../command.ts';

/** Generates the fixed data set that sandbox keys see. Runs from the project's root. */
export const makeSandbox: Command = {
  async run() {
    const { makeDataSet, makeSandboxResponses } = await import('../sandbox/make-data-set.ts');
    const responses = await makeSandboxResponses();
    await writeFile(INFO_RESPONSES_FILE, gzipSync(JSON.stringify(responses), { level: 9 }));
    console.log(`${INFO_RESPONSES_FILE}: ${responses.length} responses`);
    const folder = await mkdtemp(join(tmpdir(), 'parallax-sandbox-'));
    try {
      const records = await makeDataSet(folder);
      const bytes = gzipSync(dataSetText(records), { level: 9 });
      await writeFile(DATA_SET_FILE, bytes);
      console.log(`${DATA_SET_FILE}: ${records.length} records, ${bytes.length} bytes`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    return 0;
  },
};
