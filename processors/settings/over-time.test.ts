import { describe, expect, it } from 'vitest';
import { on, type Stage } from '#infra/stages/stage';
import { type ClockMark, clockTopic } from '#schemas/topics/control';
import { type Reconcile, reconcileTopic } from '#schemas/topics/derived';
import { emittedTo, probeStage } from '../testing/stage-probe.fixture.ts';
import { stageOverTime } from './over-time.ts';

/** Emits the number of its steps multiplied by its setting. */
const times = (factor: number): Stage<{ steps: number }> => ({
  name: 'times',
  inputs: [
    on<{ steps: number }, ClockMark>(clockTopic, (state, { receivedAt }, emit) => {
      state.steps += 1;
      emit<Reconcile>(reconcileTopic, 'latest', { receivedAt, ingested: state.steps * factor });
    }),
  ],
  outputs: [reconcileTopic],
  initialState: () => ({ steps: 0 }),
});

describe('a stage over time', () => {
  it('handles each event with the settings of its time, with one state', () => {
    const probe = probeStage(
      stageOverTime([
        { from: 100, stage: times(1) },
        { from: 200, stage: times(10) },
        { from: 200, stage: times(100) },
      ]),
    );
    const outputs = [50, 100, 199, 200, 300].map((receivedAt) => {
      const mark = { receivedAt, tick: true, hour: false, day: false };
      return emittedTo(probe.send(clockTopic, 'clock', mark), reconcileTopic)[0]!.ingested;
    });
    expect(outputs).toEqual([1, 2, 3, 400, 500]);
  });

  it('is the stage itself if no setting changed', () => {
    const only = times(1);
    expect(stageOverTime([{ from: 5, stage: only }])).toBe(only);
  });
});
