import { parseClientFrame } from '#schemas/stream/frames';
import type { Connection } from './connection.ts';

/** Who answers what clients ask of channels. */
export interface SubscriptionRequests {
  /** @param since a cursor's text or `earliest`; null to begin with what comes next. */
  subscribe(connection: Connection, channel: string, since: string | null): void;
  unsubscribe(connection: Connection, subscriptionId: string): void;
}

/** Answers one frame of a client. */
export function handleClientFrame(connection: Connection, text: string, subscriptions: SubscriptionRequests): void {
  const frame = parseClientFrame(text);
  switch (frame?.type) {
    case 'subscribe':
      subscriptions.subscribe(connection, frame.channel, frame.since ?? null);
      return;
    case 'unsubscribe':
      subscriptions.unsubscribe(connection, frame.subscription_id);
      return;
    case 'ping':
      connection.tell({ type: 'pong' });
      return;
    default:
      connection.tell({ type: 'error', error: 'bad_frame' });
  }
}
