/**
 * How far the search for earlier outcomes came, in a topic of its own: among the raw records it would be lost behind those
 * that the reads of clients add.
 */
import type { Codec } from '#infra/codec/codec';
import type { EventLog } from '#infra/log/log';
import { isTransient, retry } from '#infra/runtime/retry';
import { earlierOutcomesTopic as TOPIC } from '#schemas/topics/earlier-outcomes';

const AT = { topic: TOPIC.name, partition: 0 };
const KEY = 'cursor';

type Log = Pick<EventLog, 'createTopics' | 'append' | 'last'>;

export class EarlierCursor {
  private readonly log: Log;
  private readonly codec: Codec;
  private saved: number | null;
  /** Times of records never decrease. */
  private newestAt: number;

  private constructor(log: Log, codec: Codec, saved: number | null, newestAt: number) {
    this.log = log;
    this.codec = codec;
    this.saved = saved;
    this.newestAt = newestAt;
  }

  static async open(log: Log, codec: Codec): Promise<EarlierCursor> {
    await log.createTopics([TOPIC]);
    await codec.prepare([TOPIC]);
    const newest = await log.last(AT);
    if (!newest?.value) return new EarlierCursor(log, codec, null, 0);
    await codec.fetchSchema(newest.value);
    return new EarlierCursor(log, codec, codec.decode(TOPIC, newest.value).outcome, newest.receivedAt);
  }

  /** The outcome that was requested last; null if none was. */
  get outcome(): number | null {
    return this.saved;
  }

  /** Saves it if it changed. Needs the lease of ingest. While the disk is full, it waits until the signal aborts. */
  async save(outcome: number | null, signal: AbortSignal): Promise<void> {
    if (outcome === null || outcome === this.saved) return;
    this.newestAt = Math.max(this.newestAt, Date.now());
    const receivedAt = this.newestAt;
    const value = this.codec.encode(TOPIC, { outcome, receivedAt });
    await retry(() => this.log.append([{ ...AT, key: KEY, value, receivedAt, seq: 0 }]), {
      canRetry: (error) => isTransient(error) && !signal.aborted,
      signal,
    });
    this.saved = outcome;
  }
}
