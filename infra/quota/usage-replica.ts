/**
 * Replicates the usage of organizations and the last use of keys across nodes: reads those of all nodes from
 * `control.usage` and `control.key-uses`, and publishes those of this node. A cluster can exceed a quota by what other
 * nodes serve within `PUBLISH_INTERVAL_MS` and the latency of a record. A killed node loses the usage since its last
 * publication.
 */
import { randomUUID } from 'node:crypto';
import { type KeyUse, KeyUses } from '#schemas/domain/quota/key-uses';
import { type NodeUsage, UsageCounts } from '#schemas/domain/quota/usage-counts';
import { usageKey } from '#schemas/tables/usage';
import { keyUseTopic, usageTopic } from '#schemas/topics/usage';
import type { AppendRecord } from '../log/log.ts';
import { sharedPerLog } from '../log/shared-per-log.ts';
import { type FollowerContext, TopicFollower } from '../stages/topic-follower.ts';

const AT = { topic: usageTopic.name, partition: 0 };
const KEY_USES_AT = { topic: keyUseTopic.name, partition: 0 };
const TOPICS = [usageTopic, keyUseTopic];
const PUBLISH_INTERVAL_MS = 200;
const PRUNE_INTERVAL_MS = 3_600_000;
const DAY_MS = 86_400_000;

export interface UsageReplica {
  readonly counts: UsageCounts;
  readonly keyUses: KeyUses;
  /** Publishes the remaining usage, then stops. */
  close(): Promise<void>;
}

/**
 * Resolves once all usage of today is counted, however long that takes. Rejects with a `LogError` if the log returns none
 * of the remaining records for half a minute. The roles of one process share one replica.
 */
export const openUsageReplica: (context: FollowerContext) => Promise<UsageReplica> = sharedPerLog(startReplica);

async function startReplica(context: FollowerContext): Promise<UsageReplica> {
  const { log, codec } = context;
  await log.createTopics(TOPICS);
  await codec.prepare(TOPICS);
  const now = Date.now();
  // Usage from before today no longer counts.
  const from = await log.offsetAt(AT, now - (now % DAY_MS));
  const replica = new LogUsageReplica(context, from, (await log.bounds(KEY_USES_AT)).first);
  await replica.start();
  return replica;
}

class LogUsageReplica implements UsageReplica {
  readonly counts: UsageCounts;
  readonly keyUses = new KeyUses();
  private readonly context: FollowerContext;
  private readonly follower: TopicFollower<NodeUsage>;
  private readonly keyUseFollower: TopicFollower<KeyUse>;
  private publishing: Promise<void> = Promise.resolve();
  /** Newest receive time in the topics, as far as they are read: a clock that was set back must not decrease it. */
  private lastReceivedAt = 0;
  /** True if the last publication succeeded. */
  private hasPublished = true;
  private publishTimer: NodeJS.Timeout | undefined;
  private pruneTimer: NodeJS.Timeout | undefined;

  /**
   * @param from offset of the first usage that counts.
   * @param keyUsesFrom offset of the first use of a key.
   */
  constructor(context: FollowerContext, from: number, keyUsesFrom: number) {
    this.context = context;
    this.counts = new UsageCounts(randomUUID());
    this.follower = new TopicFollower(context, {
      topic: usageTopic,
      part: 'usage',
      from,
      handle: (usage, { receivedAt }) => {
        this.lastReceivedAt = Math.max(this.lastReceivedAt, receivedAt);
        this.counts.apply(usage);
      },
    });
    this.keyUseFollower = new TopicFollower(context, {
      topic: keyUseTopic,
      part: 'key-uses',
      from: keyUsesFrom,
      handle: (use, { receivedAt }) => {
        this.lastReceivedAt = Math.max(this.lastReceivedAt, receivedAt);
        this.keyUses.apply(use);
      },
    });
  }

  async start(): Promise<void> {
    for (const follower of [this.follower, this.keyUseFollower]) {
      await follower.catchUp();
      await follower.start();
    }
    this.publishTimer = setInterval(() => void this.publish(), PUBLISH_INTERVAL_MS);
    this.pruneTimer = setInterval(() => this.counts.prune(Date.now()), PRUNE_INTERVAL_MS);
  }

  async close(): Promise<void> {
    clearInterval(this.publishTimer);
    clearInterval(this.pruneTimer);
    await this.follower.close();
    await this.keyUseFollower.close();
    await this.publish();
  }

  /** Publishes one batch at a time, so that a node's totals are in order in the log. */
  private publish(): Promise<void> {
    this.publishing = this.publishing.then(async () => {
      const unpublished = this.counts.drainUnpublished();
      const uses = this.keyUses.drainUnpublished();
      if (unpublished.length + uses.length === 0) return;
      try {
        this.lastReceivedAt = Math.max(this.lastReceivedAt, Date.now());
        await this.context.log.append([
          ...unpublished.map((usage) => this.recordOf(usage)),
          ...uses.map((use) => this.recordOfUse(use)),
        ]);
        this.hasPublished = true;
      } catch (error) {
        this.counts.markUnpublished(unpublished);
        this.keyUses.markUnpublished(uses);
        // Retried at the next interval; logged once.
        if (this.hasPublished) this.context.logger.warn({ error }, 'could not publish usage, retrying');
        this.hasPublished = false;
      }
    });
    return this.publishing;
  }

  private recordOf(usage: NodeUsage): AppendRecord {
    const value = this.context.codec.encode(usageTopic, usage);
    return { ...AT, key: usageKey(usage), value, receivedAt: this.lastReceivedAt, seq: 0 };
  }

  private recordOfUse(use: KeyUse): AppendRecord {
    const value = this.context.codec.encode(keyUseTopic, use);
    return { ...KEY_USES_AT, key: use.keyId, value, receivedAt: this.lastReceivedAt, seq: 0 };
  }
}
