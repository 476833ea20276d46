import { describe, expect, it } from 'vitest';
import { LogError } from '#infra/log/log';
import type { DeadLetter } from '#schemas/topics/control';
import { MemoryLog } from '../testing/memory-log.fixture.ts';
import { openTestPublisher } from '../testing/open-publisher.fixture.ts';
import { redriveRaw } from './redrive.ts';

const TOPIC = 'raw.venue_a.info';
const START = 1_700_000_001_000;
const FEED = 'venue_a.info';

const storedDeadLetter = (offset: number, stage: string): { key: string; deadLetter: DeadLetter } => ({
  key: `${stage}/0/${offset}`,
  deadLetter: {
    receivedAt: START,
    stage,
    topic: TOPIC,
    partition: 0,
    offset,
    key: FEED,
    reason: 'malformed_json',
    detail: '',
    value: Buffer.from(`value ${offset}`),
  },
});

/** The dead letter of a record that is in the log. */
function deadLetterFor(log: MemoryLog, offset: number) {
  const { value, receivedAt } = log.of(TOPIC)[offset]!;
  const { key, deadLetter } = storedDeadLetter(offset, 'one');
  return { key, deadLetter: { ...deadLetter, value, receivedAt } };
}

async function ingestOnce(log: MemoryLog, now: () => number, count: number, payload?: string) {
  const { publisher } = await openTestPublisher({ log, now });
  for (let index = 0; index < count; index += 1)
    publisher.receive({ source: FEED, feed: FEED, payload: payload ?? `frame ${index}` });
  await publisher.flush();
  await publisher.close();
}

describe('redriving dead letters', () => {
  it('appends each record once, numbered on, at or above the watermark, and removes the dead letters', async () => {
    const log = new MemoryLog();
    let now = START;
    await ingestOnce(log, () => now++, 3);
    const deadLetters = [storedDeadLetter(0, 'one'), storedDeadLetter(0, 'two'), storedDeadLetter(2, 'one')];
    // The log in memory refuses records below a watermark.
    const watermark = log.watermarks.get(`${TOPIC}/0`)!;
    await redriveRaw(log, TOPIC, deadLetters);
    const written = log.of(TOPIC).slice(3);
    expect(written.map(({ seq, value }) => [seq, value!.toString()])).toEqual([
      [4, 'value 0'],
      [5, 'value 2'],
    ]);
    for (const { receivedAt } of written) expect(receivedAt).toBeGreaterThanOrEqual(watermark);
    expect(log.of(`dead.${TOPIC}`).map(({ key, value }) => [key, value])).toEqual(
      deadLetters.map(({ key }) => [key, null]),
    );
    // Ingest continues after them.
    now += 60_000;
    await ingestOnce(log, () => now++, 1);
    expect(log.of(TOPIC).at(-1)).toMatchObject({ seq: 6 });
  });

  it('appends no record twice if it was interrupted before it removed the dead letters, though ingest ran since', async () => {
    const log = new MemoryLog();
    let now = START;
    await ingestOnce(log, () => now++, 3);
    const deadLetters = [0, 1, 2].map((offset) => deadLetterFor(log, offset));
    const append = log.append.bind(log);
    log.append = async (records) => {
      if (records[0]!.topic.startsWith('dead.')) throw new LogError('log_unavailable', 'cut off');
      await append(records);
    };
    await expect(redriveRaw(log, TOPIC, deadLetters)).rejects.toMatchObject({ code: 'log_unavailable' });
    expect(log.of(TOPIC)).toHaveLength(6);
    log.append = append;
    now += 60_000;
    await ingestOnce(log, () => now++, 2);
    // One of them came after the interruption.
    const fresh = deadLetterFor(log, 6);
    await redriveRaw(log, TOPIC, [...deadLetters, fresh]);
    expect(log.of(TOPIC).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(log.of(TOPIC).at(-1)!.value).toEqual(fresh.deadLetter.value);
    expect(log.of(`dead.${TOPIC}`)).toHaveLength(4);
  });

  it('redrives a copy that was refused like its record, and each of two equal records', async () => {
    const log = new MemoryLog();
    // Both in one millisecond.
    await ingestOnce(log, () => START, 2, 'same');
    const both = [deadLetterFor(log, 0), deadLetterFor(log, 1)];
    await redriveRaw(log, TOPIC, both);
    expect(log.of(TOPIC)).toHaveLength(4);
    // The dead letters of the records and those of the copies are all still there.
    await redriveRaw(log, TOPIC, [...both, deadLetterFor(log, 2), deadLetterFor(log, 3)]);
    expect(log.of(TOPIC)).toHaveLength(6);
    const [copy, , again] = log.of(TOPIC).slice(2);
    expect(again!.receivedAt).toBeGreaterThan(copy!.receivedAt);
    await redriveRaw(
      log,
      TOPIC,
      [0, 1, 2, 3].map((offset) => deadLetterFor(log, offset)),
    );
    expect(log.of(TOPIC)).toHaveLength(6);
  });

  it('appends records in batches, each followed by the removal of its dead letters', async () => {
    const log = new MemoryLog();
    let now = START;
    await ingestOnce(log, () => now++, 600);
    const before = log.batches.length;
    await redriveRaw(
      log,
      TOPIC,
      Array.from({ length: 600 }, (_, offset) => deadLetterFor(log, offset)),
    );
    const written = log.batches.slice(before).map((batch) => `${batch.length} ${batch[0]!.topic}`);
    expect(written).toEqual([256, 256, 88].flatMap((count) => [`${count} ${TOPIC}`, `${count} dead.${TOPIC}`]));
  });

  it('writes nothing while an ingest process runs', async () => {
    const log = new MemoryLog();
    const leases: [string, readonly string[]][] = [];
    const locked: MemoryLog = Object.assign(log, {
      lease: async (name: string, topics: readonly string[]) => {
        leases.push([name, topics]);
        throw new LogError('log_locked', 'another process holds the lease ingest');
      },
    });
    await expect(redriveRaw(locked, TOPIC, [storedDeadLetter(0, 'one')])).rejects.toMatchObject({ code: 'log_locked' });
    expect(leases).toEqual([['ingest', [TOPIC]]]);
    expect(log.batches).toEqual([]);
  });
});
