/**
 * Stores what is spent of the limits of a venue in the log, before it is spent. So a process knows what an earlier one has
 * spent, however that one ended: the limits hold across kills and restarts.
 */
import type { Logger } from 'pino';
import type { Codec } from '#infra/codec/codec';
import type { EventLog } from '#infra/log/log';
import { NoteWriter } from '#infra/log/note-writer';
import { readPartition } from '#infra/log/read-partition';
import type { Venue } from '#schemas/domain/providers';
import { type VenueSpending, venueSpendingTopic } from '#schemas/topics/venue-spending';
import type { SpendingGrants, SpentCost } from './budget-options.ts';

const AT = { topic: venueSpendingTopic.name, partition: 0 };

export interface SpendingLogOptions {
  readonly venue: Venue;
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
}

export class SpendingLog {
  private readonly options: SpendingLogOptions;
  private readonly stored: ReadonlyMap<string, VenueSpending>;
  private readonly writer: NoteWriter;
  private readonly closing = new AbortController();

  private constructor(options: SpendingLogOptions, stored: ReadonlyMap<string, VenueSpending>, newestAt: number) {
    this.options = options;
    this.stored = stored;
    this.writer = new NoteWriter(options.log, newestAt);
  }

  /** Reads what earlier processes may have spent. Needs the lease of ingest. */
  static async open(options: SpendingLogOptions): Promise<SpendingLog> {
    const { log, codec, venue } = options;
    await log.createTopics([venueSpendingTopic]);
    await codec.prepare([venueSpendingTopic]);
    const stored = new Map<string, VenueSpending>();
    let newestAt = 0;
    await readPartition(log, AT, async ({ value, receivedAt }) => {
      newestAt = receivedAt;
      if (!value) return;
      await codec.fetchSchema(value);
      const spending = codec.decode(venueSpendingTopic, value);
      if (spending.venue === venue) stored.set(spending.limit, spending);
    });
    return new SpendingLog(options, stored, newestAt);
  }

  /** The grants of one limit. @param chunk how much is granted by one record. */
  grantsOf(limit: string, chunk: number): SpendingGrants {
    const { spent = [], granted = 0, blockedUntil = null } = this.stored.get(limit) ?? {};
    // The process that was granted it may have spent it until it ended, so at most now.
    const earlier = granted > 0 ? [...spent, { at: Date.now(), cost: granted }] : spent;
    return { earlier, chunk, blockedUntil, store: (now, amount, until) => this.store(limit, now, amount, until) };
  }

  /** Records that cannot be appended are given up from now on. */
  stopRetrying(): void {
    this.closing.abort();
  }

  private store(
    limit: string,
    spent: readonly SpentCost[],
    granted: number,
    blockedUntil: number | null,
  ): Promise<void> {
    const { venue, codec, logger } = this.options;
    const makeRecord = (receivedAt: number) => {
      const spending = { receivedAt, venue, limit, spent: [...spent], granted, blockedUntil };
      const value = codec.encode(venueSpendingTopic, spending);
      return { ...AT, key: `${venue}/${limit}`, value, receivedAt, seq: 0 };
    };
    return this.writer.write(makeRecord, this.closing.signal, (error, failures) => {
      if (failures === 1) logger.error({ venue, limit, error }, 'could not store what is spent, retrying');
    });
  }
}
