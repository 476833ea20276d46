/** How a holder of a lease tells that it is one still, when it has lost its broker or was away from the group. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { recordOf } from '../conformance/records.fixture.ts';
import type { KafkaClient } from './kafka-client.ts';
import { type KafkaLease, takeLease } from './kafka-lease.ts';
import { KafkaWriter } from './kafka-writer.ts';
import { LEASE_AT } from './lease-member.ts';
import { WatermarkBoard } from './watermark-board.ts';

const AT = { topic: 'owned', partition: 0 };
const failure = (type: string) => Object.assign(new Error(type), { type });

/** One broker with one group and one transactional id, whose answers a test can hold up. */
class Double {
  epoch = 0;
  /** What the group has noted with its offset. */
  note: string | null = null;
  /** Taken records with the epoch under which they came. */
  readonly taken: [seq: string, epoch: number][] = [];
  sendsFail = 0;
  /** Why the group answers no member. */
  groupFault: string | null = null;
  onEpoch = () => {};
  onMark = () => {};
  private tellJoined: (event: { payload: { memberAssignment: Record<string, number[]> } }) => void = () => {};

  readonly client = {
    kafka: { consumer: () => this.consumer(), admin: () => this.admin() },
    cluster: () => ({
      connect: async () => {},
      disconnect: async () => {},
      findGroupCoordinator: async () => this.coordinator,
    }),
    producerOf: () => this.producer(),
  } as unknown as KafkaClient;

  /** A round of the group. */
  join(assigned: boolean): void {
    this.tellJoined({
      payload: { memberAssignment: assigned ? { [LEASE_AT.topic]: [LEASE_AT.partition] } : {} },
    });
  }

  private readonly coordinator = {
    initProducerId: async () => {
      this.epoch += 1;
      this.onEpoch();
      return { producerId: 7, producerEpoch: this.epoch };
    },
    addPartitionsToTxn: async ({ producerEpoch }: { producerEpoch: number }) => {
      this.onMark();
      if (producerEpoch < this.epoch) throw failure('INVALID_PRODUCER_EPOCH');
    },
    endTxn: async () => {},
  };

  private consumer() {
    return {
      events: { GROUP_JOIN: 'joined' },
      on: (_event: string, listener: typeof this.tellJoined) => {
        this.tellJoined = listener;
      },
      connect: async () => {},
      disconnect: async () => {},
      subscribe: async () => {},
      run: async () => this.join(true),
      commitOffsets: async ([{ metadata }]: [{ metadata: string }]) => {
        if (this.groupFault) throw failure(this.groupFault);
        this.note = metadata;
      },
    };
  }

  private admin() {
    return {
      connect: async () => {},
      disconnect: async () => {},
      fetchOffsets: async () => [
        { topic: LEASE_AT.topic, partitions: [{ ...LEASE_AT, offset: '0', metadata: this.note }] },
      ],
    };
  }

  private producer() {
    const { epoch } = this;
    return {
      disconnect: async () => {},
      sendBatch: async ({ topicMessages }: { topicMessages: { messages: { headers: { s: string } }[] }[] }) => {
        if (this.sendsFail > 0) {
          this.sendsFail -= 1;
          throw new Error('the connection was lost');
        }
        for (const { messages } of topicMessages)
          for (const { headers } of messages) this.taken.push([String(headers.s), epoch]);
        return [{ topicName: AT.topic, partition: AT.partition, baseOffset: '0' }];
      },
    };
  }
}

describe('the holder of a lease', () => {
  const leases: KafkaLease[] = [];
  afterEach(() => Promise.all(leases.splice(0).map((lease) => lease.release())));

  async function take(broker: Double) {
    const lease = await takeLease(
      {
        client: broker.client,
        name: 'lease',
        partitions: [AT],
        timeoutMs: 4_000,
        logger: undefined,
        openWriter: (options) =>
          new KafkaWriter({
            ...options,
            board: new WatermarkBoard(),
            writerId: 'writer',
            intervalMs: 50,
            bounds: async () => ({ first: 0, next: 0 }),
            logger: undefined,
          }),
      },
      {},
    );
    leases.push(lease);
    const lost = vi.fn();
    lease.lost.catch(lost);
    return { lease, lost, append: (seq: number) => lease.writer.appender.append([recordOf(AT, seq)]) };
  }

  it('keeps it when the group decides anew while it takes its next epoch', async () => {
    const broker = new Double();
    const { lost, append } = await take(broker);
    await append(1);
    broker.sendsFail = 1;
    // The broker has restarted: the group lets its member in again only after a while, and tells of it.
    broker.onEpoch = () => {
      broker.groupFault = 'REBALANCE_IN_PROGRESS';
      setTimeout(() => broker.join(true), 20);
      setTimeout(() => {
        broker.groupFault = null;
      }, 120);
    };
    await append(2);
    expect(broker.taken).toEqual([
      ['1', 1],
      ['2', 2],
    ]);
    await append(3);
    expect(lost).not.toHaveBeenCalled();
  });

  it('keeps it when an epoch was raised and the attempt failed after that', async () => {
    const broker = new Double();
    const { lost, append } = await take(broker);
    broker.sendsFail = 1;
    let isFirst = true;
    broker.onMark = () => {
      if (!isFirst) return;
      isFirst = false;
      broker.join(true);
      throw new Error('the connection was lost');
    };
    await append(1);
    expect(broker.taken).toEqual([['1', 3]]);
    expect(lost).not.toHaveBeenCalled();
  });

  it('loses it when another one held it while it was away, though that is gone again', async () => {
    const broker = new Double();
    const { lease, append } = await take(broker);
    await append(1);
    broker.note = 'another member';
    broker.join(true);
    await expect(lease.lost).rejects.toMatchObject({ code: 'log_fenced' });
    await expect(append(2)).rejects.toMatchObject({ code: 'log_fenced' });
    expect(broker.taken).toEqual([['1', 1]]);
  });

  it('takes no epoch above the one of another that held it while its own broker was lost', async () => {
    const broker = new Double();
    const { lease, append } = await take(broker);
    broker.sendsFail = 1;
    broker.note = 'another member';
    await expect(append(1)).rejects.toMatchObject({ code: 'log_fenced' });
    await expect(lease.lost).rejects.toMatchObject({ code: 'log_fenced' });
    expect([broker.epoch, broker.taken]).toEqual([1, []]);
  });

  it('writes nothing more when it loses it while it marks its next epoch', async () => {
    const broker = new Double();
    const { lease, append } = await take(broker);
    broker.sendsFail = 1;
    broker.onMark = () => broker.join(false);
    await expect(append(1)).rejects.toMatchObject({ code: 'log_fenced' });
    await expect(lease.lost).rejects.toMatchObject({ code: 'log_fenced' });
    expect(broker.taken).toEqual([]);
  });

  it('is refused at once where the group has given it away, whatever the brokers still take', async () => {
    const broker = new Double();
    const { lease, append } = await take(broker);
    await append(1);
    broker.join(false);
    await expect(append(2)).rejects.toMatchObject({ code: 'log_fenced' });
    await expect(lease.lost).rejects.toMatchObject({ code: 'log_fenced' });
    expect(broker.taken).toEqual([['1', 1]]);
  });

  it('is none yet when another one is given the lease while it marks its first epoch', async () => {
    const broker = new Double();
    broker.onMark = () => {
      broker.onMark = () => {};
      broker.join(false);
      setTimeout(() => broker.join(true), 50);
    };
    const { append } = await take(broker);
    await append(1);
    expect(broker.taken).toEqual([['1', 2]]);
  });
});
