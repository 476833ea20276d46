import type { Database } from 'lmdb';
import { LogError, type TopicPartition, type TopicStorage } from '../log.ts';
import type { LogEnvironment } from './environment.ts';
import { openPartitions, type Partition } from './partition.ts';

export interface KnownTopic {
  readonly storage: TopicStorage;
  readonly partitions: readonly Partition[];
}

/** The topics of the log, as stored in the environment and as opened by this process. */
export class TopicTable {
  private readonly environment: LogEnvironment;
  private readonly stored: Database<TopicStorage, string> | null;
  private readonly topics = new Map<string, KnownTopic>();

  constructor(environment: LogEnvironment) {
    this.environment = environment;
    this.stored = environment.json<TopicStorage>('topics');
    this.load();
  }

  /** Every topic, in no particular order. */
  all(): readonly KnownTopic[] {
    return [...this.topics.values()];
  }

  /** Partitions of a topic; throws `log_unknown_topic`. */
  partitionsOf(topic: string): readonly Partition[] {
    const known = this.topics.get(topic);
    if (!known) throw new LogError('log_unknown_topic', `there is no topic ${topic}`);
    return known.partitions;
  }

  /** Throws `log_unknown_topic`. */
  partitionAt({ topic, partition }: TopicPartition): Partition {
    const found = this.partitionsOf(topic)[partition];
    if (!found) throw new LogError('log_unknown_topic', `${topic} has no partition ${partition}`);
    return found;
  }

  /** Creates topics that do not exist, all or none; a changed retention replaces the old one. */
  create(topics: readonly TopicStorage[]): void {
    const changed = topics.filter((topic) => this.differs(topic));
    if (changed.length === 0) return;
    const made = this.environment.transact(() =>
      changed.map(({ name, partitions, retention }) => {
        const storage = { name, partitions, retention };
        this.stored!.putSync(name, storage);
        const known = this.topics.get(name)?.partitions;
        return { storage, partitions: known ?? openPartitions(this.environment, name, partitions) };
      }),
    );
    for (const topic of made) this.topics.set(topic.storage.name, topic);
  }

  /** Throws `log_unknown_topic` if a topic does not exist or has another partition count. */
  require(topics: readonly TopicStorage[]): void {
    this.load();
    for (const topic of topics) {
      this.partitionsOf(topic.name);
      this.differs(topic);
    }
  }

  /** Opens topics that are stored but not known here yet. */
  load(): void {
    if (!this.stored) return;
    const fresh = [...this.stored.getRange()].map(({ value }) => value).filter(({ name }) => !this.topics.has(name));
    for (const storage of fresh) {
      const partitions = openPartitions(this.environment, storage.name, storage.partitions);
      this.topics.set(storage.name, { storage, partitions });
    }
  }

  private differs({ name, partitions, retention }: TopicStorage): boolean {
    const known = this.topics.get(name)?.storage;
    if (!known) return true;
    if (known.partitions !== partitions)
      throw new LogError('log_unknown_topic', `${name} has ${known.partitions} partitions, not ${partitions}`);
    return JSON.stringify(known.retention) !== JSON.stringify(retention);
  }
}
