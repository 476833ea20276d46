/**
 * A process that writes a log, for tests that kill it: `node infra/testing/run-ts.mjs <this file> <folder> <mode>`.
 *
 * - `forever`: appends batches until it dies and prints the last `seq` of each batch once it is acknowledged;
 * - `on-demand`: prints `ready`, then appends one record for every line that it is given and prints its `seq`.
 */
import { createInterface } from 'node:readline';
import { openEmbeddedLog } from './open-embedded-log.ts';
import { BATCH_RECORDS, recordNumber, WRITER_TOPIC } from './writer-records.fixture.ts';

const [path, mode] = process.argv.slice(3);
if (!path || !mode) throw new Error('usage: writer-process.fixture.ts <folder> forever|on-demand');
const log = await openEmbeddedLog({ path });
await log.createTopics([{ name: WRITER_TOPIC, partitions: 2, retention: { kind: 'raw' } }]);

if (mode === 'forever') {
  for (let seq = 1; ; seq += BATCH_RECORDS) {
    await log.append(Array.from({ length: BATCH_RECORDS }, (_, index) => recordNumber(seq + index)));
    process.stdout.write(`${seq + BATCH_RECORDS - 1}\n`);
    await new Promise((resolve) => setImmediate(resolve));
  }
} else {
  process.stdout.write('ready\n');
  let seq = 0;
  createInterface({ input: process.stdin }).on('line', () => {
    seq += 1;
    void log.append([recordNumber(seq)]).then(() => process.stdout.write(`${seq}\n`));
  });
}
