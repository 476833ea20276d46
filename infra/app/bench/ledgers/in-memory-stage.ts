/** Runs a stage over encoded records in memory, without a log. */
import type { Topic } from '#schemas/topics/topic';
import type { Codec } from '../../../codec/codec.ts';
import { createCodec } from '../../../codec/create-codec.ts';
import type { Emit, Slices, Stage, StageRecord } from '../../../stages/stage.ts';

/** A record as a log has it. */
export interface EncodedRecord {
  readonly topic: Topic;
  readonly bytes: Buffer;
}

/** Returns the codec of a service for the topics of a stage, with a registry of its own. */
export async function codecOf({ inputs, outputs }: Pick<Stage<unknown>, 'inputs' | 'outputs'>): Promise<Codec> {
  let ids = 0;
  const codec = createCodec({
    register: async () => {
      ids += 1;
      return ids;
    },
    fetch: async (id) => {
      throw new Error(`no schema ${id}`);
    },
  });
  await codec.prepare([...inputs.map(({ topic }) => topic), ...outputs]);
  return codec;
}

/** Handles the records in order. Throws where a handler writes a dead letter. */
export class InMemoryStage<S> {
  readonly state: S;
  private readonly handlers: ReadonlyMap<string, Stage<S>['inputs'][number]['handle']>;
  private readonly emit: Emit;

  /** @param onOutput called with each output that is no removal. */
  constructor(stage: Stage<S>, onOutput: (topic: Topic, value: unknown) => void) {
    this.state = stage.initialState();
    this.handlers = new Map(stage.inputs.map(({ topic, handle }) => [topic.name, handle]));
    this.emit = Object.assign(<T>(topic: Topic<T>, _key: string, value: T) => onOutput(topic as Topic, value), {
      remove: () => {},
      deadLetter: (reason: string, detail: string) => {
        throw new Error(`${reason}: ${detail}`);
      },
    });
  }

  handle(topic: Topic, value: { readonly receivedAt: number }): void {
    const slices = this.begin(topic, value);
    while (slices?.next().done === false);
  }

  /** Returns what is left of the work, in slices; undefined if nothing is. */
  begin(topic: Topic, value: { readonly receivedAt: number }): Slices | undefined {
    const { receivedAt } = value;
    const record = { topic: topic.name, partition: 0, offset: 0, key: '', receivedAt, value };
    return this.handlers.get(topic.name)!(this.state, record as StageRecord<never>, this.emit) as Slices | undefined;
  }
}
