/** The data set as it is shipped: one record a line, in JSON, compressed. `npm run sandbox:make` makes it. */
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { DataSetRecord } from './data-set.ts';

/** From the project's root. */
export const DATA_SET_FILE = 'query-api/sandbox/data-set.ndjson.gz';

/** From the sources, and from what was built. */
const PLACES = ['./data-set.ndjson.gz', '../../../query-api/sandbox/data-set.ndjson.gz'];
const unzip = promisify(gunzip);

/** The text of the file before it is compressed. */
export function dataSetText(records: readonly DataSetRecord[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** The text that is shipped. */
export async function readDataSetText(): Promise<string> {
  for (const place of PLACES) {
    try {
      return (await unzip(await readFile(new URL(place, import.meta.url)))).toString('utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new Error(`${DATA_SET_FILE} is missing`);
}

/** The records that are shipped, in the merged order of stages. */
export async function readDataSet(): Promise<DataSetRecord[]> {
  const lines = (await readDataSetText()).split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as DataSetRecord);
}
