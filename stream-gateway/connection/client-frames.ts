import { parseClientFrame } from '#schemas/stream/frames';
import type { Subscriptions } from '../fanout/subscriptions.ts';
import type { Connection } from './connection.ts';

/** Answers one frame of a client. */
export function handleClientFrame(connection: Connection, text: string, subscriptions: Subscriptions): void {
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
