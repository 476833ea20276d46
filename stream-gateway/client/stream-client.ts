/**
 * A client of `/v1/stream` for browsers and Node. It connects again after a loss and continues each subscription after
 * its last event, so that every event is passed on once, in order, or a gap is reported.
 */
import { Connection, type ConnectionState } from './connection.ts';
import type { MessageHandler } from './delivery.ts';
import {
  type ClientSocket,
  type Clock,
  type Credentials,
  type ReceivedFrame,
  type StreamMessage,
  SYSTEM_CLOCK,
} from './protocol.ts';
import { type SubscribeOptions, Subscription } from './subscription.ts';

export type { ConnectionState } from './connection.ts';
export type { MessageHandler } from './delivery.ts';
export {
  type ClientSocket,
  type Clock,
  type Credentials,
  channelName,
  type StreamEvent,
  SYSTEM_CLOCK,
} from './protocol.ts';
export type { SubscribeOptions, Subscription } from './subscription.ts';
export type { StreamMessage };

/** A refused subscribe is sent again after 1 s to 10 s. */
const RETRY_MIN_MS = 1_000;
const RETRY_SPREAD_MS = 9_000;

type ErrorFrame = Extract<ReceivedFrame, { type: 'error' }>;

export interface StreamClientOptions {
  /** For example `wss://stream.example.com/v1/stream`. */
  readonly url: string;
  /**
   * Opens a socket; by default one of the runtime's own class. Node 20 has none: return one of the package `ws`, made
   * with both arguments.
   */
  readonly createSocket?: (url: string, protocols: string[]) => ClientSocket;
  /** Called at each change of the connection. */
  readonly onState?: (state: ConnectionState) => void;
  /** Called for errors of the whole connection, such as a used quota. Errors of a subscription go to its handler. */
  readonly onError?: (error: ErrorFrame['error']) => void;
  /** Time and chance; those of the machine by default. */
  readonly clock?: Clock;
}

export class StreamClient {
  private readonly options: StreamClientOptions;
  private readonly clock: Clock;
  private readonly connection: Connection;
  /** In the order in which they were made. */
  private readonly subscriptions = new Set<Subscription>();
  private readonly byId = new Map<string, Subscription>();
  /**
   * Subscriptions whose subscribe frame the server has not answered, by channel; only the first one was sent. Answers
   * name the channel and nothing else, and those of replays can come in any order.
   */
  private readonly pending = new Map<string, Subscription[]>();
  /** Cancels the timers of refused subscriptions. */
  private readonly retries = new Map<Subscription, () => void>();

  constructor(options: StreamClientOptions) {
    const { url, createSocket = openNativeSocket, clock = SYSTEM_CLOCK } = options;
    this.options = options;
    this.clock = clock;
    this.connection = new Connection({
      url,
      createSocket,
      clock,
      onState: (state) => this.onState(state),
      onFrame: (frame) => this.receive(frame),
    });
  }

  /** The connection now; `onState` reports its changes. */
  get state(): ConnectionState {
    return this.connection.state;
  }

  /**
   * Connects, and connects again after each loss. Skips the wait for the next attempt, if there is one. After the state
   * `offline` with the close code 4001 it needs other credentials.
   */
  connect(credentials: Credentials): void {
    this.connection.connect(credentials);
  }

  /** Closes the connection. Subscriptions remain, and continue after the next `connect`. */
  disconnect(): void {
    this.connection.disconnect();
  }

  /** Subscribes to a channel, now or as soon as there is a connection. */
  subscribe(options: SubscribeOptions, handler: MessageHandler): Subscription {
    const subscription = new Subscription(options, handler, {
      request: (wanted) => this.request(wanted),
      requestLater: (refused) => this.requestLater(refused),
      unsubscribe: (id) => {
        this.byId.delete(id);
        this.connection.send({ type: 'unsubscribe', subscription_id: id });
      },
      remove: (ended) => {
        this.subscriptions.delete(ended);
        this.cancelRetry(ended);
      },
    });
    this.subscriptions.add(subscription);
    this.request(subscription);
    return subscription;
  }

  private onState(state: ConnectionState): void {
    if (state.name === 'live') for (const subscription of this.subscriptions) this.request(subscription);
    else this.forgetConnection();
    this.options.onState?.(state);
  }

  /** Ids and answers belong to a connection. */
  private forgetConnection(): void {
    for (const subscription of this.byId.values()) subscription.id = null;
    for (const cancel of this.retries.values()) cancel();
    this.byId.clear();
    this.pending.clear();
    this.retries.clear();
  }

  private receive(frame: ReceivedFrame): void {
    switch (frame.type) {
      case 'event':
      case 'gap':
      case 'lagged':
      case 'status':
        // Frames of a subscription that was given up can still be on their way.
        this.byId.get(frame.subscription_id)?.receive(frame);
        return;
      case 'subscribed': {
        const subscription = this.shiftPending(frame.channel);
        if (subscription?.isWanted) {
          this.byId.set(frame.subscription_id, subscription);
          subscription.accept(frame);
        } else this.connection.send({ type: 'unsubscribe', subscription_id: frame.subscription_id });
        return;
      }
      case 'error':
        this.receiveError(frame);
        return;
      default:
    }
  }

  private receiveError(frame: ErrorFrame): void {
    const { error, channel } = frame;
    if (channel === undefined || error === 'internal_error') {
      this.options.onError?.(error);
      // Either an accepted subscription failed or a pending one, so all of them are requested again.
      if (error === 'internal_error') this.connection.reconnect();
      return;
    }
    const subscription = this.shiftPending(channel);
    if (subscription?.isWanted) subscription.refuse(frame);
  }

  private request(subscription: Subscription): void {
    if (this.state.name !== 'live' || !subscription.isWanted || subscription.id !== null) return;
    this.cancelRetry(subscription);
    const pending = this.pending.get(subscription.channel);
    if (!pending) {
      this.pending.set(subscription.channel, [subscription]);
      this.sendSubscribe(subscription);
    } else if (!pending.includes(subscription)) pending.push(subscription);
  }

  private requestLater(subscription: Subscription): void {
    const delay = RETRY_MIN_MS + RETRY_SPREAD_MS * this.clock.random();
    this.retries.set(
      subscription,
      this.clock.after(delay, () => this.request(subscription)),
    );
  }

  private cancelRetry(subscription: Subscription): void {
    this.retries.get(subscription)?.();
    this.retries.delete(subscription);
  }

  private sendSubscribe({ channel, cursor }: Subscription): void {
    this.connection.send({ type: 'subscribe', channel, ...(cursor === null ? {} : { since: cursor }) });
  }

  /** Takes the subscription that the answer of the server is for, and sends the next one of the channel. */
  private shiftPending(channel: string): Subscription | undefined {
    const pending = this.pending.get(channel);
    const answered = pending?.shift();
    const rest = pending?.filter(({ isWanted }) => isWanted) ?? [];
    if (rest.length > 0) {
      this.pending.set(channel, rest);
      this.sendSubscribe(rest[0]!);
    } else this.pending.delete(channel);
    return answered;
  }
}

function openNativeSocket(url: string, protocols: string[]): ClientSocket {
  const { WebSocket: Native } = globalThis as { WebSocket?: new (url: string, protocols: string[]) => ClientSocket };
  if (!Native) throw new Error('this runtime has no WebSocket; pass createSocket');
  return new Native(url, protocols);
}
