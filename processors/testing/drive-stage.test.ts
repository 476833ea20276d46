import { describe, expect, it } from 'vitest';
import { on, type Stage } from '#infra/stages/stage';
import { type ClockMark, clockTopic } from '#schemas/topics/control';
import { type Reconcile, reconcileTopic } from '#schemas/topics/derived';
import { driveStage } from './drive-stage.fixture.ts';

interface Seen {
  told: Reconcile;
}

/** Tells how many marks it saw; a mark of an hour fails after it told, a mark of a day tells what no schema allows. */
const counter: Stage<Seen> = {
  name: 'counter',
  inputs: [
    on<Seen, ClockMark>(clockTopic, (state, { value }, emit) => {
      state.told = { ingested: state.told.ingested + 1, receivedAt: value.receivedAt };
      emit(reconcileTopic, 'latest', value.day ? ({ receivedAt: 1 } as Reconcile) : state.told);
      if (!value.tick) emit.dead('no_tick', 'not a tick');
      if (value.hour) throw new Error('hour');
    }),
  ],
  outputs: [reconcileTopic],
  initialState: () => ({ told: { receivedAt: 0, ingested: 0 } }),
};
const mark = (receivedAt: number, change: Partial<ClockMark> = {}): ClockMark => ({
  receivedAt,
  tick: true,
  hour: false,
  day: false,
  ...change,
});

describe('a driven stage', () => {
  it('has its outputs collected as they were when told', () => {
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

  it('leaves only a dead letter of an event whose handler throws', () => {
    const stage = driveStage(counter);
    stage.feed(clockTopic, mark(5, { hour: true }));
    expect(stage.outputs).toEqual([]);
    expect(stage.deadLetters).toEqual([{ topic: 'control.clock', reason: 'handler_failed', detail: 'Error: hour' }]);
  });

  it('keeps the outputs beside a dead letter that the handler sent itself', () => {
    const stage = driveStage(counter);
    stage.feed(clockTopic, mark(5, { tick: false }));
    expect(stage.outputs).toHaveLength(1);
    expect(stage.deadLetters).toEqual([{ topic: 'control.clock', reason: 'no_tick', detail: 'not a tick' }]);
  });

  it('may tell only what the schema allows, to topics that it declares', () => {
    const stage = driveStage(counter);
    stage.feed(clockTopic, mark(5, { day: true }));
    expect(stage.deadLetters[0]!.detail).toContain('derived.reconcile: ingested cannot be');
    const undeclared = driveStage({ ...counter, outputs: [] });
    undeclared.feed(clockTopic, mark(5));
    expect(undeclared.deadLetters[0]!.detail).toContain('counter does not declare derived.reconcile as an output');
    expect(() => stage.feed(reconcileTopic, { receivedAt: 1, ingested: 1 })).toThrow('is no input of counter');
  });
});
