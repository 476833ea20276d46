/** The state of each connection to a venue, and when it last received something. */
import type { Venue } from '#schemas/domain/providers';
import type { FeedEvent } from '#schemas/topics/raw';

const HOUR_MS = 3_600_000;

export interface FeedState {
  readonly feed: string;
  readonly venue: Venue;
  readonly state: FeedEvent['kind'];
  /** Unix ms. */
  readonly since: number;
  /** Unix ms; null if nothing was received yet. */
  readonly lastFrameAt: number | null;
  readonly lost1h: number;
}

interface Feed {
  readonly venue: Venue;
  state: FeedEvent['kind'];
  since: number;
  lastFrameAt: number | null;
  /** When the connection was lost, ascending. */
  losses: number[];
}

export class FeedBoard {
  private readonly feeds = new Map<string, Feed>();

  /** Notes a change of the state of a connection. */
  onEvent({ feed, venue, kind }: Pick<FeedEvent, 'feed' | 'kind'> & { readonly venue: Venue }, at: number): void {
    // It is about subscriptions, not about the connection.
    if (kind === 'trades_left_out') return;
    // A feed that was not known is not lost: ingest states at its start that no connection is open.
    const isLost = kind === 'disconnected' && this.feeds.has(feed);
    const known = this.feeds.get(feed) ?? { venue, state: kind, since: at, lastFrameAt: null, losses: [] };
    this.feeds.set(feed, known);
    known.state = kind;
    known.since = at;
    if (isLost) known.losses = [...known.losses.filter((loss) => loss > at - HOUR_MS), at];
  }

  /** Notes that something was received. Called for each frame. */
  onFrame(feed: string, at: number): void {
    const known = this.feeds.get(feed);
    if (known) known.lastFrameAt = at;
  }

  /** Every feed, sorted by name. */
  states(now: number): FeedState[] {
    return [...this.feeds]
      .map(([feed, { venue, state, since, lastFrameAt, losses }]) => {
        const lost1h = losses.filter((loss) => loss > now - HOUR_MS).length;
        return { feed, venue, state, since, lastFrameAt, lost1h };
      })
      .sort((a, b) => (a.feed < b.feed ? -1 : 1));
  }
}
