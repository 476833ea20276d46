/**
 * What a simulator sent over the sockets of venue_a, whatever became of its clients: the trades of each connection, and
 * which subscriptions are confirmed.
 */
import type { SocketObserver } from '../../simulator/sockets/socket-hub.ts';

/** `<coin>:<time>:<tid>`, which identifies a trade. */
export type TradeKey = string;

export interface TradeMessage {
  readonly coin: string;
  readonly side: 'A' | 'B';
  readonly px: string;
  readonly sz: string;
  readonly time: number;
  readonly tid: number;
}

export const keyOf = ({ coin, time, tid }: Pick<TradeMessage, 'coin' | 'time' | 'tid'>): TradeKey =>
  `${coin}:${time}:${tid}`;

export interface SentConnection {
  /** Every trade that was sent, also as a replay. */
  readonly trades: Map<TradeKey, TradeMessage>;
  /** Confirmed subscriptions as `<type> <coin>`. */
  readonly subscriptions: Set<string>;
  /** `complete`: the client received everything; `broken`: it may have missed the last frames. */
  state: 'open' | 'complete' | 'broken';
}

type Frame =
  | { readonly channel: 'trades'; readonly data: readonly TradeMessage[] }
  | {
      readonly channel: 'subscriptionResponse';
      readonly data: {
        readonly method: 'subscribe' | 'unsubscribe';
        readonly subscription: { readonly type: string; readonly coin?: string };
      };
    };
const READ = ['{"channel":"trades"', '{"channel":"subscriptionResponse"'].map((start) => Buffer.from(start));

export interface SentTrades {
  readonly observer: SocketObserver;
  readonly connections: readonly SentConnection[];
  /** The confirmed subscriptions of all open connections. */
  subscriptions(): Set<string>;
}

export function recordSentTrades(): SentTrades {
  const connections: SentConnection[] = [];
  const read = ({ trades, subscriptions }: SentConnection, frame: Frame) => {
    if (frame.channel === 'trades') {
      for (const trade of frame.data) trades.set(keyOf(trade), trade);
      return;
    }
    const { method, subscription } = frame.data;
    const name = `${subscription.type} ${subscription.coin ?? ''}`.trimEnd();
    if (method === 'subscribe') subscriptions.add(name);
    else subscriptions.delete(name);
  };
  return {
    connections,
    subscriptions: () =>
      new Set(connections.flatMap(({ state, subscriptions }) => (state === 'open' ? [...subscriptions] : []))),
    observer: {
      opened(target, connection) {
        if (target !== 'venue_a.ws') return;
        connections[connection - 1] = { trades: new Map(), subscriptions: new Set(), state: 'open' };
      },
      sent(target, connection, frame) {
        if (target !== 'venue_a.ws' || !READ.some((start) => frame.subarray(0, start.length).equals(start))) return;
        read(connections[connection - 1]!, JSON.parse(frame.toString()) as Frame);
      },
      ended(target, connection, isComplete) {
        if (target === 'venue_a.ws') connections[connection - 1]!.state = isComplete ? 'complete' : 'broken';
      },
    },
  };
}
