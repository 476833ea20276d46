/**
 * Drives a stage in a test: records are handled one by one in the given order, and outputs and dead letters are
 * collected. As in the running loop, a record whose handler throws leaves only a dead letter. Every output is checked
 * against the schema of its topic, frames of channels also against that of their payload, and copied, so that later changes of the state do not affect it.
 */
import { deserialize, serialize } from 'node:v8';
import avro from 'avsc';
import type { Emit, Slices, Stage, StageRecord } from '#infra/stages/stage';
import { avroSchema } from '#schemas/avro';
import { checkPayload } from '#schemas/testing/stream-frames.fixture';
import { type ChannelFrame, channelTopics } from '#schemas/topics/channels';
import type { Topic } from '#schemas/topics/topic';

/** An output of a stage; a null value is a tombstone. */
export interface DrivenOutput {
  readonly topic: string;
  readonly key: string;
  readonly value: unknown;
}

export interface DrivenDeadLetter {
  readonly topic: string;
  readonly reason: string;
  readonly detail: string;
}

/** Position of a record; missing numbers are 0, and a missing key is the topic's key field of the value, or empty. */
export type RecordPosition = Partial<Omit<StageRecord<never>, 'value' | 'topic'>>;

export interface StageDriver<S> {
  /** The current state; another object after `restart`. */
  readonly state: S;
  readonly outputs: DrivenOutput[];
  readonly deadLetters: DrivenDeadLetter[];
  /** Handles one record. By default `receivedAt` is that of the value. Throws for a topic that is no input. */
  feed<T>(topic: Topic<T>, value: T | null, position?: RecordPosition): void;
  /** Values emitted to a topic so far, in order, without tombstones. */
  emittedTo<T>(topic: Topic<T>): T[];
  /** Clears the collected outputs and dead letters. */
  clear(): void;
  /** Continues from a snapshot of the state, as after a restart. */
  restart(): void;
}

/** Topics of channels whose frames hold their payload. */
const DERIVED_CHANNELS = new Set([channelTopics.events.name, channelTopics.organizations.name]);
const checks = new Map<string, avro.Type>();

export function driveStage<S>(stage: Stage<S>): StageDriver<S> {
  const handlers = new Map(stage.inputs.map((input) => [input.topic.name, input.handle]));
  const writable = new Set(stage.outputs.map((topic) => topic.name));
  const outputs: DrivenOutput[] = [];
  const deadLetters: DrivenDeadLetter[] = [];
  let state = stage.initialState();
  let pending: DrivenOutput[] = [];
  let source = '';

  const write = (topic: Topic, key: string, value: unknown) => {
    if (!writable.has(topic.name)) throw new Error(`${stage.name} does not declare ${topic.name} as an output`);
    if (value !== null) check(topic, value);
    if (DERIVED_CHANNELS.has(topic.name)) checkPayload(value as ChannelFrame);
    pending.push({ topic: topic.name, key, value: structuredClone(value) });
  };
  const emit: Emit = Object.assign(<T>(topic: Topic<T>, key: string, value: T) => write(topic as Topic, key, value), {
    remove: (topic: Topic, key: string) => write(topic, key, null),
    deadLetter: (reason: string, detail: string) => void deadLetters.push({ topic: source, reason, detail }),
  });

  return {
    get state() {
      return state;
    },
    outputs,
    deadLetters,
    feed(topic, value, position = {}) {
      const handle = handlers.get(topic.name);
      if (!handle) throw new Error(`${topic.name} is no input of ${stage.name}`);
      const receivedAt = (value as { receivedAt?: number } | null)?.receivedAt ?? 0;
      const key = (value as Record<string, string> | null)?.[topic.key] ?? '';
      // Frozen, because in the running loop other stages share the value.
      const shared = deepFreeze(deserialize(serialize(value)));
      const record = { topic: topic.name, partition: 0, offset: 0, key, receivedAt, ...position, value: shared };
      source = topic.name;
      pending = [];
      try {
        const slices = handle(state, record as StageRecord<never>, emit) as Slices | undefined;
        while (slices?.next().done === false);
        outputs.push(...pending);
      } catch (error) {
        emit.deadLetter('handler_failed', String(error));
      }
    },
    emittedTo: <T>(topic: Topic<T>) =>
      outputs.filter((output) => output.topic === topic.name && output.value !== null).map(({ value }) => value as T),
    clear() {
      outputs.length = 0;
      deadLetters.length = 0;
    },
    restart() {
      state = deserialize(serialize(state)) as S;
    },
  };
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}

function check(topic: Topic, value: unknown): void {
  let type = checks.get(topic.name);
  if (!type) {
    type = avro.Type.forSchema(avroSchema(topic.schema));
    checks.set(topic.name, type);
  }
  type.isValid(value, {
    errorHook: (path, found) => {
      throw new Error(`${topic.name}: ${path.join('.')} cannot be ${JSON.stringify(found)}`);
    },
  });
}
