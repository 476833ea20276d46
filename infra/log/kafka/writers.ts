import { type AppendRecord, LogError, type Watermark } from '../log.ts';
import { groupBy } from './group-by.ts';
import type { KafkaWriter } from './kafka-writer.ts';

/** Selects the producer for each topic: each lease has its own, and one is shared by all other topics. */
export class Writers {
  private readonly shared: KafkaWriter;
  /** Writers by topic. A writer stays after its lease is lost or released, and then refuses appends. */
  private readonly leased = new Map<string, KafkaWriter>();

  constructor(shared: KafkaWriter) {
    this.shared = shared;
  }

  of(topic: string): KafkaWriter {
    return this.leased.get(topic) ?? this.shared;
  }

  lease(topics: readonly string[], writer: KafkaWriter): void {
    for (const topic of topics) this.leased.set(topic, writer);
  }

  /** Rejects only after all parts have ended, so that a retry cannot be overtaken by an earlier part. */
  async append(records: readonly AppendRecord[]): Promise<void> {
    const parts = this.leased.size === 0 ? null : this.split(records);
    if (!parts) return this.shared.appender.append(records);
    const ends = await Promise.allSettled([...parts].map(([writer, own]) => writer.appender.append(own)));
    const errors = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
    const lasting = errors.find((error) => !(error instanceof LogError) || !error.canRetry);
    if (errors.length > 0) throw lasting ?? errors[0];
  }

  advance(watermarks: readonly Watermark[]): void {
    for (const [writer, own] of this.split(watermarks)) writer.watermarks.advance(own);
  }

  private split<T extends { readonly topic: string }>(items: readonly T[]): Map<KafkaWriter, T[]> {
    const parts = new Map<KafkaWriter, T[]>();
    for (const [topic, own] of groupBy(items, (item) => item.topic)) {
      const writer = this.of(topic);
      const part = parts.get(writer) ?? [];
      parts.set(writer, part);
      for (const item of own) part.push(item);
    }
    return parts;
  }
}
