import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { clockTopic } from '#schemas/topics/control';
import { LogError } from '../log/log.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { lastMidnight, nextMidnight, openCuts } from './cuts.ts';
import { runStage } from './run-stage.ts';
import type { Snapshot } from './snapshot.ts';
import { on, type Stage } from './stage.ts';
import { cutTopic } from './stage-topics.ts';
import { failingAppends, type NumbersWorld, numberTopic, openNumbers } from './testing/numbers.fixture.ts';

const DAY = 86_400_000;
const FIRST = Date.UTC(2026, 0, 15);
const [left, right, output] = [numberTopic('raw.left', 2), numberTopic('raw.right'), numberTopic('derived.test')];

interface Sum {
  total: number;
}
const add = (state: Sum, { value }: { value: { value: number; word: string; receivedAt: number } }, emit: never) => {
  state.total += value.value;
  (emit as (...given: unknown[]) => void)(output, value.word, { ...value, value: state.total });
};
const stage: Stage<Sum> = {
  name: 'test',
  inputs: [on(left, add as never), on(right, add as never)],
  outputs: [output],
  initialState: () => ({ total: 0 }),
};

let world: NumbersWorld;
let metrics = createMetrics();
beforeEach(async () => {
  metrics = createMetrics();
  world = await openNumbers([left, right, output]);
});
afterEach(() => world.close());

const run = (mode: 'live' | 'rebuild', log = world.log) =>
  runStage({ stage, log, codec: world.codec, logger: world.logger, metrics, mode, cutIntervalMinMs: 0 });
const open = (log = world.log) => openCuts<Sum>({ stage, log, codec: world.codec, logger: world.logger });

/** Each is worth a digit of its own, so that a sum tells which were taken. */
const EVENTS = [
  [FIRST + 10, left, 0, 1],
  [FIRST + DAY - 1, left, 1, 10],
  [FIRST + DAY, right, 0, 100],
  [FIRST + DAY, left, 0, 1_000],
  [FIRST + DAY + 5, left, 1, 10_000],
  // A day without any.
  [FIRST + 3 * DAY + 7, right, 0, 100_000],
  [FIRST + 4 * DAY, left, 0, 1_000_000],
] as const;
const CUTS = [
  [FIRST + DAY, 11],
  [FIRST + 3 * DAY, 11_111],
  [FIRST + 4 * DAY, 111_111],
];

function records() {
  const seqs = new Map<string, number>();
  return EVENTS.map(([receivedAt, topic, partition, value]) => {
    const name = `${topic.name}/${partition}`;
    seqs.set(name, (seqs.get(name) ?? 0) + 1);
    return world.record(topic, seqs.get(name)!, { receivedAt, value, word: 'a' }, partition);
  });
}
async function kept() {
  const cuts = await open();
  const found = await cuts.list();
  return Promise.all(found.map(async ({ at }) => [at, (await cuts.load(at))?.state.total]));
}

describe('midnights', () => {
  it('begin a UTC day', () => {
    expect([lastMidnight(FIRST), nextMidnight(FIRST)]).toEqual([FIRST, FIRST + DAY]);
    expect([lastMidnight(FIRST - 1), nextMidnight(FIRST - 1)]).toEqual([FIRST - DAY, FIRST]);
  });
});

describe('the cuts of a stage', () => {
  it('hold exactly what was received before their midnight, in a rebuild', async () => {
    await world.log.append(records());
    await (await run('rebuild')).stopped;
    expect(await kept()).toEqual(CUTS);
  });

  it('are the same where one rebuild ends in the middle of a day and another goes on', async () => {
    const all = records();
    for (const part of [all.slice(0, 4), all.slice(4)]) {
      await world.log.append(part);
      await (await run('rebuild')).stopped;
    }
    expect(await kept()).toEqual(CUTS);
  });

  it('are the same live, record by record and with a restart after each', async () => {
    for (const record of records()) {
      const running = await run('live');
      await world.log.append([record]);
      const marks = [
        { topic: left.name, partition: 0 },
        { topic: left.name, partition: 1 },
        { topic: right.name, partition: 0 },
      ].map((at) => ({ ...at, watermark: record.receivedAt + 1 }));
      world.log.advance(marks);
      await expect.poll(() => running.position()).toBe(record.receivedAt + 1);
      await running.close();
    }
    expect(await kept()).toEqual(CUTS);
  });

  it('let everything after them be derived again, under the same numbers', async () => {
    await world.log.append(records());
    await (await run('rebuild')).stopped;
    const before = await world.values(output);
    const cut = await (await open()).load(FIRST + DAY);
    await world.log.clearTopic(output.name);
    const { log, codec, logger } = world;
    const again = { stage, log, codec, logger, metrics: createMetrics(), mode: 'rebuild' as const, startFrom: cut! };
    await (await runStage(again)).stopped;
    expect(await world.values(output)).toEqual(before.slice(2));
  });

  it('are where a stage begins that has no other snapshot, as long as all that follows is kept', async () => {
    await world.log.append(records());
    await (await run('rebuild')).stopped;
    const before = await world.values(output);
    await world.log.clearTopic(`state.${stage.name}`);
    const again = await run('rebuild');
    await again.stopped;
    expect(again.state.total).toBe(1_111_111);
    expect((await metrics.stageEvents.get()).values[0]!.value).toBe(EVENTS.length + 1);
    expect(await world.values(output)).toEqual(before);

    await world.log.clearTopic(`state.${stage.name}`);
    for (const seq of [3, 4])
      await world.log.append([world.record(right, seq, { receivedAt: FIRST + 4 * DAY + seq, value: 1, word: 'a' })]);
    await sleep(3);
    await world.trim(Date.now());
    await expect(run('rebuild')).rejects.toMatchObject({ name: 'TrimmedInputError' });
  });

  it('are tried again while the log cannot take one, and nothing of the next day is taken before', async () => {
    await world.log.append(records());
    let refusals = 0;
    const full = failingAppends(world.log, ([record]) => {
      if (record!.topic !== cutTopic(stage.name).name || refusals === 3) return null;
      refusals += 1;
      return new LogError('log_full', 'full');
    });
    const running = await run('rebuild', full);
    await vi.waitFor(() => expect(refusals).toBe(3), 10_000);
    expect(running.state.total).toBe(11);
    await running.stopped;
    expect(running.state.total).toBe(1_111_111);
    expect(await kept()).toEqual(CUTS);
  });

  it('are kept where a stop comes with the last event of a day', async () => {
    const [first, second, ...others] = records();
    // The stop comes while the outputs of the day are written, which is before its cut.
    let stop: (() => Promise<void>) | null = null;
    let stopped: Promise<void> | undefined;
    const log = failingAppends(world.log, (written) => {
      if (written.some(({ topic, receivedAt }) => topic === output.name && receivedAt === FIRST + DAY - 1))
        stopped ??= stop!();
      return null;
    });
    const running = await run('live', log);
    stop = () => running.close();
    await world.log.append([first!, second!]);
    world.log.advance(
      [left, left, right].map(({ name: topic }, at) => ({ topic, partition: at % 2, watermark: FIRST + DAY + 1 })),
    );
    await vi.waitFor(() => expect(stopped).toBeDefined(), 10_000);
    await stopped;
    await world.log.append(others);
    await (await run('rebuild')).stopped;
    expect(await kept()).toEqual(CUTS);
  });

  const snapshot: Snapshot<Sum> = {
    state: { total: 1 },
    offsets: new Map(),
    inputSeqs: new Map(),
    outputSeqs: new Map(),
    receivedAt: FIRST,
  };
  it('are dropped once the clock says that the raw records since then are gone', async () => {
    const store = await open();
    await world.codec.prepare([clockTopic]);
    const mark = (time: number, seq: number) => {
      const value = { receivedAt: time, tick: true, hour: false, day: false };
      const bytes = world.codec.encode(clockTopic, value);
      return [{ topic: clockTopic.name, partition: 0, key: 'clock', value: bytes, receivedAt: time, seq }];
    };
    await world.log.append(mark(FIRST, 1));
    for (let day = 0; day < 4; day += 1) await store.save(FIRST + day * DAY, snapshot);
    expect((await kept()).map(([at]) => at)).toEqual([0, 1, 2, 3].map((day) => FIRST + day * DAY));
    await world.log.append(mark(FIRST + 3 * DAY + 9, 2));
    const later = Date.now() + 10_000;
    vi.spyOn(Date, 'now').mockReturnValue(later);
    await world.log.append(mark(FIRST + 4 * DAY, 3));
    vi.restoreAllMocks();
    // The first two marks go.
    await world.trim(later);
    // From another process, too.
    await (await open()).save(FIRST + 4 * DAY, snapshot);
    expect((await kept()).map(([at]) => at)).toEqual([3, 4].map((day) => FIRST + day * DAY));
  });

  it('of another version of the state are not there', async () => {
    await (await open()).save(FIRST, snapshot);
    const { log, codec, logger } = world;
    const second = await openCuts({ stage: { name: stage.name, stateVersion: 2 }, log, codec, logger });
    expect(await second.list()).toEqual([]);
    expect(await second.load(FIRST)).toBeNull();
  });
});
