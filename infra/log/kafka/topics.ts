import type { Retention } from '#schemas/topics/topic';
import { LogError, type TopicPartition, type TopicStorage } from '../log.ts';
import { RECORD_BYTES_MAX } from '../record-size.ts';
import { protocolType, toLogError } from './errors.ts';
import type { KafkaClient } from './kafka-client.ts';

const HOUR_MS = 3_600_000;

/** Resource type of Kafka's protocol; Node cannot import kafkajs' own constant. */
const TOPIC_RESOURCE = 2;

type Admin = ReturnType<KafkaClient['kafka']['admin']>;
type Configs = Readonly<Record<string, string>>;

export interface TopicDefaults {
  /** Age up to which raw and derived topics store records, ms. */
  readonly rawMaxAgeMs: number;
  /** Copies of each partition; null for the broker's default. */
  readonly replication: number | null;
}

/** Topics of the cluster, as far as this process knows them, and their creation. */
export class Topics {
  private readonly client: KafkaClient;
  private readonly defaults: TopicDefaults;
  private readonly partitions = new Map<string, number>();
  /** Configurations that this process created or checked. */
  private readonly prepared = new Map<string, string>();

  constructor(client: KafkaClient, defaults: TopicDefaults) {
    this.client = client;
    this.defaults = defaults;
  }

  async create(topics: readonly TopicStorage[]): Promise<void> {
    const byName = new Map(topics.map((topic) => [topic.name, topic]));
    for (const topic of topics) this.checkCount(topic);
    const unprepared = [...byName.values()].filter(
      ({ name, retention }) => this.prepared.get(name) !== JSON.stringify(this.configsOf(retention)),
    );
    if (unprepared.length === 0) return;
    await this.withAdmin('creating topics', async (admin) => {
      await this.load(admin);
      for (const topic of unprepared) this.checkCount(topic);
      const missing = unprepared.filter(({ name }) => !this.partitions.has(name));
      const existing = unprepared.filter(({ name }) => this.partitions.has(name));
      if (existing.length > 0) await this.alterWhereDifferent(admin, existing);
      if (missing.length > 0) await this.createMissing(admin, missing);
      for (const { name, retention } of unprepared) this.prepared.set(name, JSON.stringify(this.configsOf(retention)));
    });
  }

  /** Throws `log_unknown_topic` for a partition that neither this process nor the cluster knows. */
  async check(at: readonly TopicPartition[]): Promise<void> {
    if (at.some(({ topic }) => !this.partitions.has(topic))) await this.withAdmin('reading topic metadata', this.load);
    for (const one of at) this.checkKnown(one);
  }

  /** Like `check`, but uses cached metadata. */
  checkKnown({ topic, partition }: TopicPartition): void {
    const count = this.partitions.get(topic);
    if (count === undefined) throw new LogError('log_unknown_topic', `there is no topic ${topic}`);
    if (!(partition >= 0 && partition < count))
      throw new LogError('log_unknown_topic', `${topic} has no partition ${partition}`);
  }

  /** Returns the indexes of the topic's partitions. */
  async partitionsOf(topic: string): Promise<number[]> {
    await this.check([{ topic, partition: 0 }]);
    return Array.from({ length: this.partitions.get(topic)! }, (_, partition) => partition);
  }

  /** Every partition of the cluster by topic, without Kafka's own topics. */
  async all(): Promise<ReadonlyMap<string, readonly TopicPartition[]>> {
    await this.withAdmin('reading topic metadata', this.load);
    const topics = [...this.partitions].filter(([topic]) => !topic.startsWith('__'));
    return new Map(
      topics.map(([topic, count]) => [topic, Array.from({ length: count }, (_, partition) => ({ topic, partition }))]),
    );
  }

  /** Deletes every record of the topic's partitions. */
  async clear(topic: string): Promise<void> {
    const partitions = await this.partitionsOf(topic);
    await this.withAdmin(`clearing ${topic}`, async (admin) => {
      // Fetching the offsets makes kafkajs learn the leaders, which deleting does not do by itself.
      const ends = await admin.fetchTopicOffsets(topic);
      const filled = ends.filter(({ partition, low, high }) => partitions.includes(partition) && low !== high);
      if (filled.length === 0) return;
      await admin.deleteTopicRecords({
        topic,
        partitions: filled.map(({ partition, high }) => ({ partition, offset: high })),
      });
    });
  }

  private checkCount({ name, partitions }: TopicStorage): void {
    const known = this.partitions.get(name);
    if (known !== undefined && known !== partitions)
      throw new LogError('log_unknown_topic', `${name} has ${known} partitions, not ${partitions}`);
  }

  private readonly load = async (admin: Admin): Promise<void> => {
    const { topics } = await admin.fetchTopicMetadata();
    // Known topics stay known: the queried broker may not know a new topic yet.
    for (const { name, partitions } of topics) this.partitions.set(name, partitions.length);
  };

  private async createMissing(admin: Admin, missing: readonly TopicStorage[]): Promise<void> {
    const made = await this.askToCreate(admin, missing).catch((error: unknown) => {
      // The topic is created, but the broker that was queried for its leader does not know it yet: its users retry.
      if (protocolType(error) === 'UNKNOWN_TOPIC_OR_PARTITION') return true;
      throw error;
    });
    // Another process may have created some of them meanwhile, perhaps differently.
    if (made) for (const { name, partitions } of missing) this.partitions.set(name, partitions);
    else await this.load(admin);
    for (const topic of missing) this.checkCount(topic);
  }

  private askToCreate(admin: Admin, missing: readonly TopicStorage[]): Promise<boolean> {
    const { replication } = this.defaults;
    return admin.createTopics({
      topics: missing.map(({ name, partitions, retention }) => ({
        topic: name,
        numPartitions: partitions,
        ...(replication === null ? {} : { replicationFactor: replication }),
        configEntries: Object.entries(this.configsOf(retention)).map(([key, value]) => ({ name: key, value })),
      })),
    });
  }

  /** Applies changed retention settings; other settings of an operator stay. */
  private async alterWhereDifferent(admin: Admin, topics: readonly TopicStorage[]): Promise<void> {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: topics.map(({ name }) => ({ type: TOPIC_RESOURCE, name })),
    });
    const found = new Map(resources.map((resource) => [resource.resourceName, resource.configEntries]));
    const changes = topics.flatMap(({ name, retention }) => {
      const wanted = this.configsOf(retention);
      const entries = found.get(name) ?? [];
      const has = new Map(entries.map(({ configName, configValue }) => [configName, configValue]));
      if (Object.entries(wanted).every(([key, value]) => has.get(key) === value)) return [];
      const own = entries.filter(({ isDefault }) => !isDefault);
      const all = new Map([
        ...own.map(({ configName, configValue }) => [configName, configValue] as const),
        ...Object.entries(wanted),
      ]);
      const configEntries = [...all].map(([key, value]) => ({ name: key, value }));
      return [{ type: TOPIC_RESOURCE, name, configEntries }];
    });
    if (changes.length > 0) await admin.alterConfigs({ validateOnly: false, resources: changes });
  }

  private configsOf(retention: Retention): Configs {
    const common = { 'max.message.bytes': String(RECORD_BYTES_MAX + 64 * 1024) };
    switch (retention.kind) {
      case 'compacted':
        // With `delete` as second policy, and without an age, a rebuild may clear the topic and nothing else ever
        // expires.
        return {
          ...common,
          'cleanup.policy': 'compact,delete',
          'retention.ms': '-1',
          'min.compaction.lag.ms': String((retention.supersededHours ?? 0) * HOUR_MS),
        };
      case 'forever':
        return { ...common, 'cleanup.policy': 'delete', 'retention.ms': '-1' };
      case 'hours':
        return { ...common, 'cleanup.policy': 'delete', 'retention.ms': String(retention.hours * HOUR_MS) };
      case 'raw':
      case 'derived':
        return { ...common, 'cleanup.policy': 'delete', 'retention.ms': String(this.defaults.rawMaxAgeMs) };
    }
  }

  private async withAdmin(doing: string, work: (admin: Admin) => Promise<void>): Promise<void> {
    const admin = this.client.kafka.admin();
    try {
      await admin.connect();
      await work(admin);
    } catch (error) {
      throw toLogError(error, doing);
    } finally {
      await admin.disconnect();
    }
  }
}
