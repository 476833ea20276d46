/**
 * Decides which of several processes holds a lease: a consumer group with a single partition and a sticky assignment.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AssignerProtocol, type Consumer, type PartitionAssigner } from 'kafkajs';
import { retry } from '../../runtime/retry.ts';
import { LogError, type TopicStorage } from '../log.ts';
import { protocolType, toLogError } from './errors.ts';
import { type KafkaClient, RETRY } from './kafka-client.ts';

/** Contains only Kafka's own markers. The name starts with an underscore: it belongs to this adapter. */
export const leaseTopic: TopicStorage = {
  name: '_parallax.leases',
  partitions: 1,
  retention: { kind: 'hours', hours: 1 },
};

export const LEASE_AT = { topic: leaseTopic.name, partition: 0 } as const;

const JOIN_TIMEOUT_MS = 60_000;
const FETCH_WAIT_MS = 1_000;
const SUBSCRIBE_ATTEMPTS = 8;

export interface LeaseMemberOptions {
  readonly client: KafkaClient;
  readonly groupId: string;
  /** A member that is silent for this long loses its place, ms. */
  readonly timeoutMs: number;
  /** Rank of this member: the lease is assigned to the highest. */
  readonly rank: () => number;
  /** Called after each rebalance with whether this member is assigned the lease. */
  readonly onAssigned: (assigned: boolean) => void;
}

export class LeaseMember {
  private readonly options: LeaseMemberOptions;
  private readonly consumer: Consumer;
  /** Id that the group stores when this member confirms the lease. */
  private readonly id = randomUUID();
  /** Number of rebalances so far. */
  private rounds = 0;
  private left = false;
  assigned = false;

  constructor(options: LeaseMemberOptions) {
    this.options = options;
    const { client, groupId, timeoutMs, rank } = options;
    this.consumer = client.kafka.consumer({
      groupId,
      partitionAssigners: [byRank(rank)],
      sessionTimeout: timeoutMs,
      rebalanceTimeout: timeoutMs,
      heartbeatInterval: Math.floor(timeoutMs / 5),
      maxWaitTimeInMs: Math.min(FETCH_WAIT_MS, Math.floor(timeoutMs / 5)),
      allowAutoTopicCreation: false,
      readUncommitted: true,
      retry: { ...RETRY, retries: 15, restartOnFailure: async () => !this.left },
    });
  }

  /** Joins the group; resolves after its first rebalance. */
  async join(): Promise<void> {
    const joined = new Promise<void>((resolve) => {
      this.consumer.on(this.consumer.events.GROUP_JOIN, ({ payload }) => {
        if (this.left) return;
        this.rounds += 1;
        this.assigned = (payload.memberAssignment[leaseTopic.name] ?? []).length > 0;
        this.options.onAssigned(this.assigned);
        resolve();
      });
    });
    const ending = new AbortController();
    const deadline = sleep(JOIN_TIMEOUT_MS, undefined, { signal: ending.signal }).then(
      () => Promise.reject(new LogError('log_unavailable', `Kafka: group ${this.options.groupId} could not be joined`)),
      () => {},
    );
    try {
      await this.consumer.connect();
      // A broker may not know a new topic yet.
      await retry(() => this.consumer.subscribe({ topics: [leaseTopic.name] }), {
        canRetry: (error, failures) => failures < SUBSCRIBE_ATTEMPTS && isUnknownTopic(error),
      });
      await this.consumer.run({ autoCommit: false, eachBatch: async () => {} });
      await Promise.race([joined, deadline]);
    } catch (error) {
      await this.leave();
      throw toLogError(error, `joining group ${this.options.groupId}`);
    } finally {
      ending.abort();
    }
  }

  /**
   * Confirms the lease with the group, which stores the member's id with its offset. Resolves with `held`, or with
   * `superseded` if this member was the holder and another one has held it since, even if that is gone. Rejects with
   * `log_fenced` if this member is not in the group now.
   */
  async confirm(isHolder: boolean): Promise<'held' | 'superseded'> {
    const { groupId } = this.options;
    if (!this.assigned || this.left) throw new LogError('log_fenced', `another process holds ${groupId}`);
    const { rounds } = this;
    try {
      if (isHolder && (await this.newestHolder()) !== this.id) return 'superseded';
      // Otherwise the answer may be older than the membership that would overwrite it.
      if (this.rounds !== rounds) throw new LogError('log_unavailable', `Kafka: group ${groupId} is rebalancing`);
      await this.consumer.commitOffsets([{ ...LEASE_AT, offset: '0', metadata: this.id }]);
      return 'held';
    } catch (error) {
      throw toLogError(error, `confirming ${groupId}`);
    }
  }

  /** Returns the id of the member that confirmed last. */
  private async newestHolder(): Promise<string | null> {
    const { client, groupId } = this.options;
    const admin = client.kafka.admin();
    try {
      await admin.connect();
      const [ofTopic] = await admin.fetchOffsets({ groupId, topics: [leaseTopic.name] });
      const noted = ofTopic?.partitions.find(({ partition }) => partition === LEASE_AT.partition);
      // This member's own id was stored: an answer without any comes from a broker that is still loading.
      if (!noted || Number(noted.offset) < 0)
        throw new LogError('log_unavailable', `Kafka: group ${groupId} does not know its holder yet`);
      return noted.metadata;
    } finally {
      await admin.disconnect();
    }
  }

  async leave(): Promise<void> {
    if (this.left) return;
    this.left = true;
    this.assigned = false;
    await this.consumer.disconnect();
  }
}

function isUnknownTopic(error: unknown): boolean {
  return protocolType(error) === 'UNKNOWN_TOPIC_OR_PARTITION';
}

/** Assigns the lease to the member of the highest rank; among equals to the lowest id. */
function byRank(rank: () => number): PartitionAssigner {
  const name = 'ParallaxLease';
  const version = 1;
  const { MemberMetadata, MemberAssignment } = AssignerProtocol;
  return () => ({
    name,
    version,
    protocol: ({ topics }) => ({
      name,
      metadata: MemberMetadata.encode({ version, topics, userData: Buffer.from(String(rank())) }),
    }),
    assign: async ({ members }) => {
      const ranked = members
        .map(({ memberId, memberMetadata }) => ({
          memberId,
          rank: Number(MemberMetadata.decode(memberMetadata)?.userData.toString() ?? -1),
        }))
        .sort((a, b) => b.rank - a.rank || (a.memberId < b.memberId ? -1 : 1));
      const assignment = { [leaseTopic.name]: [LEASE_AT.partition] };
      const first = ranked[0];
      if (!first) return [];
      return [
        {
          memberId: first.memberId,
          memberAssignment: MemberAssignment.encode({ version, assignment, userData: Buffer.alloc(0) }),
        },
      ];
    },
  });
}
