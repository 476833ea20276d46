/** A stage whose settings changed over time: it handles each event with the settings of its event time. */
import type { Stage, StageInput, StageRecord } from '#infra/stages/stage';

/** A stage with the settings that hold from an event time on. */
export interface StageFrom<S> {
  /** First event time, unix ms. */
  readonly from: number;
  readonly stage: Stage<S>;
}

/**
 * Combines stages that differ only in their settings, sorted by `from`, into one pure stage. The first stage also
 * handles events before its `from`. Events come in the order of their time, so a change has a fixed position among
 * them.
 */
export function stageOverTime<S>(stages: readonly StageFrom<S>[]): Stage<S> {
  const [first] = stages;
  if (!first) throw new Error('stageOverTime needs at least one stage');
  if (stages.length === 1) return first.stage;
  const stageAt = (time: number) => (stages.findLast(({ from }) => from <= time) ?? first).stage;
  return {
    ...first.stage,
    inputs: first.stage.inputs.map(
      ({ topic }, at): StageInput<S> => ({
        topic,
        handle: (state, record: StageRecord<never>, emit) =>
          stageAt(record.receivedAt).inputs[at]!.handle(state, record, emit),
      }),
    ),
  };
}
