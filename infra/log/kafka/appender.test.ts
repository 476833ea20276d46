import { afterEach, describe, expect, it } from 'vitest';
import { recordOf } from '../conformance/records.fixture.ts';
import type { AppendRecord } from '../log.ts';
import { Appender } from './appender.ts';
import type { KafkaClient } from './kafka-client.ts';
import { connectProducer } from './producers.ts';

interface Sent {
  readonly producer: number;
  readonly records: string[];
}
type Outcome = 'accepted' | 'lost' | 'refused';

/** A producer whose sends end as the test decides, in their order; `hold` delays them. */
class Double {
  readonly sent: Sent[] = [];
  readonly outcomes: Outcome[] = [];
  /** The broker refuses a request with this record. */
  guilty: string | null = null;
  producers = 0;
  release: (() => void) | null = null;
  private held: Promise<void> = Promise.resolve();
  readonly client = { kafka: { producer: () => this.producer() } } as unknown as KafkaClient;

  hold(): void {
    this.held = new Promise((resolve) => {
      this.release = resolve;
    });
  }

  private producer() {
    this.producers += 1;
    const producer = this.producers;
    return {
      connect: async () => {},
      disconnect: async () => {},
      sendBatch: async ({ topicMessages }: { topicMessages: { topic: string; messages: Message[] }[] }) => {
        const records = topicMessages.flatMap(({ topic, messages }) =>
          messages.map(({ partition, headers }) => `${topic}/${partition}:${headers.s}`),
        );
        this.sent.push({ producer, records });
        await this.held;
        const outcome = this.outcomes.shift() ?? 'accepted';
        if (outcome === 'lost') throw new Error('the connection was lost');
        if (outcome === 'refused' || (this.guilty && records.includes(this.guilty)))
          throw Object.assign(new Error('too large'), { type: 'MESSAGE_TOO_LARGE' });
        return topicMessages.map(({ topic, messages }) => ({
          topicName: topic,
          partition: messages[0]!.partition,
          baseOffset: '40',
        }));
      },
    };
  }
}
interface Message {
  readonly partition: number;
  readonly headers: { readonly s: string };
}

const A = { topic: 'a', partition: 0 };
const B = { topic: 'b', partition: 0 };
const one = (seq: number, at = A) => [recordOf(at, seq)];
const sized = (seq: number, bytes: number): AppendRecord => ({ ...recordOf(A, seq), value: Buffer.alloc(bytes) });

describe('the appender', () => {
  const appenders: Appender[] = [];
  afterEach(() => Promise.all(appenders.map((appender) => appender.close())));
  const setup = (options: { queueBytesMax?: number; retryForMs?: number } = {}) => {
    const double = new Double();
    const ends: [string, number][] = [];
    const appender = new Appender({
      connect: () => connectProducer(double.client),
      onAppended: ({ topic, partition }, next) => void ends.push([`${topic}/${partition}`, next]),
      ...options,
    });
    appenders.push(appender);
    return { double, appender, ends };
  };
  const turns = async (count: number) => {
    for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
  };

  it('sends the appends of one turn together, and reports the end of each partition', async () => {
    const { double, appender, ends } = setup();
    await Promise.all([appender.append(one(1)), appender.append(one(2)), appender.append(one(1, B))]);
    expect(double.sent.map(({ records }) => records)).toEqual([['a/0:1', 'a/0:2', 'b/0:1']]);
    expect(ends).toEqual([
      ['a/0', 42],
      ['b/0', 41],
    ]);
  });

  it('has one pending request; later appends share the next one', async () => {
    const { double, appender } = setup();
    double.hold();
    const first = appender.append(one(1));
    await turns(5);
    const rest = [appender.append(one(2)), appender.append(one(3))];
    await turns(5);
    expect(double.sent).toHaveLength(1);
    double.release!();
    await Promise.all([first, ...rest]);
    expect(double.sent.map(({ records }) => records)).toEqual([['a/0:1'], ['a/0:2', 'a/0:3']]);
  });

  it('repeats a complete request of unknown outcome, in order, with a new producer', async () => {
    const { double, appender } = setup();
    double.outcomes.push('lost', 'lost');
    const first = appender.append(one(1));
    await turns(5);
    await Promise.all([first, appender.append(one(2))]);
    expect(double.sent).toEqual([
      { producer: 1, records: ['a/0:1'] },
      { producer: 2, records: ['a/0:1'] },
      { producer: 3, records: ['a/0:1'] },
      { producer: 3, records: ['a/0:2'] },
    ]);
  });

  it('rejects after the retry time, together with all queued appends', async () => {
    const { double, appender } = setup({ retryForMs: 0 });
    double.outcomes.push('lost');
    double.hold();
    const first = expect(appender.append(one(1))).rejects.toMatchObject({ code: 'log_unavailable', canRetry: true });
    await turns(5);
    const behind = expect(appender.append(one(2))).rejects.toMatchObject({ code: 'log_unavailable' });
    double.release!();
    await Promise.all([first, behind]);
    await appender.append(one(1));
    expect(double.sent.map(({ records }) => records)).toEqual([['a/0:1'], ['a/0:1']]);
  });

  it('does not repeat a request that is refused for good', async () => {
    const { double, appender } = setup();
    double.outcomes.push('refused');
    await expect(appender.append(one(1))).rejects.toMatchObject({ code: 'log_too_large', canRetry: false });
    expect(double.sent).toHaveLength(1);
  });

  it('rejects only the append that is too large for the broker', async () => {
    const { double, appender } = setup();
    double.guilty = 'a/0:2';
    const ends = await Promise.allSettled([1, 2, 3].map((seq) => appender.append(one(seq))));
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(ends[1]).toMatchObject({ reason: { code: 'log_too_large' } });
    await appender.append(one(4));
    const accepted = double.sent.map(({ records }) => records).filter((records) => !records.includes('a/0:2'));
    expect(accepted).toEqual([['a/0:1'], ['a/0:3'], ['a/0:4']]);
  });

  it('splits an append above the batch limit of a partition, in order, and resolves when all of it is appended', async () => {
    const { double, appender } = setup();
    await appender.append([1, 2, 3].map((seq) => sized(seq, 400 * 1024)));
    expect(double.sent.map(({ records }) => records)).toEqual([['a/0:1', 'a/0:2'], ['a/0:3']]);
  });

  it('rejects an append above the queue limit, and accepts it when there is capacity', async () => {
    const { double, appender } = setup({ queueBytesMax: 1_000 });
    double.hold();
    const waiting = appender.append([sized(1, 900)]);
    await expect(appender.append(one(2))).rejects.toMatchObject({ code: 'log_full', canRetry: true });
    double.release!();
    await waiting;
    await expect(appender.append([sized(2, 5_000)])).resolves.toBeUndefined();
  });

  it('rejects appends once closed, after sending the accepted ones', async () => {
    const { double, appender } = setup();
    const accepted = appender.append(one(1));
    await appender.close();
    await accepted;
    expect(double.sent).toHaveLength(1);
    await expect(appender.append(one(2))).rejects.toMatchObject({ code: 'log_closed' });
  });
});
