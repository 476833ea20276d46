/** Outcome coins whose event has a market of another venue, read from the events that processors derive. */
import { type FollowerContext, TopicFollower } from '#infra/stages/topic-follower';
import { eventTopic, type UniversalEvent } from '#schemas/topics/derived';

const PROVIDER = 'venue_a_outcome';

export class LinkedOutcomes {
  private readonly context: FollowerContext;
  private readonly onChange: () => void;
  private readonly byEvent = new Map<string, readonly string[]>();
  private follower: TopicFollower<UniversalEvent> | null = null;

  /** @param onChange called when the coins change. */
  constructor(context: FollowerContext, onChange: () => void) {
    this.context = context;
    this.onChange = onChange;
  }

  /** Follows the events in the background. */
  async start(): Promise<void> {
    const { log, codec } = this.context;
    await log.createTopics([eventTopic]);
    await codec.prepare([eventTopic]);
    const { first } = await log.bounds({ topic: eventTopic.name, partition: 0 });
    this.follower = new TopicFollower(this.context, {
      topic: eventTopic,
      part: 'links of outcomes',
      from: first,
      handle: (event) => {
        if (this.apply(event)) this.onChange();
      },
    });
    await this.follower.start();
  }

  coins(): Set<string> {
    return new Set([...this.byEvent.values()].flat());
  }

  async close(): Promise<void> {
    await this.follower?.close();
  }

  /** @returns true if the coins of the event changed. */
  private apply({ universalId, links, mergedInto, status }: UniversalEvent): boolean {
    const before = this.byEvent.get(universalId) ?? [];
    const used = mergedInto === null && status !== 'resolved' ? links.filter((link) => link.used) : [];
    const own = used.filter(({ provider }) => provider === PROVIDER);
    const isLinked = own.length > 0 && own.length < used.length;
    const coins = isLinked ? own.flatMap(({ yesInstrument, noInstrument }) => [yesInstrument, noInstrument ?? '']) : [];
    const named = coins.filter((coin) => coin !== '');
    // Events without such coins are very many, and are not remembered.
    if (named.length > 0) this.byEvent.set(universalId, named);
    else this.byEvent.delete(universalId);
    return named.join() !== before.join();
  }
}
