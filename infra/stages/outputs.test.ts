import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deadLetterTopic } from '#schemas/topics/control';
import type { LogRecord } from '../log/log.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { StageOutputs } from './outputs.ts';
import { type NumbersWorld, numberTopic, openNumbers } from './testing/numbers.fixture.ts';

const [input, output] = [numberTopic('raw.test'), numberTopic('derived.test')];
const good = { receivedAt: 5, value: 1, word: 'a' };
const unfit = { ...good, value: 'no number' } as never;

let world: NumbersWorld;
beforeEach(async () => {
  world = await openNumbers([input, output]);
  await world.codec.prepare([deadLetterTopic(input.name)]);
});
afterEach(() => world.close());

const open = (given: ReadonlyMap<string, number> = new Map()) =>
  StageOutputs.open({
    stage: 'test',
    topics: [output],
    log: world.log,
    codec: world.codec,
    metrics: createMetrics(),
    given,
  });
const event = (offset: number): LogRecord => ({
  ...world.record(input, offset + 1, good),
  offset,
  appendedAt: 0,
});
const told = (outputs: StageOutputs) => outputs.drain().map(({ topic, key, seq }) => `${topic} ${key} ${seq}`);

describe('the outputs of a stage', () => {
  it('leave no hole in the numbers where one of an event does not fit its schema', async () => {
    const outputs = await open();
    outputs.begin(event(0));
    outputs.emit(output, 'a', good);
    outputs.emit(output, 'b', unfit);
    expect(() => outputs.commit()).toThrow('does not fit');
    outputs.refuse(event(0), 'handler_failed', 'it does not fit');
    outputs.begin(event(1));
    outputs.emit(output, 'c', good);
    outputs.commit();
    expect(told(outputs)).toEqual(['dead.raw.test test/0/0 0', 'derived.test c 1']);
  });

  it('end in the same way over a log that holds them already', async () => {
    await world.log.append([world.record(output, 1, good), world.record(output, 2, good)]);
    const outputs = await open();
    outputs.begin(event(0));
    outputs.emit(output, 'a', good);
    outputs.emit(output, 'b', unfit);
    expect(() => outputs.commit()).toThrow('does not fit');
    outputs.begin(event(1));
    for (const key of ['c', 'd', 'e']) outputs.emit(output, key, good);
    outputs.commit();
    expect(told(outputs)).toEqual(['derived.test e 3']);
  });

  it('are kept beside the letters of an event that is unusable in parts, each of which is told', async () => {
    const outputs = await open();
    outputs.begin(event(3));
    outputs.emit(output, 'a', good);
    outputs.emit.dead('malformed_entry', 'the second');
    outputs.emit(output, 'b', good);
    outputs.emit.dead('malformed_entry', 'the fourth');
    outputs.commit();
    expect(told(outputs)).toEqual([
      'derived.test a 1',
      'derived.test b 2',
      'dead.raw.test test/0/3 0',
      'dead.raw.test test/0/3/1 0',
    ]);
  });

  it('are dropped, letters too, where the whole event is refused', async () => {
    const outputs = await open();
    outputs.begin(event(3));
    outputs.emit(output, 'a', good);
    outputs.emit.dead('malformed_entry', 'the second');
    outputs.refuse(event(3), 'handler_failed', 'it threw');
    outputs.commit();
    const [letter, ...others] = outputs.drain();
    expect(others).toEqual([]);
    expect(world.codec.decode(deadLetterTopic(input.name), letter!.value!)).toMatchObject({ reason: 'handler_failed' });
  });
});
