/**
 * Checks by which a holder of a lease detects that it still holds it, after it lost its broker or was away from the
 * group.
 */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { recordOf } from '../conformance/records.fixture.ts';
import type { KafkaClient } from './kafka-client.ts';
import { acquireLease, type KafkaLease } from './kafka-lease.ts';
import { KafkaWriter } from './kafka-writer.ts';
import { LEASE_AT } from './lease-member.ts';
import { WatermarkBoard } from './watermark-board.ts';

const AT = { topic: 'owned', partition: 0 };
const failure = (type: string) => Object.assign(new Error(type), { type });

/** One broker with one group and one transactional id, whose answers a test can delay. */
class Double {
  epoch = 0;
  /** Metadata that the group has stored with its offset. */
  note: string | null = null;
  /** Accepted records with their epoch. */
  readonly accepted: [seq: string, epoch: number][] = [];
  sendsFail = 0;
  /** Error with which the group answers every member. */
  groupFault: string | null = null;
  onEpoch = () => {};
  onMark = () => {};
  private emitJoined: (event: { payload: { memberAssignment: Record<string, number[]> } }) => void = () => {};

  readonly client = {
    kafka: { consumer: () => this.consumer(), admin: () => this.admin() },
    cluster: () => ({
      connect: async () => {},
      disconnect: async () => {},
      findGroupCoordinator: async () => this.coordinator,
    }),
    producerOf: () => this.producer(),
  } as unknown as KafkaClient;

  /** A rebalance of the group. */
  join(assigned: boolean): void {
    this.emitJoined({
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
      on: (_event: string, listener: typeof this.emitJoined) => {
        this.emitJoined = listener;
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
          for (const { headers } of messages) this.accepted.push([String(headers.s), epoch]);
        return [{ topicName: AT.topic, partition: AT.partition, baseOffset: '0' }];
      },
    };
  }
}

describe('the holder of a lease', () => {
  const leases: KafkaLease[] = [];
  afterEach(() => Promise.all(leases.splice(0).map((lease) => lease.release())));

  async function take(broker: Double) {
    const lease = await acquireLease(
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

  it('retains it if the group rebalances during a claim', async () => {
    const broker = new Double();
    const { lost, append } = await take(broker);
    await append(1);
    broker.sendsFail = 1;
    // The broker has restarted: the group readmits its member only after a while, and reports it.
    broker.onEpoch = () => {
      broker.groupFault = 'REBALANCE_IN_PROGRESS';
      setTimeout(() => broker.join(true), 20);
      setTimeout(() => {
        broker.groupFault = null;
      }, 120);
    };
    await append(2);
    expect(broker.accepted).toEqual([
      ['1', 1],
      ['2', 2],
    ]);
    await append(3);
    expect(lost).not.toHaveBeenCalled();
  });

  it('retains it if a claim failed after its epoch was raised', async () => {
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
    expect(broker.accepted).toEqual([['1', 3]]);
    expect(lost).not.toHaveBeenCalled();
  });

  it('loses it if another process held it meanwhile, even if that is gone', async () => {
    const broker = new Double();
    const { lease, append } = await take(broker);
    await append(1);
    broker.note = 'another member';
    broker.join(true);
    await expect(lease.lost).rejects.toMatchObject({ code: 'log_fenced' });
    await expect(append(2)).rejects.toMatchObject({ code: 'log_fenced' });
    expect(broker.accepted).toEqual([['1', 1]]);
  });

  it('gets no epoch above that of another process that held it while its own broker was lost', async () => {
    const broker = new Double();
    const { lease, append } = await take(broker);
    broker.sendsFail = 1;
    broker.note = 'another member';
    await expect(append(1)).rejects.toMatchObject({ code: 'log_fenced' });
    await expect(lease.lost).rejects.toMatchObject({ code: 'log_fenced' });
    expect([broker.epoch, broker.accepted]).toEqual([1, []]);
  });

  it('stops writing if it loses the lease while it writes markers', async () => {
    const broker = new Double();
    const { lease, append } = await take(broker);
    broker.sendsFail = 1;
    broker.onMark = () => broker.join(false);
    await expect(append(1)).rejects.toMatchObject({ code: 'log_fenced' });
    await expect(lease.lost).rejects.toMatchObject({ code: 'log_fenced' });
    expect(broker.accepted).toEqual([]);
  });

  it('is refused immediately after the group reassigned it, whatever the brokers still accept', async () => {
    const broker = new Double();
    const { lease, append } = await take(broker);
    await append(1);
    broker.join(false);
    await expect(append(2)).rejects.toMatchObject({ code: 'log_fenced' });
    await expect(lease.lost).rejects.toMatchObject({ code: 'log_fenced' });
    expect(broker.accepted).toEqual([['1', 1]]);
  });

  it('does not get the lease if the group assigns it to another while it writes its first markers', async () => {
    const broker = new Double();
    broker.onMark = () => {
      broker.onMark = () => {};
      broker.join(false);
      setTimeout(() => broker.join(true), 50);
    };
    const { append } = await take(broker);
    await append(1);
    expect(broker.accepted).toEqual([['1', 2]]);
  });
});
