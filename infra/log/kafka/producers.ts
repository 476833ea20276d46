import { type BatchProducer, type KafkaClient, PRODUCER_RETRY } from './kafka-client.ts';

/** Connects a producer for topics that several processes may write; each record names its partition. */
export async function connectProducer(client: KafkaClient): Promise<BatchProducer> {
  const producer = client.kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    createPartitioner: () => (args) => args.message.partition!,
    retry: PRODUCER_RETRY,
  });
  try {
    await producer.connect();
    return producer;
  } catch (error) {
    await producer.disconnect();
    throw error;
  }
}
