/** Where stages begin: over inputs that retention has trimmed, and views, which begin anew each time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHealth } from '../telemetry/health.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { runStage } from './run-stage.ts';
import { on, onKeyed, type Stage } from './stage.ts';
import type { StageMode } from './stage-loop.ts';
import { type NumbersWorld, numberTopic, openNumbers } from './testing/numbers.fixture.ts';

const raw = numberTopic('raw.test', 1, { kind: 'raw' });
const compacted = numberTopic('derived.test-heads', 1, { kind: 'compacted' });

interface Seen {
  readonly values: number[];
}
const stage: Stage<Seen> = {
  name: 'test',
  inputs: [raw, compacted].map((topic) =>
    onKeyed(topic, (state: Seen, { value }) => void state.values.push(value!.value)),
  ),
  outputs: [],
  initialState: () => ({ values: [] }),
};

let world: NumbersWorld;
beforeEach(async () => {
  world = await openNumbers([raw, compacted]);
});
afterEach(() => world.close());

const [metrics, health] = [createMetrics(), createHealth()];
async function run(mode: StageMode) {
  const { log, codec, logger } = world;
  const running = await runStage({ stage, log, codec, logger, metrics, health, mode });
  await running.caughtUp;
  await running.close();
  return running.state.values;
}
const append = (seq: number, topic = raw, word = 'a') =>
  world.log.append([world.record(topic, seq, { receivedAt: seq, value: seq, word })]);
/** Appends so many, and removes those of the raw topic but the last. */
async function appendTrimmed(from: number, to: number) {
  for (let seq = from; seq <= to; seq += 1) await append(seq);
  await sleep(3);
  await world.trim(Date.now());
}

describe('a processor over a trimmed input', () => {
  it('refuses to start without a snapshot, and says what is missing', async () => {
    await appendTrimmed(1, 5);
    await expect(run('rebuild')).rejects.toMatchObject({
      name: 'TrimmedInputError',
      message: expect.stringContaining('4 of raw.test/0'),
    });
  });

  it('starts where the first records that are there are the first that ever were', async () => {
    await append(1);
    await world.log.clearTopic(raw.name);
    await append(1);
    expect(await run('rebuild')).toEqual([1]);
  });

  it('goes on from its snapshot, and tells what was removed before it took it', async () => {
    const tell = vi.spyOn(health, 'degraded');
    await append(1);
    expect(await run('rebuild')).toEqual([1]);
    await appendTrimmed(2, 5);
    expect(await run('rebuild')).toEqual([1, 5]);
    expect(world.logged).toContainEqual(
      expect.objectContaining({ level: 40, stage: 'test', topic: raw.name, partition: 0, records: 3 }),
    );
    expect((await metrics.inputRemoved.get()).values).toEqual([
      { labels: { stage: 'test', topic: raw.name }, value: 3 },
    ]);
    expect(tell).toHaveBeenCalledWith('stage test', expect.stringContaining('3 of raw.test/0'));
    expect(health.report()).toMatchObject({ status: 'ok', extras: { 'missing.test': '3 of raw.test/0' } });
  });
});

describe('a view', () => {
  it('keeps no snapshot and begins anew at each start', async () => {
    await append(1);
    await append(2, compacted);
    expect(await run('view')).toEqual([1, 2]);
    expect(await run('view')).toEqual([1, 2]);
    await expect(world.log.bounds({ topic: 'state.test', partition: 0 })).rejects.toMatchObject({
      code: 'log_unknown_topic',
    });
  });

  it('reads compacted topics whole, and of others what was appended lately', async () => {
    const real = Date.now();
    const clock = vi.spyOn(Date, 'now');
    try {
      clock.mockReturnValue(real);
      await append(1, compacted);
      await append(2);
      clock.mockReturnValue(real + 3_600_000);
      await append(3, compacted, 'b');
      await append(4);
      await append(5);
    } finally {
      clock.mockRestore();
    }
    expect((await run('view')).sort()).toEqual([1, 3, 4, 5]);
  });

  it('takes a trimmed input for what it is', async () => {
    await appendTrimmed(1, 5);
    expect(await run('view')).toEqual([5]);
  });

  it('reads at most the newest 10,000 records of a partition that is not compacted', async () => {
    const records = Array.from({ length: 10_002 }, (_, at) =>
      world.record(raw, at + 1, { receivedAt: at + 1, value: at + 1, word: 'a' }),
    );
    await world.log.append(records);
    expect((await run('view')).slice(0, 2)).toEqual([3, 4]);
  });

  it('decodes no value that no handler reads', async () => {
    const { log, codec, logger } = world;
    const seen: unknown[] = [];
    const keys: Stage<null> = {
      ...stage,
      inputs: [on(raw, (_state: null, { key, receivedAt }) => void seen.push([key, receivedAt]))],
      initialState: () => null,
    };
    await append(1);
    const running = await runStage({ stage: keys, log, codec, logger, metrics, mode: 'view' });
    // Not a value of the topic: nothing looks at it.
    await log.append([{ ...world.record(raw, 2, { receivedAt: 2, value: 2, word: 'b' }), value: Buffer.from('x') }]);
    await vi.waitFor(() =>
      expect(seen).toEqual([
        ['a', 1],
        ['b', 2],
      ]),
    );
    expect(running.positionOf(raw)).toBe(2);
    await running.close();
  });
});
