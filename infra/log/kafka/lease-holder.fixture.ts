/**
 * A process that acquires a lease and writes under it, for tests that pause and kill it:
 * `node infra/testing/run-ts.mjs <this file> <broker> <lease> <topic> <timeout in ms>`.
 *
 * Prints `standby` when it waits and `held` when it holds the lease. For every input line it appends one record and
 * promises its time; then it prints the record's `seq`, or `refused <code>`. Prints `lost` when the lease is lost.
 */
import { createInterface } from 'node:readline';
import { recordOf } from '../conformance/records.fixture.ts';
import { LogError } from '../log.ts';
import { openKafkaLog } from './open-kafka-log.ts';

const [broker, name, topic, timeoutMs] = process.argv.slice(3);
if (!broker || !name || !topic || !timeoutMs) throw new Error('usage: <broker> <lease> <topic> <timeout in ms>');
const print = (line: string) => void process.stdout.write(`${line}\n`);
const log = await openKafkaLog({ brokers: [broker], leaseTimeoutMs: Number(timeoutMs) });
const lease = await log.lease(name, [topic], { onStandby: () => print('standby') });
const at = { topic, partition: 0 };
let seq = (await log.last(at))?.seq ?? 0;
lease.lost.catch(() => print('lost'));
print('held');
createInterface({ input: process.stdin }).on('line', () => {
  seq += 1;
  const record = recordOf(at, seq);
  log.append([record]).then(
    () => {
      log.advance([{ ...at, watermark: record.receivedAt }]);
      print(String(record.seq));
    },
    (error: unknown) => print(`refused ${error instanceof LogError ? error.code : String(error)}`),
  );
});
