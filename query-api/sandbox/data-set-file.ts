/** The shipped file of the data set: one JSON record per line, compressed. `npm run sandbox:make` generates it. */
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { DataSetRecord } from './data-set.ts';

/** Path from the root of the project. */
export const DATA_SET_FILE = 'query-api/sandbox/data-set.ndjson.gz';

/** Paths from this module, in the sources and in the build. */
const PATHS = ['./data-set.ndjson.gz', '../../../query-api/sandbox/data-set.ndjson.gz'];
const unzip = promisify(gunzip);

/** The uncompressed text of the file. */
export function dataSetText(records: readonly DataSetRecord[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** Reads the uncompressed text of the shipped file. */
export async function readDataSetText(): Promise<string> {
  for (const path of PATHS) {
    try {
      return (await unzip(await readFile(new URL(path, import.meta.url)))).toString('utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new Error(`${DATA_SET_FILE} is missing`);
}

/** Reads the shipped records, in merge order. */
export async function readDataSet(): Promise<DataSetRecord[]> {
  const lines = (await readDataSetText()).split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as DataSetRecord);
}
