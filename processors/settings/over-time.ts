/** A stage whose settings changed on the way: each event is taken with those of its time. Pure. */
import type { Stage, StageEvent, StageInput } from '#infra/stages/stage';

/** A stage as it is from an event time on. */
export interface StageFrom<S> {
  /** Unix ms. */
  readonly from: number;
  readonly stage: Stage<S>;
}

/**
 * One stage out of several that differ in nothing but their settings, in the order of their beginnings. What comes before
 * the first beginning is taken by the first. Events come in the order of their time, so a change has one place among them.
 */
export function stageOverTime<S>(stages: readonly StageFrom<S>[]): Stage<S> {
  const [first] = stages;
  if (!first) throw new Error('a stage over time needs a beginning');
  if (stages.length === 1) return first.stage;
  const stageAt = (time: number) => (stages.findLast(({ from }) => from <= time) ?? first).stage;
  return {
    ...first.stage,
    inputs: first.stage.inputs.map(
      ({ topic }, at): StageInput<S> => ({
        topic,
        handle: (state, event: StageEvent<never>, emit) =>
          stageAt(event.receivedAt).inputs[at]!.handle(state, event, emit),
      }),
    ),
  };
}
