/** The market sockets of venue_b, each with the tokens that are its own (venue page, section 5). */
import { Budget } from '../../feed/budget.ts';
import { SocketFeed } from '../../feed/socket-feed.ts';
import type { AdapterContext } from '../adapter.ts';
import { assignSockets } from './assign-sockets.ts';
import { CONNECTION_BUDGET, HEARTBEAT, MESSAGE_BUDGET, SOCKETS, TOKENS_PER_SOCKET } from './declaration.ts';
import type { ListedMarket } from './markets.ts';

export interface BookSocketsOptions {
  readonly context: AdapterContext;
  readonly url: string;
  /** Every socket that has something to watch is connected. */
  readonly onAllConnected: () => void;
}

interface Slot {
  readonly feed: SocketFeed;
  tokens: Set<string>;
}

/** The first frame of a connection: everything it is for. */
export const helloFrame = (tokens: Iterable<string>) =>
  JSON.stringify({ type: 'market', assets_ids: [...tokens], initial_dump: true, custom_feature_enabled: true });
/** A change of what an open connection is for. */
export const changeFrame = (operation: 'subscribe' | 'unsubscribe', tokens: readonly string[]) =>
  JSON.stringify({ operation, assets_ids: tokens, custom_feature_enabled: true });

export class BookSockets {
  private readonly options: BookSocketsOptions;
  private readonly connections = new Budget(CONNECTION_BUDGET);
  private readonly messages = new Budget(MESSAGE_BUDGET);
  private readonly slots = new Map<number, Slot>();
  private assigned = new Map<string, number>();

  constructor(options: BookSocketsOptions) {
    this.options = options;
  }

  /** Condition ids of the markets that are watched now. */
  watched(): ReadonlySet<string> {
    return new Set(this.assigned.keys());
  }

  /** Brings what is subscribed to in line with these markets. */
  want(markets: readonly ListedMarket[]): void {
    this.assigned = assignSockets(markets, this.assigned, { sockets: SOCKETS, tokensPerSocket: TOKENS_PER_SOCKET });
    const bySlot = new Map<number, Set<string>>();
    for (const index of this.slots.keys()) bySlot.set(index, new Set());
    for (const market of markets) {
      const index = this.assigned.get(market.conditionId);
      if (index === undefined) continue;
      const tokens = bySlot.get(index) ?? new Set<string>();
      for (const token of market.tokens) tokens.add(token);
      bySlot.set(index, tokens);
    }
    for (const [index, tokens] of bySlot) this.wantInSlot(index, tokens);
    if (this.slots.size === 0) this.options.onAllConnected();
  }

  async close(): Promise<void> {
    await Promise.all([...this.slots.values()].map(({ feed }) => feed.close()));
  }

  private wantInSlot(index: number, tokens: Set<string>): void {
    const slot = this.slots.get(index);
    if (!slot) {
      this.open(index, tokens);
      return;
    }
    const gone = [...slot.tokens].filter((token) => !tokens.has(token));
    const added = [...tokens].filter((token) => !slot.tokens.has(token));
    slot.tokens = tokens;
    if (gone.length > 0) slot.feed.send([changeFrame('unsubscribe', gone)]);
    if (added.length > 0) slot.feed.send([changeFrame('subscribe', added)]);
  }

  private open(index: number, tokens: Set<string>): void {
    const { publisher, logger, metrics } = this.options.context;
    const feed = new SocketFeed({
      venue: 'venue_b',
      source: 'venue_b.clob_ws',
      feed: `venue_b.clob_ws.${index}`,
      url: this.options.url,
      publisher,
      logger,
      metrics,
      heartbeat: HEARTBEAT,
      connections: this.connections,
      messages: this.messages,
      hello: () => [helloFrame(this.slots.get(index)?.tokens ?? [])],
      onConnected: () => {
        if ([...this.slots.values()].every((slot) => slot.feed.connected)) this.options.onAllConnected();
      },
    });
    this.slots.set(index, { feed, tokens });
  }
}
