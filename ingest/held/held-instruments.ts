/** Tokens and coins that bound accounts of a venue hold, read from the open books of their ledgers. */
import { type FollowerContext, TopicFollower } from '#infra/stages/topic-follower';
import { openBookTopic } from '#schemas/topics/ledgers';
import { accountName, type ProviderFamily } from '#schemas/venues/accounts';

export class HeldInstruments {
  private readonly context: FollowerContext;
  private readonly family: ProviderFamily;
  private readonly onChange: () => void;
  /** By key of the book. */
  private readonly byBook = new Map<string, string>();
  /** How many books hold each instrument. */
  private readonly counts = new Map<string, number>();
  private readonly followers: { close(): Promise<void> }[] = [];

  /** @param onChange called when an instrument is held that was not before, or is held no more. */
  constructor(context: FollowerContext, family: ProviderFamily, onChange: () => void) {
    this.context = context;
    this.family = family;
    this.onChange = onChange;
  }

  /** Follows the books in the background. */
  async start(): Promise<void> {
    const { log, codec } = this.context;
    await log.createTopics([openBookTopic]);
    await codec.prepare([openBookTopic]);
    const prefix = accountName(this.family, '');
    for (let partition = 0; partition < openBookTopic.partitions; partition += 1) {
      const { first } = await log.bounds({ topic: openBookTopic.name, partition });
      const follower = new TopicFollower(this.context, {
        topic: openBookTopic,
        partition,
        part: `instruments of accounts of ${this.family}`,
        from: first,
        isWanted: (key) => key.startsWith(prefix),
        handle: ({ instrument }, { key }) => this.opened(key, instrument),
        onRemoved: (key) => this.closed(key),
      });
      this.followers.push(follower);
      await follower.start();
    }
  }

  has(instrument: string): boolean {
    return this.counts.has(instrument);
  }

  async close(): Promise<void> {
    await Promise.all(this.followers.map((follower) => follower.close()));
  }

  private opened(key: string, instrument: string): void {
    if (this.byBook.has(key)) return;
    this.byBook.set(key, instrument);
    const count = this.counts.get(instrument) ?? 0;
    this.counts.set(instrument, count + 1);
    if (count === 0) this.onChange();
  }

  private closed(key: string): void {
    const instrument = this.byBook.get(key);
    if (instrument === undefined) return;
    this.byBook.delete(key);
    const count = this.counts.get(instrument)! - 1;
    if (count > 0) this.counts.set(instrument, count);
    else {
      this.counts.delete(instrument);
      this.onChange();
    }
  }
}
