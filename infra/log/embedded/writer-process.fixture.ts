/**
 * A process that writes a log, for tests that kill it: `node infra/testing/run-ts.mjs <this file> <folder> <mode>`.
 *
 * - `forever`: appends batches until it is killed and prints the last `seq` of each batch once it is acknowledged;
 * - `resume`: like `forever`, but continues after the last number of the log, with records that soon fill journal files;
 * - `on-demand`: prints `ready`, then appends one record for every input line and prints its `seq`.
 */
import { createInterface } from 'node:readline';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { openEmbeddedLog } from './open-embedded-log.ts';
import { BATCH_RECORDS, largeRecordNumber, recordNumber, WRITER_TOPIC } from './writer-records.fixture.ts';

const [path, mode] = process.argv.slice(3);
if (!path || !mode) throw new Error('usage: writer-process.fixture.ts <folder> forever|resume|on-demand');
const log = await openEmbeddedLog({ path });
await log.createTopics([{ name: WRITER_TOPIC, partitions: 2, retention: { kind: 'raw' } }]);

if (mode === 'forever' || mode === 'resume') {
  const last = await log.last({ topic: WRITER_TOPIC, partition: 0 });
  const make = mode === 'resume' ? largeRecordNumber : recordNumber;
  for (let seq = mode === 'resume' ? (last?.seq ?? 0) + 1 : 1; ; seq += BATCH_RECORDS) {
    await log.append(Array.from({ length: BATCH_RECORDS }, (_, index) => make(seq + index)));
    process.stdout.write(`${seq + BATCH_RECORDS - 1}\n`);
    await (mode === 'resume' ? sleep(4) : turn());
  }
} else {
  process.stdout.write('ready\n');
  let seq = 0;
  createInterface({ input: process.stdin }).on('line', () => {
    seq += 1;
    void log.append([recordNumber(seq)]).then(() => process.stdout.write(`${seq}\n`));
  });
}
