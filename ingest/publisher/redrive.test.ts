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

async function ingestOnce(log: MemoryLog, now: () => number, count: number) {
  const { publisher } = await openTestPublisher({ log, now });
  for (let index = 0; index < count; index += 1)
    publisher.receive({ source: FEED, feed: FEED, payload: `frame ${index}` });
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
