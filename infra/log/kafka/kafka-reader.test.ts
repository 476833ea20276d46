import { afterEach, describe, expect, it } from 'vitest';
import type { Broker, Cluster, KafkaClient } from './kafka-client.ts';
import { KafkaReader } from './kafka-reader.ts';
import { WatermarkBoard } from './watermark-board.ts';

type Request = Parameters<Broker['fetch']>[0];
type Answer = Awaited<ReturnType<Broker['fetch']>>;

const TOPIC = 'quiet';
const [FIRST, SECOND] = [0, 1].map((partition) => ({ topic: TOPIC, partition })) as [
  { topic: string; partition: number },
  { topic: string; partition: number },
];

/** A broker that leads all partitions, and has an answer to the newest fetch when a test gives one. */
function startBroker() {
  const requests: Request[] = [];
  let answer: (answer: Answer) => void = () => {};
  let pending: Promise<unknown> = Promise.resolve();
  const broker: Broker = {
    fetch: (request) => {
      requests.push(request);
      const answered = new Promise<Answer>((resolve) => {
        answer = resolve;
      });
      pending = answered;
      return answered;
    },
  };
  const cluster = {
    connect: async () => {},
    // As kafkajs does, waits for pending requests.
    disconnect: async () => void (await pending),
    addMultipleTargetTopics: async () => {},
    findLeaderForPartitions: (_topic: string, partitions: readonly number[]) => ({ 1: [...partitions] }),
    findBroker: async () => broker,
  } as unknown as Cluster;
  return {
    requests,
    client: { cluster: () => cluster } as unknown as KafkaClient,
    /** Answers the newest fetch: there are no records. */
    answerNothing: () => answer({ responses: [] }),
  };
}

const partitionsOf = ({ topics }: Request) => topics.flatMap(({ partitions }) => partitions.map((at) => at.partition));
const turn = () => new Promise(setImmediate);

describe('a reader of quiet partitions', () => {
  const broker = startBroker();
  const reader = new KafkaReader(
    [FIRST, SECOND].map((at) => ({ ...at, offset: 0 })),
    { client: broker.client, board: new WatermarkBoard(), logger: undefined, onClose: () => {} },
  );
  afterEach(() => broker.requests.splice(0));
  const fetchAgain = async () => {
    broker.answerNothing();
    await turn();
    return broker.requests.at(-1)!;
  };

  it('lets the broker wait long for records of all partitions, and briefly while one is left out', async () => {
    await reader.open();
    await turn();
    const all = broker.requests.at(-1)!;
    expect(partitionsOf(all)).toEqual([0, 1]);
    reader.pause(SECOND, true);
    const one = await fetchAgain();
    expect(partitionsOf(one)).toEqual([0]);
    reader.pause(SECOND, false);
    const allAgain = await fetchAgain();
    expect(partitionsOf(allAgain)).toEqual([0, 1]);
    expect(allAgain.maxWaitTime).toBe(all.maxWaitTime);
    expect(one.maxWaitTime).toBeLessThanOrEqual(all.maxWaitTime / 10);
  });

  it('closes without waiting for the answer to a pending fetch', async () => {
    await reader.close();
    await expect(reader.poll(1, 0)).rejects.toMatchObject({ code: 'log_closed' });
    broker.answerNothing();
    await turn();
    expect(broker.requests).toEqual([]);
  });
});
