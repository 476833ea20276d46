/** Steps a stage by hand, without a log: for tests that look at what one event makes it say. */
import { deserialize, serialize } from 'node:v8';
import type { Emit, Stage, StageEvent } from '#infra/stages/stage';
import type { Topic } from '#schemas/topics/topic';

/** One thing a stage said. A null value is a tombstone. */
export interface ProbeOutput {
  readonly topic: string;
  readonly key: string;
  readonly value: unknown;
}

export interface StageProbe {
  /** Steps one event and gives what it made the stage say, in order. An exception leaves no outputs. */
  send<T extends { receivedAt: number }>(topic: Topic<T>, key: string, value: T): ProbeOutput[];
  /** Steps the removal of a key. */
  remove(topic: Topic, key: string, receivedAt: number): ProbeOutput[];
  /** Puts the state through a snapshot, as a restart does. */
  restart(): void;
}

/** A probe of a stage that is at its beginning. Refuses outputs to topics that the stage does not declare. */
export function probeStage<S>(stage: Stage<S>): StageProbe {
  let state = stage.initialState();
  let offset = 0;
  const step = (topic: Topic, key: string, receivedAt: number, value: unknown): ProbeOutput[] => {
    const input = stage.inputs.find((entry) => entry.topic.name === topic.name);
    if (!input) throw new Error(`${stage.name} does not read ${topic.name}`);
    const outputs: ProbeOutput[] = [];
    const say = (to: Topic, outKey: string, out: unknown) => {
      if (!stage.outputs.some((output) => output.name === to.name)) {
        throw new Error(`${stage.name} does not declare ${to.name}`);
      }
      outputs.push({ topic: to.name, key: outKey, value: out });
    };
    const emit = Object.assign(say, {
      remove: (to: Topic, outKey: string) => say(to, outKey, null),
      dead: (reason: string, detail: string) => outputs.push({ topic: 'dead', key: reason, value: detail }),
    }) as unknown as Emit;
    input.handle(state, { topic: topic.name, partition: 0, offset, key, receivedAt, value } as StageEvent<never>, emit);
    offset += 1;
    return outputs;
  };
  return {
    send: (topic, key, value) => step(topic, key, value.receivedAt, value),
    remove: (topic, key, receivedAt) => step(topic, key, receivedAt, null),
    restart: () => {
      state = deserialize(serialize(state)) as S;
    },
  };
}

/** What went to one topic, typed. */
export function saidOn<T>(outputs: readonly ProbeOutput[], topic: Topic<T>): T[] {
  return outputs.filter((output) => output.topic === topic.name).map((output) => output.value as T);
}
