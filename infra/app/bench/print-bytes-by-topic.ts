/**
 * Prints the size of each topic of a data directory, on disk and uncompressed: `node infra/testing/run-ts.mjs
 * infra/app/bench/print-bytes-by-topic.ts <data directory>`.
 */
import { join } from 'node:path';
import { bytesByTopic } from '../../log/embedded/bytes-by-topic.ts';

const [folder] = process.argv.slice(3);
if (!folder) throw new Error('usage: print-bytes-by-topic.ts <data directory>');
const cell = (value: number) => value.toLocaleString('en').padStart(15);
process.stdout.write(
  `${'topic'.padEnd(36)}${'records'.padStart(15)}${'on disk'.padStart(15)}${'plain'.padStart(15)}\n`,
);
for (const { topic, records, diskBytes, plainBytes } of await bytesByTopic(join(folder, 'log')))
  if (records > 0) process.stdout.write(`${topic.padEnd(36)}${cell(records)}${cell(diskBytes)}${cell(plainBytes)}\n`);
process.exit(0);
