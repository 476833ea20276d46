import { describe, expect, it } from 'vitest';
import { LogError } from '#infra/log/log';
import type { DeadLetter } from '#schemas/topics/control';
import { MemoryLog } from '../testing/memory-log.fixture.ts';
import { openTestPublisher } from '../testing/open-publisher.fixture.ts';
import { redriveRaw } from './redrive.ts';

const TOPIC = 'raw.venue_a.info';
const START = 1_700_000_001_000;
const FEED = 'venue_a.info';

const letterOf = (offset: number, stage: string): { key: string; letter: DeadLetter } => ({
  key: `${stage}/0/${offset}`,
  letter: {
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

/** The letter of a record that stands in the log. */
function letterFor(log: MemoryLog, offset: number) {
  const { value, receivedAt } = log.of(TOPIC)[offset]!;
  const { key, letter } = letterOf(offset, 'one');
  return { key, letter: { ...letter, value, receivedAt } };
}

async function ingestOnce(log: MemoryLog, now: () => number, count: number, payload?: string) {
  const { publisher } = await openTestPublisher({ log, now });
  for (let index = 0; index < count; index += 1)
    publisher.receive({ source: FEED, feed: FEED, payload: payload ?? `frame ${index}` });
  await publisher.flush();
  await publisher.close();
}

describe('driving dead letters again', () => {
  it('appends each record once, numbered on, not before what was promised, and removes the letters', async () => {
    const log = new MemoryLog();
    let now = START;
    await ingestOnce(log, () => now++, 3);
    const letters = [letterOf(0, 'one'), letterOf(0, 'two'), letterOf(2, 'one')];
    // The log in memory refuses what goes below a promise.
    const promised = log.watermarks.get(`${TOPIC}/0`)!;
    await redriveRaw(log, TOPIC, letters);
    const written = log.of(TOPIC).slice(3);
    expect(written.map(({ seq, value }) => [seq, value!.toString()])).toEqual([
      [4, 'value 0'],
      [5, 'value 2'],
    ]);
    for (const { receivedAt } of written) expect(receivedAt).toBeGreaterThanOrEqual(promised);
    expect(log.of(`dead.${TOPIC}`).map(({ key, value }) => [key, value])).toEqual(
      letters.map(({ key }) => [key, null]),
    );
    // Ingest goes on behind them.
    now += 60_000;
    await ingestOnce(log, () => now++, 1);
    expect(log.of(TOPIC).at(-1)).toMatchObject({ seq: 6 });
  });

  it('puts no record in twice when it was cut off between the records and the letters, though ingest ran since', async () => {
    const log = new MemoryLog();
    let now = START;
    await ingestOnce(log, () => now++, 3);
    const letters = [0, 1, 2].map((offset) => letterFor(log, offset));
    const append = log.append.bind(log);
    log.append = async (records) => {
      if (records[0]!.topic.startsWith('dead.')) throw new LogError('log_unavailable', 'cut off');
      await append(records);
    };
    await expect(redriveRaw(log, TOPIC, letters)).rejects.toMatchObject({ code: 'log_unavailable' });
    expect(log.of(TOPIC)).toHaveLength(6);
    log.append = append;
    now += 60_000;
    await ingestOnce(log, () => now++, 2);
    // One of them came after the cut.
    const fresh = letterFor(log, 6);
    await redriveRaw(log, TOPIC, [...letters, fresh]);
    expect(log.of(TOPIC).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(log.of(TOPIC).at(-1)!.value).toEqual(fresh.letter.value);
    expect(log.of(`dead.${TOPIC}`)).toHaveLength(4);
  });

  it('drives a copy again that was refused as its record was, and each of two records that are the same', async () => {
    const log = new MemoryLog();
    // Both in one millisecond.
    await ingestOnce(log, () => START, 2, 'same');
    const both = [letterFor(log, 0), letterFor(log, 1)];
    await redriveRaw(log, TOPIC, both);
    expect(log.of(TOPIC)).toHaveLength(4);
    // As if neither the letters of the records nor those of the copies had been removed.
    await redriveRaw(log, TOPIC, [...both, letterFor(log, 2), letterFor(log, 3)]);
    expect(log.of(TOPIC)).toHaveLength(6);
    const [copy, , again] = log.of(TOPIC).slice(2);
    expect(again!.receivedAt).toBeGreaterThan(copy!.receivedAt);
    await redriveRaw(
      log,
      TOPIC,
      [0, 1, 2, 3].map((offset) => letterFor(log, offset)),
    );
    expect(log.of(TOPIC)).toHaveLength(6);
  });

  it('appends some at a time, each with its letters', async () => {
    const log = new MemoryLog();
    let now = START;
    await ingestOnce(log, () => now++, 600);
    const before = log.batches.length;
    await redriveRaw(
      log,
      TOPIC,
      Array.from({ length: 600 }, (_, offset) => letterFor(log, offset)),
    );
    const written = log.batches.slice(before).map((batch) => `${batch.length} ${batch[0]!.topic}`);
    expect(written).toEqual([256, 256, 88].flatMap((count) => [`${count} ${TOPIC}`, `${count} dead.${TOPIC}`]));
  });

  it('writes nothing while a process takes the world in', async () => {
    const log = new MemoryLog();
    const asked: [string, readonly string[]][] = [];
    const locked: MemoryLog = Object.assign(log, {
      lease: async (name: string, topics: readonly string[]) => {
        asked.push([name, topics]);
        throw new LogError('log_locked', 'another process holds the lease ingest');
      },
    });
    await expect(redriveRaw(locked, TOPIC, [letterOf(0, 'one')])).rejects.toMatchObject({ code: 'log_locked' });
    expect(asked).toEqual([['ingest', [TOPIC]]]);
    expect(log.batches).toEqual([]);
  });
});
