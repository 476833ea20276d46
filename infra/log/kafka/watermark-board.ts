import type { TopicPartition, Watermark } from '../log.ts';
import { partitionName } from '../partition-name.ts';

/** A promise with the offset from which it holds: a reader that has reached this offset may rely on it. */
export interface Promised extends Watermark {
  readonly from: number;
}

/** The newest known promise of every partition, and listeners for the next one. */
export class WatermarkBoard {
  private readonly promises = new Map<string, Promised>();
  private readonly listeners = new Map<string, Set<() => void>>();

  get(at: TopicPartition): Promised | undefined {
    return this.promises.get(partitionName(at));
  }

  /** Stores a promise unless a newer one is known. */
  put(promised: Promised): void {
    const key = partitionName(promised);
    const known = this.promises.get(key);
    if (known && known.watermark >= promised.watermark) return;
    this.promises.set(key, promised);
    for (const listener of this.listeners.get(key) ?? []) listener();
  }

  /** Removes the promises of a topic that was cleared: its writer starts over. */
  forget(topic: string): void {
    for (const [key, promised] of this.promises) if (promised.topic === topic) this.promises.delete(key);
  }

  /** Calls the listener at each new promise of the partition, until the returned function is called. */
  listen(at: TopicPartition, listener: () => void): () => void {
    const key = partitionName(at);
    const listeners = this.listeners.get(key) ?? new Set();
    this.listeners.set(key, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.listeners.delete(key);
    };
  }
}
