import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { clockTopic } from '#schemas/topics/control';
import { LogError } from '../log/log.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { lastMidnight, nextMidnight, openDailyCheckpoints } from './daily-checkpoints.ts';
import { runStage } from './run-stage.ts';
import type { Snapshot } from './snapshot.ts';
import { on, type Stage } from './stage.ts';
import { dailyCheckpointTopic } from './stage-topics.ts';
import { failingAppends, type NumbersFixture, numberTopic, openNumbers } from './testing/numbers.fixture.ts';

const DAY = 86_400_000;
const FIRST = Date.UTC(2026, 0, 15);
const [left, right, output] = [numberTopic('raw.left', 2), numberTopic('raw.right'), numberTopic('derived.test')];

interface Sum {
  total: number;
}
const add = (state: Sum, { value }: { value: { value: number; word: string; receivedAt: number } }, emit: never) => {
  state.total += value.value;
  (emit as (...args: unknown[]) => void)(output, value.word, { ...value, value: state.total });
};
const stage: Stage<Sum> = {
  name: 'test',
  inputs: [on(left, add as never), on(right, add as never)],
  outputs: [output],
  initialState: () => ({ total: 0 }),
};

let fixture: NumbersFixture;
let metrics = createMetrics();
beforeEach(async () => {
  metrics = createMetrics();
  fixture = await openNumbers([left, right, output]);
});
afterEach(() => fixture.close());

const run = (mode: 'live' | 'rebuild', log = fixture.log) =>
  runStage({
    stage,
    log,
    codec: fixture.codec,
    logger: fixture.logger,
    metrics,
    mode,
    dailyCheckpointIntervalMinMs: 0,
  });
const open = (log = fixture.log) =>
  openDailyCheckpoints<Sum>({ stage, log, codec: fixture.codec, logger: fixture.logger });

/** Each value sets its own digit, so that a sum shows which records were processed. */
const RECORDS = [
  [FIRST + 10, left, 0, 1],
  [FIRST + DAY - 1, left, 1, 10],
  [FIRST + DAY, right, 0, 100],
  [FIRST + DAY, left, 0, 1_000],
  [FIRST + DAY + 5, left, 1, 10_000],
  // A day without records.
  [FIRST + 3 * DAY + 7, right, 0, 100_000],
  [FIRST + 4 * DAY, left, 0, 1_000_000],
] as const;
const CHECKPOINTS = [
  [FIRST + DAY, 11],
  [FIRST + 3 * DAY, 11_111],
  [FIRST + 4 * DAY, 111_111],
];

function records() {
  const seqs = new Map<string, number>();
  return RECORDS.map(([receivedAt, topic, partition, value]) => {
    const name = `${topic.name}/${partition}`;
    seqs.set(name, (seqs.get(name) ?? 0) + 1);
    return fixture.record(topic, seqs.get(name)!, { receivedAt, value, word: 'a' }, partition);
  });
}
async function stored() {
  const store = await open();
  const found = await store.list();
  return Promise.all(found.map(async ({ at }) => [at, (await store.load(at))?.state.total]));
}

describe('midnights', () => {
  it('start a UTC day', () => {
    expect([lastMidnight(FIRST), nextMidnight(FIRST)]).toEqual([FIRST, FIRST + DAY]);
    expect([lastMidnight(FIRST - 1), nextMidnight(FIRST - 1)]).toEqual([FIRST - DAY, FIRST]);
  });
});

describe('the daily checkpoints of a stage', () => {
  it('contain exactly what was received before their midnight, in a rebuild', async () => {
    await fixture.log.append(records());
    await (await run('rebuild')).stopped;
    expect(await stored()).toEqual(CHECKPOINTS);
  });

  it('are the same if one rebuild ends in the middle of a day and another continues', async () => {
    const all = records();
    for (const part of [all.slice(0, 4), all.slice(4)]) {
      await fixture.log.append(part);
      await (await run('rebuild')).stopped;
    }
    expect(await stored()).toEqual(CHECKPOINTS);
  });

  it('are the same in live mode, record by record and with a restart after each', async () => {
    for (const record of records()) {
      const running = await run('live');
      await fixture.log.append([record]);
      const marks = [
        { topic: left.name, partition: 0 },
        { topic: left.name, partition: 1 },
        { topic: right.name, partition: 0 },
      ].map((at) => ({ ...at, watermark: record.receivedAt + 1 }));
      fixture.log.advance(marks);
      await expect.poll(() => running.position()).toBe(record.receivedAt + 1);
      await running.close();
    }
    expect(await stored()).toEqual(CHECKPOINTS);
  });

  it('allow deriving everything after them again, under the same numbers', async () => {
    await fixture.log.append(records());
    await (await run('rebuild')).stopped;
    const before = await fixture.values(output);
    const checkpoint = await (await open()).load(FIRST + DAY);
    await fixture.log.clearTopic(output.name);
    const { log, codec, logger } = fixture;
    const again = {
      stage,
      log,
      codec,
      logger,
      metrics: createMetrics(),
      mode: 'rebuild' as const,
      startFrom: checkpoint!,
    };
    await (await runStage(again)).stopped;
    expect(await fixture.values(output)).toEqual(before.slice(2));
  });

  it('are the start position of a stage without another snapshot, as long as all later records are stored', async () => {
    await fixture.log.append(records());
    await (await run('rebuild')).stopped;
    const before = await fixture.values(output);
    await fixture.log.clearTopic(`state.${stage.name}`);
    const again = await run('rebuild');
    await again.stopped;
    expect(again.state.total).toBe(1_111_111);
    expect((await metrics.stageRecords.get()).values[0]!.value).toBe(RECORDS.length + 1);
    expect(await fixture.values(output)).toEqual(before);

    await fixture.log.clearTopic(`state.${stage.name}`);
    for (const seq of [3, 4])
      await fixture.log.append([
        fixture.record(right, seq, { receivedAt: FIRST + 4 * DAY + seq, value: 1, word: 'a' }),
      ]);
    await sleep(3);
    await fixture.trim(Date.now());
    await expect(run('rebuild')).rejects.toMatchObject({ name: 'TrimmedInputError' });
  });

  it('are retried while the log is full, and no record of the next day is processed before', async () => {
    await fixture.log.append(records());
    let refusals = 0;
    const full = failingAppends(fixture.log, ([record]) => {
      if (record!.topic !== dailyCheckpointTopic(stage.name).name || refusals === 3) return null;
      refusals += 1;
      return new LogError('log_full', 'full');
    });
    const running = await run('rebuild', full);
    await vi.waitFor(() => expect(refusals).toBe(3), 10_000);
    expect(running.state.total).toBe(11);
    await running.stopped;
    expect(running.state.total).toBe(1_111_111);
    expect(await stored()).toEqual(CHECKPOINTS);
  });

  it('are stored if the stage stops with the last record of a day', async () => {
    const [first, second, ...others] = records();
    // The stop comes while the outputs of the day are written, which is before its daily checkpoint.
    let stop: (() => Promise<void>) | null = null;
    let stopped: Promise<void> | undefined;
    const log = failingAppends(fixture.log, (written) => {
      if (written.some(({ topic, receivedAt }) => topic === output.name && receivedAt === FIRST + DAY - 1))
        stopped ??= stop!();
      return null;
    });
    const running = await run('live', log);
    stop = () => running.close();
    await fixture.log.append([first!, second!]);
    fixture.log.advance(
      [left, left, right].map(({ name: topic }, at) => ({ topic, partition: at % 2, watermark: FIRST + DAY + 1 })),
    );
    await vi.waitFor(() => expect(stopped).toBeDefined(), 10_000);
    await stopped;
    await fixture.log.append(others);
    await (await run('rebuild')).stopped;
    expect(await stored()).toEqual(CHECKPOINTS);
  });

  const snapshot: Snapshot<Sum> = {
    state: { total: 1 },
    offsets: new Map(),
    inputSeqs: new Map(),
    outputSeqs: new Map(),
    receivedAt: FIRST,
  };
  it('are deleted once the clock shows that the raw records after them are gone', async () => {
    const store = await open();
    await fixture.codec.prepare([clockTopic]);
    const mark = (time: number, seq: number) => {
      const value = { receivedAt: time, tick: true, hour: false, day: false };
      const bytes = fixture.codec.encode(clockTopic, value);
      return [{ topic: clockTopic.name, partition: 0, key: 'clock', value: bytes, receivedAt: time, seq }];
    };
    await fixture.log.append(mark(FIRST, 1));
    for (let day = 0; day < 4; day += 1) await store.save(FIRST + day * DAY, snapshot);
    expect((await stored()).map(([at]) => at)).toEqual([0, 1, 2, 3].map((day) => FIRST + day * DAY));
    await fixture.log.append(mark(FIRST + 3 * DAY + 9, 2));
    const later = Date.now() + 10_000;
    vi.spyOn(Date, 'now').mockReturnValue(later);
    await fixture.log.append(mark(FIRST + 4 * DAY, 3));
    vi.restoreAllMocks();
    // Removes the first two marks.
    await fixture.trim(later);
    // Also from another process.
    await (await open()).save(FIRST + 4 * DAY, snapshot);
    expect((await stored()).map(([at]) => at)).toEqual([3, 4].map((day) => FIRST + day * DAY));
  });

  it('of another state version are ignored', async () => {
    await (await open()).save(FIRST, snapshot);
    const { log, codec, logger } = fixture;
    const second = await openDailyCheckpoints({ stage: { name: stage.name, stateVersion: 2 }, log, codec, logger });
    expect(await second.list()).toEqual([]);
    expect(await second.load(FIRST)).toBeNull();
  });
});
