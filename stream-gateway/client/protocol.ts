/** What the client and a server of `/v1/stream` send each other. It has no dependencies that a browser lacks. */
import type { ServerFrame, StreamErrorCode } from '#schemas/stream/frames';

/** One event of a channel. */
export interface StreamEvent {
  readonly type: 'event';
  readonly channel: string;
  /** Changes only when the channel was built again; `seq` then starts again. */
  readonly epoch: string;
  /** Number of the event on its channel. */
  readonly seq: number;
  /** The position after this event, to continue from. */
  readonly cursor: string;
  readonly data: {
    readonly type: string;
    readonly provider: string | null;
    readonly marketId: string | null;
    /** The record that REST returns too; for a raw feed what the venue sent. */
    readonly payload: unknown;
    /** When the cause was received, unix ms. */
    readonly receivedAt: number;
  };
}

/** Any frame of the server. */
export type ReceivedFrame = ServerFrame | (StreamEvent & { readonly subscription_id: string });

type Without<T> = T extends { readonly subscription_id: string } ? Omit<T, 'subscription_id'> : never;
type Frame<Type extends ServerFrame['type']> = Without<Extract<ServerFrame, { type: Type }>>;

/** What a subscription passes to its handler. */
export type StreamMessage =
  | StreamEvent
  /** The server accepted the subscription: at first, and again after each interruption. */
  | Frame<'subscribed'>
  /** State of the markets behind the channel. */
  | Frame<'status'>
  /**
   * Events between two cursors are missing for good. `refill` is a REST path that returns what they were about. All
   * retained events follow; with a new epoch, events that were passed on before can be among them.
   */
  | Frame<'gap'>
  /** The server dropped events because this client reads too slowly or its quota is used up. They follow again. */
  | Frame<'lagged'>
  /** The handler is too slow: its queue is full. Events after those in the queue are requested again once it is empty. */
  | { readonly type: 'slow'; readonly queued: number }
  /** The server refused the subscription. Unless `isFinal`, the client tries again by itself. */
  | { readonly type: 'error'; readonly error: StreamErrorCode; readonly isFinal: boolean };

/** How the client identifies itself: by a token, or in a browser by the portal session and its CSRF value. */
export type Credentials = { readonly token: string } | { readonly csrf: string };

/** The subprotocol that carries the credentials. */
export function protocolOf(credentials: Credentials): string {
  return 'token' in credentials ? `bearer.${credentials.token}` : `csrf.${credentials.csrf}`;
}

/** The name of a channel of this kind, for example of `trade` and `venue_b`. */
export function channelName(kind: string, parameter: string): string {
  return `svc:stream:${kind}:${parameter}`;
}

/** The part of a WebSocket that the client uses. */
export interface ClientSocket {
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  send(text: string): void;
  close(): void;
}

/** Time and chance, replaceable in tests. */
export interface Clock {
  /** Unix ms. */
  now(): number;
  /** A number from 0 to 1. */
  random(): number;
  /** Calls `work` after a delay; returns a function that cancels it. */
  after(delayMs: number, work: () => void): () => void;
}

/** The clock of the machine. */
export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  after(delayMs, work) {
    const timer = setTimeout(work, delayMs);
    return () => clearTimeout(timer);
  },
};
