import { afterEach, beforeEach, expect, it } from 'vitest';
import { createMetrics } from '../telemetry/metrics.ts';
import { runStage } from './run-stage.ts';
import { on, type Stage } from './stage.ts';
import { type NumbersFixture, numberTopic, openNumbers, type TestNumber } from './testing/numbers.fixture.ts';

const [input, output] = [numberTopic('raw.input'), numberTopic('derived.test')];

/** @param times number of outputs of each record. */
const stage = (stateVersion: number, times: number, outputs = [output]): Stage<object> => ({
  name: 'test',
  stateVersion,
  inputs: [
    on<object, TestNumber>(input, (_state, { value }, emit) => {
      if (outputs.length > 0) for (let time = 0; time < times; time += 1) emit(output, value.word, value);
    }),
  ],
  outputs,
  initialState: () => ({}),
});

let fixture: NumbersFixture;
beforeEach(async () => {
  fixture = await openNumbers([input, output]);
  const records = [1, 2, 3].map((seq) => fixture.record(input, seq, { receivedAt: seq, value: seq, word: 'a' }));
  await fixture.log.append(records);
});
afterEach(() => fixture.close());

const run = async (one: Stage<object>, mode: 'live' | 'rebuild' = 'rebuild') => {
  const { log, codec, logger } = fixture;
  return runStage({ stage: one, log, codec, logger, metrics: createMetrics(), mode });
};

it('a stage with another state version refuses to continue existing outputs, and says what to do', async () => {
  await (await run(stage(1, 2))).stopped;
  const written = await fixture.values(output);
  for (const mode of ['live', 'rebuild'] as const)
    await expect(run(stage(2, 1), mode)).rejects.toMatchObject({
      name: 'StateVersionError',
      canRetry: false,
      message: expect.stringContaining('npm run replay'),
    });
  // The same holds for the way back.
  expect(await fixture.values(output)).toEqual(written);
  await (await run(stage(1, 2))).stopped;
});

it('a stage with another state version starts once its outputs are removed, and nothing is lost or doubled', async () => {
  await (await run(stage(1, 2))).stopped;
  await fixture.log.clearTopic(output.name);
  await (await run(stage(2, 1))).stopped;
  expect((await fixture.values(output)).map(([seq, { value }]) => [seq, value])).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
  ]);
});

it('a stage without outputs starts with any state version', async () => {
  await (await run(stage(1, 1, []))).stopped;
  await (await run(stage(2, 1, []))).stopped;
});
