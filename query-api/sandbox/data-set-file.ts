/** The shipped file of the data set: one JSON record per line, compressed. `npm run sandbox:make` generates it. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { DataSetRecord } from './data-set.ts';

/** Path from the root of the project. */
export const DATA_SET_FILE = 'query-api/sandbox/data-set.ndjson.gz';

const unzip = promisify(gunzip);

/** The uncompressed text of the file. */
export function dataSetText(records: readonly DataSetRecord[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** Reads the uncompressed text of the shipped file. */
export const readDataSetText = (): Promise<string> => readShippedText(DATA_SET_FILE);

/** Reads a compressed file of this folder, by its path from the root of the project. */
export async function readShippedText(file: string): Promise<string> {
  const name = basename(file);
  // Paths from this module, in the sources and in the build.
  for (const path of [`./${name}`, `../../../query-api/sandbox/${name}`]) {
    try {
      return (await unzip(await readFile(new URL(path, import.meta.url)))).toString('utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new Error(`${file} is missing`);
}

/** Reads the shipped records, in merge order. */
export async function readDataSet(): Promise<DataSetRecord[]> {
  const lines = (await readDataSetText()).split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as DataSetRecord);
}
