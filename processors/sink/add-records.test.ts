import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { LogRecord } from '#infra/log/log';
import { readPartition } from '#infra/log/read-partition';
import { sampleTrade } from '#schemas/tables/sample-records.fixture';
import { tradeTopics } from '#schemas/topics/normalised';
import { partitionOf } from '#schemas/topics/topic';
import { addRecords, RECORDS_PER_TURN } from './add-records.ts';
import { Batch } from './batch.ts';
import { Persistence } from './persistence.ts';
import { type Environment, openEnvironment } from './sink.fixture.ts';

let environment: Environment;
beforeEach(async () => {
  environment = await openEnvironment();
});
afterEach(() => environment.dispose());

it('converts many records in several turns, between which other work gets its own', async () => {
  const count = 2 * RECORDS_PER_TURN + 1;
  await environment.appendTrades(Array.from({ length: count }, (_, at) => ({ id: `t${at}`, arrival: at })));
  const { name, partitions } = tradeTopics.venue_b;
  const records: LogRecord[] = [];
  await readPartition(
    environment.log,
    { topic: name, partition: partitionOf(sampleTrade.instrument, partitions) },
    (record) => void records.push(record),
  );
  const batch = new Batch();
  /** Counts of converted records, one at each turn of other work. */
  const seen = new Set<number>();
  const look = () => {
    seen.add(batch.records);
    running = setImmediate(look);
  };
  let running = setImmediate(look);
  const persistence = new Persistence({
    logger: pino({ level: 'silent' }),
    closing: new AbortController().signal,
  });
  await addRecords(records, batch, environment.codec, persistence);
  clearImmediate(running);
  expect(records).toHaveLength(count);
  expect([...seen]).toEqual([RECORDS_PER_TURN, 2 * RECORDS_PER_TURN]);
  expect(batch.records).toBe(count);
});
