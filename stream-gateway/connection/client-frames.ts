import { parseClientFrame } from '#schemas/stream/frames';
import type { Connection } from './connection.ts';

/** Handles the subscribe and unsubscribe frames of clients. */
export interface SubscriptionHandler {
  /** @param since a cursor's text or `earliest`; null to start with the next event. */
  subscribe(connection: Connection, channel: string, since: string | null): void;
  unsubscribe(connection: Connection, subscriptionId: string): void;
}

/** Answers one frame of a client. */
export function handleClientFrame(connection: Connection, text: string, subscriptions: SubscriptionHandler): void {
  const frame = parseClientFrame(text);
  switch (frame?.type) {
    case 'subscribe':
      subscriptions.subscribe(connection, frame.channel, frame.since ?? null);
      return;
    case 'unsubscribe':
      subscriptions.unsubscribe(connection, frame.subscription_id);
      return;
    case 'ping':
      connection.sendControl({ type: 'pong' });
      return;
    default:
      connection.sendControl({ type: 'error', error: 'bad_frame' });
  }
}
