/** `driveStage` for tests that look at what one event makes a stage say. */
import type { Stage } from '#infra/stages/stage';
import type { Topic } from '#schemas/topics/topic';
import { type DrivenOutput, driveStage } from './drive-stage.fixture.ts';

export interface StageProbe {
  /** Steps one event and gives what it made the stage say, in order. Throws where it became a dead letter. */
  send<T extends { receivedAt: number }>(topic: Topic<T>, key: string, value: T): DrivenOutput[];
  /** Steps the removal of a key. */
  remove(topic: Topic, key: string, receivedAt: number): DrivenOutput[];
  /** Puts the state through a snapshot, as a restart does. */
  restart(): void;
}

/** A probe of a stage that is at its beginning. */
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

/** What went to one topic, typed; tombstones are null. */
export function emittedTo<T>(outputs: readonly DrivenOutput[], topic: Topic<T>): T[] {
  return outputs.filter((output) => output.topic === topic.name).map((output) => output.value as T);
}
