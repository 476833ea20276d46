/** A variant of `driveStage` for tests that check the outputs of one record. */
import type { Stage } from '#infra/stages/stage';
import type { Topic } from '#schemas/topics/topic';
import { type DrivenOutput, driveStage } from './drive-stage.fixture.ts';

export interface StageProbe {
  /** Handles one record and returns its outputs, in order. Throws if it became a dead letter. */
  send<T extends { receivedAt: number }>(topic: Topic<T>, key: string, value: T): DrivenOutput[];
  /** Handles the tombstone of a key. */
  remove(topic: Topic, key: string, receivedAt: number): DrivenOutput[];
  /** Continues from a snapshot of the state, as after a restart. */
  restart(): void;
}

/** Creates a probe of a stage with its initial state. */
export function probeStage<S>(stage: Stage<S>): StageProbe {
  const driver = driveStage(stage);
  let offset = 0;
  const step = <T>(topic: Topic<T>, key: string, value: T | null, receivedAt: number): DrivenOutput[] => {
    driver.clear();
    driver.feed(topic, value, { key, receivedAt, offset });
    offset += 1;
    const [dead] = driver.deadLetters;
    if (dead) throw new Error(`${dead.reason}: ${dead.detail}`);
    return [...driver.outputs];
  };
  return {
    send: (topic, key, value) => step(topic, key, value, value.receivedAt),
    remove: (topic, key, receivedAt) => step(topic, key, null, receivedAt),
    restart: () => driver.restart(),
  };
}

/** Returns the outputs to one topic, typed; tombstones are null. */
export function emittedTo<T>(outputs: readonly DrivenOutput[], topic: Topic<T>): T[] {
  return outputs.filter((output) => output.topic === topic.name).map((output) => output.value as T);
}
