/**
 * How an older writer is kept out. All holders of a lease write under one transactional id, and each begins with its
 * next epoch. The marks of one empty transaction carry that epoch into every partition; from then on a broker refuses
 * what comes with an older one. The records themselves are not transactional: they are readable at once and cost one
 * request.
 */
import { backoff } from '../../retry.ts';
import type { TopicPartition } from '../log.ts';
import { protocolType } from './errors.ts';
import { groupBy } from './group-by.ts';
import type { Cluster, TransactionCoordinator } from './kafka-client.ts';
import type { ProducerIdentity } from './producer-numbers.ts';

const TRANSACTION = 1;
/** The broker ends a transaction that was left open after this. */
const TRANSACTION_TIMEOUT_MS = 30_000;
const RETRY_FOR_MS = 30_000;
/** A coordinator moves, loads, or is still busy with the marks of the transaction before; a topic may be very new. */
const PASSING = new Set([
  'CONCURRENT_TRANSACTIONS',
  'GROUP_LOAD_IN_PROGRESS',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'NOT_COORDINATOR_FOR_GROUP',
  'UNKNOWN_TOPIC_OR_PARTITION',
]);

export class Fence {
  private readonly cluster: Cluster;
  private readonly transactionalId: string;

  /** @param cluster connected, and disconnected by its owner. */
  constructor(cluster: Cluster, transactionalId: string) {
    this.cluster = cluster;
    this.transactionalId = transactionalId;
  }

  /** The next epoch. Who has an older one can put no mark any more, but may still write until the new one has. */
  next(): Promise<ProducerIdentity> {
    const { transactionalId } = this;
    return this.ask(async (coordinator) => {
      const request = { transactionalId, transactionTimeout: TRANSACTION_TIMEOUT_MS };
      const { producerId, producerEpoch } = await coordinator.initProducerId(request);
      return { producerId, producerEpoch };
    });
  }

  /**
   * Marks the partitions with an epoch; when it resolves, every mark is there. Rejects with `INVALID_PRODUCER_EPOCH`
   * when there is a newer one.
   *
   * @param witness a partition beside them.
   */
  async mark(identity: ProducerIdentity, partitions: readonly TopicPartition[], witness: TopicPartition) {
    await this.touch(identity, partitions);
    // Marks are written after the transaction was told to have ended. Another one cannot begin before.
    await this.touch(identity, [witness]);
  }

  private async touch(identity: ProducerIdentity, partitions: readonly TopicPartition[]): Promise<void> {
    const { transactionalId } = this;
    const topics = [...groupBy(partitions, ({ topic }) => topic)].map(([topic, at]) => ({
      topic,
      partitions: at.map(({ partition }) => partition),
    }));
    await this.ask((coordinator) => coordinator.addPartitionsToTxn({ ...identity, transactionalId, topics }));
    await this.ask((coordinator) => coordinator.endTxn({ ...identity, transactionalId, transactionResult: true }));
  }

  private async ask<T>(request: (coordinator: TransactionCoordinator) => Promise<T>): Promise<T> {
    const deadline = Date.now() + RETRY_FOR_MS;
    for (let attempt = 0; ; attempt += 1) {
      try {
        const of = { groupId: this.transactionalId, coordinatorType: TRANSACTION };
        return await request(await this.cluster.findGroupCoordinator(of));
      } catch (error) {
        if (!PASSING.has(protocolType(error) ?? '') || Date.now() >= deadline) throw error;
        await backoff(Math.min(attempt, 4));
      }
    }
  }
}
