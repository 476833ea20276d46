import { afterEach, beforeEach, expect, it } from 'vitest';
import { createMetrics } from '../telemetry/metrics.ts';
import { runStage } from './run-stage.ts';
import { on, type Stage } from './stage.ts';
import { type NumbersWorld, numberTopic, openNumbers, type TestNumber } from './testing/numbers.fixture.ts';

const [input, output] = [numberTopic('raw.input'), numberTopic('derived.test')];

/** @param times how many outputs each event gives. */
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

let world: NumbersWorld;
beforeEach(async () => {
  world = await openNumbers([input, output]);
  const records = [1, 2, 3].map((seq) => world.record(input, seq, { receivedAt: seq, value: seq, word: 'a' }));
  await world.log.append(records);
});
afterEach(() => world.close());

const run = async (one: Stage<object>, mode: 'live' | 'rebuild' = 'rebuild') => {
  const { log, codec, logger } = world;
  return runStage({ stage: one, log, codec, logger, metrics: createMetrics(), mode });
};

it('a stage of another state version does not go on behind outputs of the one before, and says what to do', async () => {
  await (await run(stage(1, 2))).stopped;
  const written = await world.values(output);
  for (const mode of ['live', 'rebuild'] as const)
    await expect(run(stage(2, 1), mode)).rejects.toMatchObject({
      name: 'StateVersionError',
      canRetry: false,
      message: expect.stringContaining('npm run replay'),
    });
  // So it is for the way back.
  expect(await world.values(output)).toEqual(written);
  await (await run(stage(1, 2))).stopped;
});

it('it starts once its outputs are gone, and nothing is lost or doubled', async () => {
  await (await run(stage(1, 2))).stopped;
  await world.log.clearTopic(output.name);
  await (await run(stage(2, 1))).stopped;
  expect((await world.values(output)).map(([seq, { value }]) => [seq, value])).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
  ]);
});

it('a stage without outputs has nothing that could not go on', async () => {
  await (await run(stage(1, 1, []))).stopped;
  await (await run(stage(2, 1, []))).stopped;
});
