/** Start positions: processors over trimmed inputs, and views, which start over each time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LogError } from '../log/log.ts';
import { createHealth } from '../telemetry/health.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { runStage } from './run-stage.ts';
import { after, on, onKeyed, type Stage } from './stage.ts';
import type { StageMode } from './stage-loop.ts';
import { type NumbersFixture, numberTopic, openNumbers } from './testing/numbers.fixture.ts';

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

let fixture: NumbersFixture;
beforeEach(async () => {
  fixture = await openNumbers([raw, compacted]);
});
afterEach(() => fixture.close());

const [metrics, health] = [createMetrics(), createHealth()];
async function run(mode: StageMode) {
  const { log, codec, logger } = fixture;
  const running = await runStage({ stage, log, codec, logger, metrics, health, mode });
  await running.caughtUp;
  await running.close();
  return running.state.values;
}
const append = (seq: number, topic = raw, word = 'a') =>
  fixture.log.append([fixture.record(topic, seq, { receivedAt: seq, value: seq, word })]);
/** Appends records, and removes all but the last from the raw topic. */
async function appendTrimmed(from: number, to: number) {
  for (let seq = from; seq <= to; seq += 1) await append(seq);
  await sleep(3);
  await fixture.trim(Date.now());
}

describe('a processor over a trimmed input', () => {
  it('refuses to start without a snapshot, and names the missing records', async () => {
    await appendTrimmed(1, 5);
    await expect(run('rebuild')).rejects.toMatchObject({
      name: 'TrimmedInputError',
      message: expect.stringContaining('4 of raw.test/0'),
    });
  });

  it('starts if no record was removed before the first one', async () => {
    await append(1);
    await fixture.log.clearTopic(raw.name);
    await append(1);
    expect(await run('rebuild')).toEqual([1]);
  });

  it('resumes from its snapshot, and reports the records that were removed before it processed them', async () => {
    const degraded = vi.spyOn(health, 'degraded');
    await append(1);
    expect(await run('rebuild')).toEqual([1]);
    await appendTrimmed(2, 5);
    expect(await run('rebuild')).toEqual([1, 5]);
    expect(fixture.logged).toContainEqual(
      expect.objectContaining({ level: 40, stage: 'test', topic: raw.name, partition: 0, records: 3 }),
    );
    expect((await metrics.inputRemoved.get()).values).toEqual([
      { labels: { stage: 'test', topic: raw.name }, value: 3 },
    ]);
    expect(degraded).toHaveBeenCalledWith('inputs of stage test', expect.stringContaining('3 of raw.test/0'));
    expect(health.report()).toMatchObject({ status: 'ok', extras: { 'missing.test': '3 of raw.test/0' } });
  });

  it('reports removed records until it has caught up, also after the log was unavailable in between', async () => {
    await append(1);
    await run('rebuild');
    await appendTrimmed(2, 5);
    const { log } = fixture;
    const openReader = log.reader.bind(log);
    vi.spyOn(log, 'reader').mockImplementation(async (from) => {
      const reader = await openReader(from);
      const isOfInputs = [raw, compacted].every(({ name }) => from.some(({ topic }) => topic === name));
      if (isOfInputs)
        vi.spyOn(reader, 'poll').mockRejectedValueOnce(new LogError('log_unavailable', 'no broker answers'));
      return reader;
    });
    const reports: unknown[] = [];
    const ready = vi.spyOn(health, 'ready');
    ready.mockImplementation((part) => {
      ready.mockRestore();
      health.ready(part);
      reports.push(health.report().parts);
    });
    await run('rebuild');
    expect(reports).toMatchObject([
      { 'stage test': 'ready', 'inputs of stage test': expect.stringContaining('3 of raw.test/0') },
    ]);
    expect(health.report().status).toBe('ok');
  });
});

describe('a view', () => {
  it('stores no snapshot and starts over each time', async () => {
    await append(1);
    await append(2, compacted);
    expect(await run('view')).toEqual([1, 2]);
    expect(await run('view')).toEqual([1, 2]);
    await expect(fixture.log.bounds({ topic: 'state.test', partition: 0 })).rejects.toMatchObject({
      code: 'log_unknown_topic',
    });
  });

  it('reads compacted topics completely, and the last minutes of others', async () => {
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

  it('reads a topic that heads contain from twice their delay before the newest head', async () => {
    const read = async () => {
      const seen: number[] = [];
      const follower: Stage<null> = {
        ...stage,
        inputs: [
          onKeyed(compacted, () => {}),
          after(
            { topic: compacted, delayMs: 60_000 },
            on(raw, (_state: null, { value }) => void seen.push(value.value)),
          ),
        ],
        initialState: () => null,
      };
      const { log, codec, logger } = fixture;
      const running = await runStage({ stage: follower, log, codec, logger, metrics, mode: 'view' });
      await running.caughtUp;
      await running.close();
      return seen;
    };
    const real = Date.now();
    const clock = vi.spyOn(Date, 'now');
    try {
      for (const [seq, seconds] of [0, 3_600, 3_690, 3_720, 3_800].entries()) {
        clock.mockReturnValue(real + seconds * 1_000);
        await append(seq + 1);
      }
      // Without a head everything is read.
      expect(await read()).toEqual([1, 2, 3, 4, 5]);
      const head = { receivedAt: real + 3_800_000, value: 1, word: 'a' };
      await fixture.log.append([fixture.record(compacted, 1, head)]);
      expect(await read()).toEqual([3, 4, 5]);
    } finally {
      clock.mockRestore();
    }
  });

  it('accepts a trimmed input', async () => {
    await appendTrimmed(1, 5);
    expect(await run('view')).toEqual([5]);
  });

  it('reads at most the newest 10,000 records of a partition that is not compacted', async () => {
    const records = Array.from({ length: 10_002 }, (_, at) =>
      fixture.record(raw, at + 1, { receivedAt: at + 1, value: at + 1, word: 'a' }),
    );
    await fixture.log.append(records);
    expect((await run('view')).slice(0, 2)).toEqual([3, 4]);
  });

  it('does not decode a value that no handler reads', async () => {
    const { log, codec, logger } = fixture;
    const seen: unknown[] = [];
    const keys: Stage<null> = {
      ...stage,
      inputs: [on(raw, (_state: null, { key, receivedAt }) => void seen.push([key, receivedAt]))],
      initialState: () => null,
    };
    await append(1);
    const running = await runStage({ stage: keys, log, codec, logger, metrics, mode: 'view' });
    // Not a value of the topic, but nothing decodes it.
    await log.append([{ ...fixture.record(raw, 2, { receivedAt: 2, value: 2, word: 'b' }), value: Buffer.from('x') }]);
    await expect
      .poll(() => seen)
      .toEqual([
        ['a', 1],
        ['b', 2],
      ]);
    expect(running.positionOf(raw)).toBe(2);
    await running.close();
  });
});
