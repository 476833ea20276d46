import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Infer, integer, record, text } from '#schemas/avro';
import { deadLetterTopic } from '#schemas/topics/control';
import { defineTopic, type Topic } from '#schemas/topics/topic';
import type { Codec } from '../codec/codec.ts';
import { createCodec } from '../codec/create-codec.ts';
import { openLogRegistry } from '../codec/log-registry.ts';
import { openEmbeddedLog } from '../log/embedded/open-embedded-log.ts';
import type { EventLog } from '../log/log.ts';
import { readPartition } from '../log/read-partition.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { runStage } from './run-stage.ts';
import { on, onKeyed, type Stage } from './stage.ts';
import type { StageMode } from './stage-loop.ts';
import { numberTopic, openNumbers } from './testing/numbers.fixture.ts';

const number = record('TestNumber', 'A number.', {
  receivedAt: integer('When.'),
  value: integer('The number.'),
  word: text('A word.'),
});
type TestNumber = Infer<typeof number>;
const topic = (name: string, partitions: number): Topic<TestNumber> =>
  defineTopic({ name, description: name, key: 'word', partitions, retention: { kind: 'derived' }, schema: number });
const [left, right, sums] = [topic('raw.test.left', 2), topic('raw.test.right', 1), topic('derived.test-sums', 2)];

interface Sums {
  total: number;
  words: Map<string, number>;
}
const onNumber = (
  state: Sums,
  value: TestNumber,
  emit: (topic: Topic<TestNumber>, key: string, value: TestNumber) => void,
) => {
  if (value.value === 13) throw new Error('unlucky');
  state.total += value.value;
  state.words.set(value.word, (state.words.get(value.word) ?? 0) + 1);
  emit(sums, value.word, { ...value, value: state.total });
};
const stage: Stage<Sums> = {
  name: 'test-sums',
  inputs: [
    on(left, (state: Sums, record, emit) => onNumber(state, record.value, emit)),
    on(right, (state: Sums, record, emit) => onNumber(state, record.value, emit)),
  ],
  outputs: [sums],
  initialState: () => ({ total: 0, words: new Map() }),
};

let folder: string;
let log: EventLog;
let codec: Codec;
const open = async () => {
  log = await openEmbeddedLog({ path: folder });
  await log.createTopics([left, right, sums]);
  codec = createCodec(await openLogRegistry(log));
  await codec.prepare([left, right, sums]);
};
const logger = pino({ level: 'silent' });
const run = (mode: StageMode = 'live') => runStage({ stage, log, codec, logger, metrics: createMetrics(), mode });

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parallax-stage-'));
  await open();
});
afterEach(async () => {
  await log.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A fixed input over three partitions with rising times and many ties. */
function inputs(count: number) {
  let seed = 7;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const seqs = new Map<string, number>();
  let receivedAt = 1_000;
  return Array.from({ length: count }, () => {
    receivedAt += Math.floor(random() * 2);
    const at = random() < 0.5 ? { topic: left, partition: Math.floor(random() * 2) } : { topic: right, partition: 0 };
    const name = `${at.topic.name}/${at.partition}`;
    seqs.set(name, (seqs.get(name) ?? 0) + 1);
    const value = { receivedAt, value: Math.floor(random() * 40), word: `w${Math.floor(random() * 9)}` };
    return {
      topic: at.topic.name,
      partition: at.partition,
      key: value.word,
      value: codec.encode(at.topic, value),
      receivedAt,
      seq: seqs.get(name)!,
    };
  });
}
const advanceAll = (watermark: number) =>
  log.advance([
    { topic: left.name, partition: 0, watermark },
    { topic: left.name, partition: 1, watermark },
    { topic: right.name, partition: 0, watermark },
  ]);

async function outputs(): Promise<string[]> {
  const found: string[] = [];
  for (let partition = 0; partition < sums.partitions; partition += 1) {
    await readPartition(log, { topic: sums.name, partition }, (entry) => {
      found.push(
        `${partition} ${entry.seq} ${entry.key} ${entry.receivedAt} ${JSON.stringify(codec.decode(sums, entry.value!))}`,
      );
    });
  }
  return found;
}

async function feedLive(records: ReturnType<typeof inputs>, restarts: number): Promise<void> {
  let running = await run();
  const every = Math.ceil(records.length / (restarts + 1));
  for (let at = 0; at < records.length; at += every) {
    const slice = records.slice(at, at + every);
    await log.append(slice);
    advanceAll(slice.at(-1)!.receivedAt);
    if (at + every < records.length) {
      await running.close();
      running = await run();
    }
  }
  advanceAll(records.at(-1)!.receivedAt + 1);
  await running.caughtUp;
  await expect.poll(() => running.position()).toBe(records.at(-1)!.receivedAt + 1);
  await running.close();
}

describe('a running stage', () => {
  it('emits the same outputs live with restarts as in one rebuild', async () => {
    const records = inputs(3_000);
    await feedLive(records, 5);
    const live = await outputs();
    expect(live.length).toBeGreaterThan(2_500);
    for (const name of [sums.name, `state.${stage.name}`]) await log.clearTopic(name);
    const rebuilt = await run('rebuild');
    await rebuilt.stopped;
    expect(await outputs()).toEqual(live);
  });

  it('writes nothing twice if its newest snapshot is lost', async () => {
    const records = inputs(500);
    await feedLive(records, 2);
    const before = await outputs();
    await log.clearTopic(`state.${stage.name}`);
    const again = await run();
    advanceAll(records.at(-1)!.receivedAt + 1);
    await again.caughtUp;
    expect(again.state.total).toBeGreaterThan(0);
    await again.close();
    expect(await outputs()).toEqual(before);
  });

  it('ends a rebuild whose last record repeats the one before, as a restarted writer may', async () => {
    const value = codec.encode(left, { receivedAt: 1, value: 1, word: 'a' });
    const base = { topic: left.name, partition: 0, key: 'a', value };
    await log.append([
      { ...base, receivedAt: 1, seq: 1 },
      { ...base, receivedAt: 1, seq: 1 },
    ]);
    const running = await run('rebuild');
    await running.stopped;
    expect(running.state.total).toBe(1);
  });

  it('writes records that fail or cannot be decoded to the dead-letter topic and continues', async () => {
    const good = codec.encode(left, { receivedAt: 1, value: 1, word: 'a' });
    const unlucky = codec.encode(left, { receivedAt: 2, value: 13, word: 'a' });
    const base = { topic: left.name, partition: 0, key: 'a' };
    await log.append([
      { ...base, value: good, receivedAt: 1, seq: 1 },
      { ...base, value: unlucky, receivedAt: 2, seq: 2 },
      { ...base, value: Buffer.from('rubbish'), receivedAt: 3, seq: 3 },
      { ...base, value: good.subarray(0, good.length - 1), receivedAt: 4, seq: 4 },
      { ...base, value: good, receivedAt: 5, seq: 5 },
    ]);
    const running = await run('rebuild');
    await running.stopped;
    expect(running.state.total).toBe(2);
    const dead = deadLetterTopic(left.name);
    const deadLetters: string[] = [];
    await readPartition(log, { topic: dead.name, partition: 0 }, (entry) => {
      const deadLetter = codec.decode(dead, entry.value!);
      deadLetters.push(`${deadLetter.offset} ${deadLetter.reason}`);
    });
    expect(deadLetters).toEqual(['1 handler_failed', '2 malformed', '3 malformed']);
  });
});

describe('a view', () => {
  const heads = numberTopic('derived.test-heads', 1, { kind: 'compacted' });
  const view: Stage<Map<string, number>> = {
    name: 'view.test',
    inputs: [
      onKeyed(heads, (state: Map<string, number>, { key, value }) => {
        if (value?.value === 13) throw new Error('unlucky');
        if (value) state.set(key, value.value);
        else state.delete(key);
      }),
    ],
    outputs: [],
    initialState: () => new Map(),
  };
  const numbersOf = (...values: number[]) =>
    values.map((value, nth) => ({ receivedAt: nth + 1, value, word: `w${nth}` }));

  it('is never behind its own position while it processes many records', async () => {
    const fixture = await openNumbers([heads]);
    try {
      const slow: Stage<Map<string, number>> = {
        ...view,
        inputs: [
          onKeyed(heads, (state: Map<string, number>, { value }) => {
            // Longer than a step works without a yield.
            for (const until = performance.now() + 12; performance.now() < until; );
            state.set('newest', value!.receivedAt);
          }),
        ],
      };
      await fixture.log.append(numbersOf(1, 2, 3, 4, 5).map((value, nth) => fixture.record(heads, nth + 1, value)));
      const running = await runStage({ ...fixture, stage: slow, logger, metrics: createMetrics(), mode: 'view' });
      const seen = new Set<number>();
      for (let newest = 0; newest < 5; await new Promise((resolve) => setImmediate(resolve))) {
        newest = running.state.get('newest') ?? 0;
        seen.add(newest);
        // Its position may be the time of the first record that it has not processed.
        expect(running.positionOf(heads) ?? 0).toBeLessThanOrEqual(newest + 1);
      }
      expect(seen.size).toBeGreaterThan(3);
      await running.close();
    } finally {
      await fixture.close();
    }
  });

  it('logs and counts a record that it cannot process, and writes nothing', async () => {
    const fixture = await openNumbers([heads]);
    try {
      await fixture.log.append(numbersOf(1, 13, 3).map((value, nth) => fixture.record(heads, nth + 1, value)));
      const metrics = createMetrics();
      const running = await runStage({ ...fixture, stage: view, metrics, mode: 'view' });
      await running.caughtUp;
      await running.close();
      expect([...running.state]).toEqual([
        ['w0', 1],
        ['w2', 3],
      ]);
      const { values } = await metrics.deadLetters.get();
      expect(values).toEqual([{ labels: { topic: heads.name, reason: 'handler_failed' }, value: 1 }]);
      expect(fixture.logged).toContainEqual(
        expect.objectContaining({
          level: 40,
          topic: heads.name,
          offset: 1,
          msg: 'skipped a record that could not be processed',
        }),
      );
      const dead = { topic: deadLetterTopic(heads.name).name, partition: 0 };
      await expect(fixture.log.bounds(dead)).rejects.toMatchObject({ code: 'log_unknown_topic' });
    } finally {
      await fixture.close();
    }
  });

  it('processes the records of a rebuilt topic although its numbers start over', async () => {
    const fixture = await openNumbers([heads]);
    try {
      await fixture.log.append(numbersOf(1, 2, 3).map((value, nth) => fixture.record(heads, nth + 1, value)));
      const running = await runStage({ ...fixture, stage: view, metrics: createMetrics(), mode: 'view' });
      await running.caughtUp;
      // On Kafka offsets continue when a topic is emptied, so its readers just see the new records.
      await fixture.log.append(numbersOf(10, 20).map((value, nth) => fixture.record(heads, nth + 1, value)));
      await expect.poll(() => [...running.state.values()]).toEqual([10, 20, 3]);
      await running.close();
    } finally {
      await fixture.close();
    }
  });
});
