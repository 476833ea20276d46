/**
 * Follows the position of a stage whose outputs only tables hold, so that responses can state it. The view reads the
 * stage's topic with the fewest records, and holds nothing.
 */
import { on, type Stage } from '#infra/stages/stage';
import type { Topic } from '#schemas/topics/topic';

export function createPositionView<T>(stage: string, topic: Topic<T>): Stage<null> {
  return {
    name: `view.${stage}-position`,
    inputs: [on(topic, () => {})],
    outputs: [],
    initialState: () => null,
  };
}
