import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deadLetterTopic } from '#schemas/topics/control';
import type { LogRecord } from '../log/log.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { StageOutputs } from './outputs.ts';
import { type NumbersFixture, numberTopic, openNumbers } from './testing/numbers.fixture.ts';

const [input, output] = [numberTopic('raw.test'), numberTopic('derived.test')];
const good = { receivedAt: 5, value: 1, word: 'a' };
const unfit = { ...good, value: 'no number' } as never;

let fixture: NumbersFixture;
beforeEach(async () => {
  fixture = await openNumbers([input, output]);
  await fixture.codec.prepare([deadLetterTopic(input.name)]);
});
afterEach(() => fixture.close());

const open = (outputSeqs: ReadonlyMap<string, number> = new Map()) =>
  StageOutputs.open({
    stage: 'test',
    topics: [output],
    log: fixture.log,
    codec: fixture.codec,
    metrics: createMetrics(),
    outputSeqs,
  });
const record = (offset: number): LogRecord => ({
  ...fixture.record(input, offset + 1, good),
  offset,
  appendedAt: 0,
});
const drained = (outputs: StageOutputs) => outputs.drain().map(({ topic, key, seq }) => `${topic} ${key} ${seq}`);

describe('the outputs of a stage', () => {
  it('leave no gap in the numbers if one output of a record does not fit its schema', async () => {
    const outputs = await open();
    outputs.begin(record(0));
    outputs.emit(output, 'a', good);
    outputs.emit(output, 'b', unfit);
    expect(() => outputs.commit()).toThrow('does not fit');
    outputs.reject(record(0), 'handler_failed', 'it does not fit');
    outputs.begin(record(1));
    outputs.emit(output, 'c', good);
    outputs.commit();
    expect(drained(outputs)).toEqual(['dead.raw.test test/0/0 0', 'derived.test c 1']);
  });

  it('get the same numbers if the log holds them already', async () => {
    await fixture.log.append([fixture.record(output, 1, good), fixture.record(output, 2, good)]);
    const outputs = await open();
    outputs.begin(record(0));
    outputs.emit(output, 'a', good);
    outputs.emit(output, 'b', unfit);
    expect(() => outputs.commit()).toThrow('does not fit');
    outputs.begin(record(1));
    for (const key of ['c', 'd', 'e']) outputs.emit(output, key, good);
    outputs.commit();
    expect(drained(outputs)).toEqual(['derived.test e 3']);
  });

  it('are written beside the dead letters of a record of which parts are unusable', async () => {
    const outputs = await open();
    outputs.begin(record(3));
    outputs.emit(output, 'a', good);
    outputs.emit.deadLetter('malformed_entry', 'the second');
    outputs.emit(output, 'b', good);
    outputs.emit.deadLetter('malformed_entry', 'the fourth');
    outputs.commit();
    expect(drained(outputs)).toEqual([
      'derived.test a 1',
      'derived.test b 2',
      'dead.raw.test test/0/3 0',
      'dead.raw.test test/0/3/1 0',
    ]);
  });

  it('are dropped, dead letters too, if the whole record is rejected', async () => {
    const outputs = await open();
    outputs.begin(record(3));
    outputs.emit(output, 'a', good);
    outputs.emit.deadLetter('malformed_entry', 'the second');
    outputs.reject(record(3), 'handler_failed', 'it threw');
    outputs.commit();
    const [deadLetter, ...others] = outputs.drain();
    expect(others).toEqual([]);
    expect(fixture.codec.decode(deadLetterTopic(input.name), deadLetter!.value!)).toMatchObject({
      reason: 'handler_failed',
    });
  });
});
