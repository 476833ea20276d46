import { expect, it } from 'vitest';
import { FeedBoard } from './feed-board.ts';

const HOUR_MS = 3_600_000;
const on = (feed: string, kind: 'connected' | 'disconnected' | 'trades_left_out') => ({
  feed,
  venue: 'venue_a' as const,
  kind,
});

it('holds the newest state of each feed, its last frame, and the losses of an hour', () => {
  const board = new FeedBoard();
  board.onFrame('venue_a.ws.0', 1);
  board.onEvent(on('venue_a.ws.1', 'connected'), 5);
  board.onEvent(on('venue_a.ws.0', 'connected'), 10);
  board.onFrame('venue_a.ws.0', 20);
  board.onEvent(on('venue_a.ws.0', 'disconnected'), 30);
  board.onEvent(on('venue_a.ws.0', 'connected'), 40);
  board.onEvent(on('venue_a.ws.0', 'disconnected'), 50);
  board.onEvent(on('venue_a.ws.0', 'trades_left_out'), 60);
  const feed = { feed: 'venue_a.ws.0', venue: 'venue_a', state: 'disconnected', since: 50, lastFrameAt: 20 };
  const other = { feed: 'venue_a.ws.1', venue: 'venue_a', state: 'connected', since: 5, lastFrameAt: null, lost1h: 0 };
  expect(board.states(60)).toEqual([{ ...feed, lost1h: 2 }, other]);
  expect(board.states(HOUR_MS + 40)).toEqual([{ ...feed, lost1h: 1 }, other]);
});
