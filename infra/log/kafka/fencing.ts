/**
 * Fences older writers. All holders of a lease write under one transactional id, and each starts with its next producer
 * epoch.
 * The markers of one empty transaction carry that epoch into every partition; from then on a broker refuses records
 * with an older one. The records themselves are not transactional: they are readable immediately and cost one request.
 */
import { backoff } from '../../runtime/retry.ts';
import type { TopicPartition } from '../log.ts';
import { protocolType } from './errors.ts';
import { groupBy } from './group-by.ts';
import type { Cluster, TransactionCoordinator } from './kafka-client.ts';
import type { ProducerIdentity } from './producer-numbers.ts';

const TRANSACTION = 1;
/** The broker ends an open transaction after this. */
const TRANSACTION_TIMEOUT_MS = 30_000;
const RETRY_FOR_MS = 30_000;
/**
 * Protocol errors while a coordinator moves, loads, or still writes the markers of the previous transaction, or while a
 * topic is very new.
 */
const TRANSIENT = new Set([
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

  /**
   * Starts the next producer epoch. A holder of an older one can write no markers any more, but may still write records until
   * the new one has written its markers.
   */
  next(): Promise<ProducerIdentity> {
    const { transactionalId } = this;
    return this.callCoordinator(async (coordinator) => {
      const request = { transactionalId, transactionTimeout: TRANSACTION_TIMEOUT_MS };
      const { producerId, producerEpoch } = await coordinator.initProducerId(request);
      return { producerId, producerEpoch };
    });
  }

  /**
   * Writes markers of a producer epoch into the partitions; resolves when all of them are written. Rejects with
   * `INVALID_PRODUCER_EPOCH` if there is a newer epoch.
   * @param witness another partition, whose transaction proves that the first one has ended.
   */
  async mark(identity: ProducerIdentity, partitions: readonly TopicPartition[], witness: TopicPartition) {
    await this.writeMarks(identity, partitions);
    // Markers are written after the broker has reported the end of the transaction. Another transaction cannot start
    // before.
    await this.writeMarks(identity, [witness]);
  }

  private async writeMarks(identity: ProducerIdentity, partitions: readonly TopicPartition[]): Promise<void> {
    const { transactionalId } = this;
    const topics = [...groupBy(partitions, ({ topic }) => topic)].map(([topic, at]) => ({
      topic,
      partitions: at.map(({ partition }) => partition),
    }));
    await this.callCoordinator((coordinator) =>
      coordinator.addPartitionsToTxn({ ...identity, transactionalId, topics }),
    );
    await this.callCoordinator((coordinator) =>
      coordinator.endTxn({ ...identity, transactionalId, transactionResult: true }),
    );
  }

  private async callCoordinator<T>(request: (coordinator: TransactionCoordinator) => Promise<T>): Promise<T> {
    const deadline = Date.now() + RETRY_FOR_MS;
    for (let attempt = 0; ; attempt += 1) {
      try {
        const of = { groupId: this.transactionalId, coordinatorType: TRANSACTION };
        return await request(await this.cluster.findGroupCoordinator(of));
      } catch (error) {
        if (!TRANSIENT.has(protocolType(error) ?? '') || Date.now() >= deadline) throw error;
        await backoff(Math.min(attempt, 4));
      }
    }
  }
}
