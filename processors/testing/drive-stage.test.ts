import { describe, expect, it } from 'vitest';
import { on, type Stage } from '#infra/stages/stage';
import { type ClockMark, clockTopic } from '#schemas/topics/control';
import { type Reconcile, reconcileTopic } from '#schemas/topics/derived';
import { driveStage } from './drive-stage.fixture.ts';

interface CounterState {
  counted: Reconcile;
}

/** Emits the number of clock marks. After an hour mark it throws; for a day mark it emits invalid data. */
const counter: Stage<CounterState> = {
  name: 'counter',
  inputs: [
    on<CounterState, ClockMark>(clockTopic, (state, { value }, emit) => {
      state.counted = { ingested: state.counted.ingested + 1, receivedAt: value.receivedAt };
      emit(reconcileTopic, 'latest', value.day ? ({ receivedAt: 1 } as Reconcile) : state.counted);
      if (!value.tick) emit.deadLetter('no_tick', 'not a tick');
      if (value.hour) throw new Error('hour');
    }),
  ],
  outputs: [reconcileTopic],
  initialState: () => ({ counted: { receivedAt: 0, ingested: 0 } }),
};
const mark = (receivedAt: number, change: Partial<ClockMark> = {}): ClockMark => ({
  receivedAt,
  tick: true,
  hour: false,
  day: false,
  ...change,
});

describe('a driven stage', () => {
  it('has its outputs collected as they were when emitted', () => {
    const stage = driveStage(counter);
    stage.feed(clockTopic, mark(5));
    stage.restart();
    stage.feed(clockTopic, mark(10));
    expect(stage.outputs).toEqual([
      { topic: 'derived.reconcile', key: 'latest', value: { receivedAt: 5, ingested: 1 } },
      { topic: 'derived.reconcile', key: 'latest', value: { receivedAt: 10, ingested: 2 } },
    ]);
    expect(stage.emittedTo(reconcileTopic)).toHaveLength(2);
    stage.clear();
    expect(stage.outputs).toEqual([]);
  });

  it('leaves only a dead letter for a record whose handler throws', () => {
    const stage = driveStage(counter);
    stage.feed(clockTopic, mark(5, { hour: true }));
    expect(stage.outputs).toEqual([]);
    expect(stage.deadLetters).toEqual([{ topic: 'control.clock', reason: 'handler_failed', detail: 'Error: hour' }]);
  });

  it('collects the outputs and a dead letter that the handler emits itself', () => {
    const stage = driveStage(counter);
    stage.feed(clockTopic, mark(5, { tick: false }));
    expect(stage.outputs).toHaveLength(1);
    expect(stage.deadLetters).toEqual([{ topic: 'control.clock', reason: 'no_tick', detail: 'not a tick' }]);
  });

  it('may emit only valid values, to topics that it declares', () => {
    const stage = driveStage(counter);
    stage.feed(clockTopic, mark(5, { day: true }));
    expect(stage.deadLetters[0]!.detail).toContain('derived.reconcile: ingested cannot be');
    const undeclared = driveStage({ ...counter, outputs: [] });
    undeclared.feed(clockTopic, mark(5));
    expect(undeclared.deadLetters[0]!.detail).toContain('counter does not declare derived.reconcile as an output');
    expect(() => stage.feed(reconcileTopic, { receivedAt: 1, ingested: 1 })).toThrow('is no input of counter');
  });
});
