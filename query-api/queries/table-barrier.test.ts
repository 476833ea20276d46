import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestLog } from '#infra/control/open-test-log.fixture';
import type { AppendRecord, EventLog, GroupConsumer } from '#infra/log/log';
import { SINK_GROUP } from '#schemas/tables/sink-group';
import { auditTopic } from '#schemas/topics/audit';
import { changeTopic, commandTopic } from '#schemas/topics/control';
import { partitionOf } from '#schemas/topics/topic';
import { attemptTopic, deliveryTopic } from '#schemas/topics/webhooks';
import { openTableBarrier } from './table-barrier.ts';

const KEY = 'wh_a';
const ROWS = { topics: [deliveryTopic, attemptTopic], key: KEY };
const OWN_PARTITION = partitionOf(KEY, deliveryTopic.partitions);
const NEVER = new AbortController().signal;
/** A wait without pending rows ends within this time. */
const SOON_MS = 100;
const logger = pino({ level: 'silent' });

let opened: Awaited<ReturnType<typeof openTestLog>>;
let barrier: Awaited<ReturnType<typeof openTableBarrier>>;
let sink: GroupConsumer;
const receivedAt = { now: 1_000 };
beforeEach(async () => {
  opened = await openTestLog();
  receivedAt.now = 1_000;
  barrier = await open();
  sink = await opened.log.group(SINK_GROUP, [deliveryTopic.name, attemptTopic.name, auditTopic.name]);
});
afterEach(async () => {
  barrier.close();
  await sink.close();
  await opened.close();
});

function open(log: EventLog = opened.log, waitMs = 60_000) {
  const { codec } = opened;
  return openTableBarrier({ log, codec, logger, waitMs }, [deliveryTopic, attemptTopic]);
}

/** Appends a record that is never decoded. */
async function append(topic: string, partition: number): Promise<void> {
  receivedAt.now += 1;
  const record: AppendRecord = {
    topic,
    partition,
    key: KEY,
    value: Buffer.from('x'),
    receivedAt: receivedAt.now,
    seq: 0,
  };
  await opened.log.append([record]);
}
/** Commits everything that is in the log, as the sink does after inserting it. */
async function insertRows(): Promise<void> {
  for (;;) {
    const records = await sink.poll(100, 0);
    if (records.length === 0) return;
    await sink.commit(records.map(({ topic, partition, offset }) => ({ topic, partition, offset: offset + 1 })));
  }
}
/** Appends a command and returns its offset. */
async function command(): Promise<number> {
  await append(commandTopic.name, 0);
  return (await opened.log.last({ topic: commandTopic.name, partition: 0 }))!.offset;
}
/** Appends the change of a command, as ingest does. */
async function appendChange(commandOffset: number): Promise<void> {
  receivedAt.now += 1;
  const change = {
    id: `c${commandOffset}`,
    receivedAt: receivedAt.now,
    wallTime: 1,
    type: 'a',
    body: '{}',
    commandOffset,
  };
  const value = opened.codec.encode(changeTopic, change);
  await opened.log.append([
    { topic: changeTopic.name, partition: 0, key: change.id, value, receivedAt: receivedAt.now, seq: 0 },
  ]);
}
/** Advances the watermark, as the stage does once it has processed everything in the log. */
function advanceWatermark(): void {
  opened.log.advance([{ topic: auditTopic.name, partition: 0, watermark: receivedAt.now + 1 }]);
}
/** Starts a wait and records whether it has ended. */
function wait(rows: Parameters<typeof barrier.awaitRows>[0] = ROWS, signal = NEVER, on = barrier) {
  const state = { hasEnded: false, ended: Promise.resolve() };
  state.ended = on.awaitRows(rows, signal).then(() => {
    state.hasEnded = true;
  });
  return state;
}

describe('awaitRows', () => {
  it('does not wait when nothing is pending', async () => {
    const startedAt = performance.now();
    await barrier.awaitRows(ROWS, NEVER);
    await append(deliveryTopic.name, OWN_PARTITION);
    await insertRows();
    await barrier.awaitRows(ROWS, NEVER);
    expect(performance.now() - startedAt).toBeLessThan(SOON_MS);
  });

  it.each([deliveryTopic.name, attemptTopic.name])(
    'waits for the rows of the records that %s held when it began',
    async (topic) => {
      await append(topic, OWN_PARTITION);
      const waiting = wait();
      await sleep(SOON_MS);
      expect(waiting.hasEnded).toBe(false);
      await insertRows();
      await waiting.ended;
    },
  );

  it('does not wait for rows of other partitions', async () => {
    await append(deliveryTopic.name, (OWN_PARTITION + 1) % deliveryTopic.partitions);
    await barrier.awaitRows(ROWS, NEVER);
  });

  it('does not wait for records appended after it began', async () => {
    await append(deliveryTopic.name, OWN_PARTITION);
    const waiting = wait();
    await sleep(SOON_MS);
    const first = await sink.poll(100, 0);
    await append(deliveryTopic.name, OWN_PARTITION);
    await sink.commit(first.map(({ topic, partition, offset }) => ({ topic, partition, offset: offset + 1 })));
    await waiting.ended;
  });

  it('waits for the effects of a command that is not applied yet', async () => {
    const waiting = wait({ topics: [auditTopic], key: 'org' });
    await waiting.ended;
    const offset = await command();
    const [first, second] = [wait({ topics: [auditTopic], key: 'org' }), wait()];
    await sleep(SOON_MS);
    await appendChange(offset);
    await append(auditTopic.name, 0);
    await append(deliveryTopic.name, OWN_PARTITION);
    await sleep(SOON_MS);
    expect([first.hasEnded, second.hasEnded]).toEqual([false, false]);
    advanceWatermark();
    await sleep(SOON_MS);
    expect([first.hasEnded, second.hasEnded]).toEqual([false, false]);
    await insertRows();
    await Promise.all([first.ended, second.ended]);
    // The offset of the applied command is remembered.
    await barrier.awaitRows(ROWS, NEVER);
  });

  it('resolves when the time limit is reached, although rows are pending', async () => {
    const short = await open(opened.log, 150);
    await append(deliveryTopic.name, OWN_PARTITION);
    const startedAt = performance.now();
    await short.awaitRows(ROWS, NEVER);
    await command();
    await short.awaitRows(ROWS, NEVER);
    expect(performance.now() - startedAt).toBeGreaterThan(295);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it('resolves immediately when the client disconnects or the service closes', async () => {
    await append(deliveryTopic.name, OWN_PARTITION);
    const leaving = new AbortController();
    const [left, other] = [wait(ROWS, leaving.signal), wait()];
    await sleep(SOON_MS);
    leaving.abort();
    await left.ended;
    expect(other.hasEnded).toBe(false);
    barrier.close();
    await other.ended;
    await barrier.awaitRows(ROWS, NEVER);
  });

  it('resolves when the log fails or does not respond', async () => {
    const failing = Object.create(opened.log) as EventLog;
    failing.committed = () => Promise.reject(new Error('no broker'));
    await (await open(failing)).awaitRows(ROWS, NEVER);
    failing.committed = () => new Promise(() => {});
    await (await open(failing, 100)).awaitRows(ROWS, NEVER);
  });

  it('shares its requests to the log among all waiting reads', async () => {
    let requests = 0;
    const counting = Object.create(opened.log) as EventLog;
    counting.committed = (group, at) => {
      requests += 1;
      return opened.log.committed(group, at);
    };
    const shared = await open(counting);
    await append(deliveryTopic.name, OWN_PARTITION);
    const readers = Array.from({ length: 50 }, () => wait(ROWS, NEVER, shared));
    await sleep(400);
    // Each wait sends one request when it begins; after that there is one request every 20 ms.
    expect(requests).toBeLessThan(50 + 25);
    await insertRows();
    await Promise.all(readers.map(({ ended }) => ended));
    const before = requests;
    await sleep(100);
    expect(requests).toBe(before);
  });
});
