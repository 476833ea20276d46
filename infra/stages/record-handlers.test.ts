/** Records that cannot be processed immediately: unknown schemas, and an unavailable registry or log. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deadLetterTopic } from '#schemas/topics/control';
import { type Codec, CodecError } from '../codec/codec.ts';
import { RegistryError } from '../codec/confluent-registry.ts';
import { createCodec } from '../codec/create-codec.ts';
import { LogError } from '../log/log.ts';
import { readPartition } from '../log/read-partition.ts';
import { createHealth } from '../telemetry/health.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { runStage } from './run-stage.ts';
import { on, type Stage } from './stage.ts';
import { failingAppends, type NumbersFixture, numberTopic, openNumbers } from './testing/numbers.fixture.ts';

const [input, output] = [numberTopic('raw.test'), numberTopic('derived.test')];
const stage: Stage<{ total: number }> = {
  name: 'test',
  inputs: [
    on(input, (state: { total: number }, { value }, emit) => {
      state.total += value.value;
      emit(output, value.word, { ...value, value: state.total });
    }),
  ],
  outputs: [output],
  initialState: () => ({ total: 0 }),
};

let fixture: NumbersFixture;
beforeEach(async () => {
  fixture = await openNumbers([input, output]);
});
afterEach(() => fixture.close());

const FOREIGN_ID = 77;
/** An input record of another process, with a schema id that this one does not know yet. */
function foreign(seq: number) {
  const own = fixture.record(input, seq, { receivedAt: seq, value: 1, word: 'a' });
  own.value!.writeUInt32BE(FOREIGN_ID, 1);
  return own;
}

/** A codec whose registry returns the foreign schema as `fetch` decides. */
function codecWith(fetch: (attempt: number, schema: string) => string) {
  let attempts = 0;
  const schemas = new Map<string, number>();
  let own = '';
  return createCodec({
    async register(subject, schema) {
      if (subject === `${input.name}-value`) own = schema;
      const id = schemas.get(schema) ?? schemas.size + 1;
      schemas.set(schema, id);
      return id;
    },
    async fetch(id) {
      if (id !== FOREIGN_ID) throw new CodecError('unknown_schema', `nobody registered ${id}`);
      attempts += 1;
      return fetch(attempts, own);
    },
  });
}

describe('a decoded value', () => {
  it.each([
    ['rebuild', 'decode'],
    ['live', 'decodeRecord'],
  ] as const)('in mode %s is read with %s, once for all accesses of a handler', async (mode, used) => {
    const calls: string[] = [];
    const { log, logger, codec } = fixture;
    const counting: Codec = {
      prepare: (topics) => codec.prepare(topics),
      encode: (topic, value) => codec.encode(topic, value),
      hasSchema: (bytes) => codec.hasSchema(bytes),
      fetchSchema: (bytes) => codec.fetchSchema(bytes),
      decode: (topic, bytes) => {
        calls.push('decode');
        return codec.decode(topic, bytes);
      },
      decodeRecord: (topic, record) => {
        calls.push('decodeRecord');
        return codec.decodeRecord(topic, record);
      },
    };
    const thrice: typeof stage = {
      ...stage,
      inputs: [
        on(input, (state: { total: number }, record) => {
          state.total += record.value.value + record.value.value + record.value.value;
        }),
      ],
    };
    await log.append([1, 2].map((seq) => fixture.record(input, seq, { receivedAt: seq, value: seq, word: 'a' })));
    const running = await runStage({ stage: thrice, log, codec: counting, logger, metrics: createMetrics(), mode });
    await running.caughtUp;
    await running.close();
    expect(running.state.total).toBe(9);
    expect(calls.filter((call) => call === used)).toHaveLength(2);
    if (used === 'decode') expect(calls).not.toContain('decodeRecord');
  });
});

describe('a handler that works in slices', () => {
  /** Adds in three slices, and fails in the second one for 13. */
  const sliced: typeof stage = {
    ...stage,
    inputs: [
      on(input, function* (state: { total: number }, { value }, emit) {
        for (let slice = 1; slice <= 3; slice += 1) {
          yield;
          if (value.value === 13 && slice === 2) throw new Error('unlucky');
          state.total += value.value;
          emit(output, value.word, { ...value, value: state.total });
        }
      }),
    ],
  };

  it('finishes one record before the next, and writes all of its outputs or none', async () => {
    const values = [1, 13, 2].map((value, nth) => ({ receivedAt: nth + 1, value, word: 'a' }));
    await fixture.log.append(values.map((value, nth) => fixture.record(input, nth + 1, value)));
    const { log, codec, logger } = fixture;
    const running = await runStage({ stage: sliced, log, codec, logger, metrics: createMetrics(), mode: 'rebuild' });
    await running.stopped;
    // The failed one changed the state before, as any handler can that fails late.
    expect((await fixture.values(output)).map(([seq, { value }]) => [seq, value])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
      [4, 18],
      [5, 20],
      [6, 22],
    ]);
  });

  it('leaves turns to other work, also while its many outputs are encoded', async () => {
    const many: typeof stage = {
      ...stage,
      inputs: [
        on(input, function* (_state: { total: number }, { value }, emit) {
          for (let nth = 1; nth <= 20_000; nth += 1) {
            if (nth % 64 === 0) yield;
            emit(output, value.word, value);
          }
        }),
      ],
    };
    await fixture.log.append([fixture.record(input, 1, { receivedAt: 1, value: 1, word: 'a' })]);
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    const { log, codec, logger } = fixture;
    const running = await runStage({ stage: many, log, codec, logger, metrics: createMetrics(), mode: 'rebuild' });
    count();
    await running.stopped;
    isDone = true;
    expect(await fixture.values(output)).toHaveLength(20_000);
    // Parts of 2,048 outputs are appended in a turn each.
    expect(turns).toBeGreaterThan(9);
  });
});

describe('a record with an unknown schema', () => {
  it('waits while the registry is unavailable, and the stage is degraded', async () => {
    const health = createHealth();
    const seen: string[] = [];
    const codec = codecWith((attempt, schema) => {
      seen.push(health.report().status);
      if (attempt < 4) throw new RegistryError('the schema registry is unavailable', true);
      return schema;
    });
    await fixture.log.append([foreign(1), foreign(2)]);
    const { log, logger } = fixture;
    const running = await runStage({ stage, log, codec, logger, metrics: createMetrics(), health, mode: 'rebuild' });
    await running.stopped;
    expect(running.state.total).toBe(2);
    expect(seen).toEqual(['ok', 'degraded', 'degraded', 'degraded']);
    expect(health.report()).toMatchObject({ status: 'ok', parts: { 'stage test': 'ready' } });
  });

  it('becomes a dead letter if the registry does not know the schema, and the stage continues', async () => {
    const codec = codecWith(() => {
      throw new CodecError('unknown_schema', 'nobody registered it');
    });
    await codec.prepare([input]);
    const known = { ...foreign(2), value: codec.encode(input, { receivedAt: 2, value: 5, word: 'a' }) };
    await fixture.log.append([foreign(1), known]);
    const { log, logger } = fixture;
    const running = await runStage({ stage, log, codec, logger, metrics: createMetrics(), mode: 'rebuild' });
    await running.stopped;
    expect(running.state.total).toBe(5);
    const deadLetters: string[] = [];
    await readPartition(log, { topic: deadLetterTopic(input.name).name, partition: 0 }, ({ value }) => {
      const { offset, reason } = codec.decode(deadLetterTopic(input.name), value!);
      deadLetters.push(`${offset} ${reason}`);
    });
    expect(deadLetters).toEqual(['0 unknown_schema']);
  });

  it('does not prevent the stage from stopping', async () => {
    const codec = codecWith(() => {
      throw new RegistryError('the schema registry is unavailable', true);
    });
    await fixture.log.append([foreign(1)]);
    const health = createHealth();
    const { log, logger } = fixture;
    const running = await runStage({ stage, log, codec, logger, metrics: createMetrics(), health, mode: 'rebuild' });
    await expect.poll(() => health.report().status).toBe('degraded');
    await expect(running.close()).rejects.toThrow('is unavailable');
    expect(running.state.total).toBe(0);
  });
});

describe('a log that is full for a while', () => {
  it('is retried until it accepts, and nothing is lost or written twice', async () => {
    let failures = 0;
    const log = failingAppends(fixture.log, ([record]) => {
      if (record!.topic !== output.name || failures >= 4) return null;
      failures += 1;
      return new LogError('log_full', 'full');
    });
    const { codec, logger } = fixture;
    const values = [1, 2, 3].map((seq) => ({ receivedAt: seq, value: seq, word: 'a' }));
    await fixture.log.append(values.map((value) => fixture.record(input, value.receivedAt, value)));
    const health = createHealth();
    const running = await runStage({ stage, log, codec, logger, metrics: createMetrics(), health, mode: 'rebuild' });
    await running.stopped;
    expect(failures).toBe(4);
    expect((await fixture.values(output)).map(([seq, { value }]) => [seq, value])).toEqual([
      [1, 1],
      [2, 3],
      [3, 6],
    ]);
    expect(health.report().status).toBe('ok');
  });
});
