import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTestLog } from '#infra/control/open-test-log.fixture';
import type { EventLog, GroupConsumer } from '#infra/log/log';
import { SINK_GROUP } from '#schemas/tables/sink-group';
import { attemptTopic, deliveryTopic } from '#schemas/topics/webhooks';
import { openTablePosition } from './table-position.ts';

const TOPICS = [deliveryTopic, attemptTopic];
/** Position of the view. */
const VIEWED = 9_000;
const logger = pino({ level: 'silent' });

let opened: Awaited<ReturnType<typeof openTestLog>>;
let sink: GroupConsumer;
beforeEach(async () => {
  opened = await openTestLog();
  await opened.log.createTopics(TOPICS);
  sink = await opened.log.group(
    SINK_GROUP,
    TOPICS.map(({ name }) => name),
  );
});
afterEach(async () => {
  await sink.close();
  await opened.close();
});

async function append(topic: string, ...times: readonly number[]): Promise<void> {
  await opened.log.append(
    times.map((receivedAt) => ({ topic, partition: 0, key: 'k', value: Buffer.from('x'), receivedAt, seq: 0 })),
  );
}
/** Commits the next records, as the sink does after inserting them. */
async function insert(records: number): Promise<void> {
  for (let left = records; left > 0; ) {
    const polled = await sink.poll(left, 0);
    await sink.commit(polled.map(({ topic, partition, offset }) => ({ topic, partition, offset: offset + 1 })));
    left -= polled.length;
  }
}
const asOf = (log: EventLog = opened.log, topics = TOPICS) =>
  openTablePosition({ log, logger, waitMs: 50 })(topics, VIEWED);

it('the position of the tables is the one of the view if no row is missing', async () => {
  expect(await asOf()).toBe(VIEWED);
  await append(deliveryTopic.name, 1_000, 2_000);
  await insert(2);
  expect(await asOf()).toBe(VIEWED);
});

it('the position of the tables is before the oldest record that is not inserted', async () => {
  await append(deliveryTopic.name, 1_000, 2_000, 3_000);
  expect(await asOf()).toBe(999);
  await insert(1);
  expect(await asOf()).toBe(1_999);
  await append(attemptTopic.name, 1_500);
  expect(await asOf()).toBe(1_499);
  expect(await asOf(opened.log, [deliveryTopic])).toBe(1_999);
  await insert(3);
  expect(await asOf()).toBe(VIEWED);
  await append(attemptTopic.name, VIEWED + 1_000);
  expect(await asOf()).toBe(VIEWED);
});

it('the last known position counts while the log does not respond', async () => {
  await append(deliveryTopic.name, 1_000);
  let answer: () => Promise<never> = () => new Promise(() => {});
  let responds = false;
  const log = new Proxy(opened.log, {
    get(target, name, receiver) {
      if (name === 'recordFrom' && !responds) return () => answer();
      const value = Reflect.get(target, name, receiver) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const position = openTablePosition({ log, logger, waitMs: 50 });
  expect(await position(TOPICS, VIEWED)).toBeNull();
  responds = true;
  expect(await position(TOPICS, VIEWED)).toBe(999);
  responds = false;
  expect(await position(TOPICS, VIEWED)).toBe(999);
  answer = () => Promise.reject(new Error('unavailable'));
  expect(await position(TOPICS, VIEWED)).toBe(999);
  expect(await position([attemptTopic], VIEWED)).toBeNull();
});
