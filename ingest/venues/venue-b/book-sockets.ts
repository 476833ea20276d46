/** The market sockets of venue_b and the tokens of each (venue page, section 5). */
import { Budget } from '../../feed/budget.ts';
import { ConnectionSlots } from '../../feed/connection-slots.ts';
import { FrameSubscriber } from '../../feed/frame-subscriber.ts';
import { SocketPlanner } from '../../feed/planner.ts';
import type { AdapterContext } from '../adapter.ts';
import { assignSockets } from './assign-sockets.ts';
import {
  CONNECTION_BUDGET,
  HEARTBEAT,
  MESSAGE_BUDGET,
  OPEN_SOCKETS_BUDGET,
  SOCKETS,
  TOKENS_PER_SOCKET,
} from './declaration.ts';
import type { ListedMarket } from './markets.ts';

export interface BookSocketsOptions {
  readonly context: AdapterContext;
  readonly url: string;
  /** Called when every socket with tokens is connected. */
  readonly onAllConnected: () => void;
}

/** The first frame of a connection, which subscribes to all its tokens. */
const subscribeFrame = (tokens: readonly string[]) =>
  JSON.stringify({ type: 'market', assets_ids: tokens, initial_dump: true, custom_feature_enabled: true });
/** A frame that changes the tokens of an open connection. */
const changeFrame = (operation: 'subscribe' | 'unsubscribe', tokens: readonly string[]) =>
  JSON.stringify({ operation, assets_ids: tokens, custom_feature_enabled: true });

export class BookSockets {
  /** Subscriptions are tokens. */
  private readonly slots: ConnectionSlots<string>;
  private assigned = new Map<string, number>();

  constructor({ context, url, onAllConnected }: BookSocketsOptions) {
    const { publisher, logger, metrics } = context;
    this.slots = new ConnectionSlots({
      venue: 'venue_b',
      source: 'venue_b.clob_ws',
      url,
      publisher,
      logger,
      metrics,
      heartbeat: HEARTBEAT,
      planner: new SocketPlanner({
        connections: new Budget(OPEN_SOCKETS_BUDGET),
        newConnections: new Budget(CONNECTION_BUDGET),
        messages: new Budget(MESSAGE_BUDGET),
      }),
      subscriber: () =>
        new FrameSubscriber({
          subscribe: (tokens) => [subscribeFrame(tokens)],
          change: (removed, added) => [
            ...(removed.length > 0 ? [changeFrame('unsubscribe', removed)] : []),
            ...(added.length > 0 ? [changeFrame('subscribe', added)] : []),
          ],
        }),
      onAllConnected,
    });
  }

  /** Condition ids of the markets whose books are watched. */
  watched(): ReadonlySet<string> {
    return new Set(this.assigned.keys());
  }

  /** Changes the subscriptions to the tokens of these markets. */
  update(markets: readonly ListedMarket[]): void {
    this.assigned = assignSockets(markets, this.assigned, { sockets: SOCKETS, tokensPerSocket: TOKENS_PER_SOCKET });
    const bySlot = new Map<number, Map<string, string>>();
    for (const { conditionId, tokens } of markets) {
      const index = this.assigned.get(conditionId);
      if (index === undefined) continue;
      const own = bySlot.get(index) ?? new Map<string, string>();
      for (const token of tokens) own.set(token, token);
      bySlot.set(index, own);
    }
    this.slots.update(bySlot);
  }

  close(): Promise<void> {
    return this.slots.close();
  }
}
