import { afterEach, beforeEach, expect, it } from 'vitest';
import type { LogRecord } from '#infra/log/log';
import { readPartition } from '#infra/log/read-partition';
import { sampleTrade } from '#schemas/tables/sample-records.fixture';
import { tradesTable } from '#schemas/tables/trades';
import { tradeTopics } from '#schemas/topics/normalised';
import { type Environment, openEnvironment } from './sink.fixture.ts';
import { SinkLag } from './sink-lag.ts';

const AT = { topic: tradeTopics.venue_b.name, partition: 0 };

let environment: Environment;
beforeEach(async () => {
  environment = await openEnvironment();
});
afterEach(() => environment.dispose());

/** Appends one trade per event time, in seconds. Returns every trade of the partition. */
async function appendAt(...seconds: number[]): Promise<LogRecord[]> {
  const { log, codec } = environment;
  const { next } = await log.bounds(AT);
  const value = codec.encode(tradeTopics.venue_b, sampleTrade);
  await log.append(
    seconds.map((second, index) => ({
      ...AT,
      key: 'k',
      value,
      receivedAt: second * 1_000,
      seq: next + index + 1,
    })),
  );
  const records: LogRecord[] = [];
  await readPartition(log, AT, (record) => records.push(record));
  return records;
}

async function lagOf(): Promise<{ records: number; seconds: number }> {
  const [records, seconds] = await Promise.all(
    [environment.metrics.sinkLagRecords, environment.metrics.sinkLagSeconds].map(async (gauge) => {
      const { values } = await gauge.get();
      return values.find(({ labels }) => labels.table === tradesTable.name)!.value;
    }),
  );
  return { records: records!, seconds: seconds! };
}

it('is what a table lacks of the records in its topics, in records and in event time', async () => {
  const [first] = await appendAt(100);
  const lag = new SinkLag(environment);
  const faults: unknown[] = [];
  await lag.start((error) => faults.push(error), 1);
  const becomes = (records: number, seconds: number) => expect.poll(lagOf).toEqual({ records, seconds });
  try {
    await becomes(1, 0);
    await appendAt(130);
    // Nothing was written yet: the time counts from the start of the measurement.
    await becomes(2, 30);
    lag.written(first!);
    await becomes(1, 30);
    const all = await appendAt(190, 200);
    await becomes(3, 100);
    lag.written(all.at(-1)!);
    await becomes(0, 0);
  } finally {
    await lag.close();
  }
  expect(faults).toEqual([]);
});
