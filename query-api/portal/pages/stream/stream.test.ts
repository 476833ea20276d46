import { describe, expect, it } from 'vitest';
import type { StreamEvent, StreamMessage } from '#stream-gateway/client/stream-client';
import { appended, EMPTY_LIST, LIST_MAX, previewOf } from './frame-list.ts';

function event(seq: number, receivedAt = 0): StreamEvent {
  const data = { type: 'raw', provider: null, marketId: null, payload: { seq }, receivedAt };
  return { type: 'event', channel: 'c', epoch: 'e', seq, cursor: `e.${seq}`, data };
}

describe('the list of frames', () => {
  it('is bounded, newest first, and counts everything', () => {
    const messages = Array.from({ length: LIST_MAX + 50 }, (_, index) => event(index + 1));
    const list = [messages.slice(0, 120), messages.slice(120)].reduce(
      (before, batch) => appended(before, batch, 10),
      EMPTY_LIST,
    );
    expect(list).toMatchObject({ received: LIST_MAX + 50, events: LIST_MAX + 50, seq: LIST_MAX + 50, epoch: 'e' });
    expect(list.rows).toHaveLength(LIST_MAX);
    expect(list.rows.slice(0, 2).map(({ id }) => id)).toEqual([LIST_MAX + 50, LIST_MAX + 49]);
  });

  it('has the delay of events, and none of other frames', () => {
    const status: StreamMessage = { type: 'status', state: 'stale', since: 1 };
    const list = appended(EMPTY_LIST, [event(1, 70), status], 100);
    expect(list.rows.map(({ delayMs }) => delayMs)).toEqual([null, 30]);
    expect(list).toMatchObject({ delayMs: 30, status: 'stale' });
  });

  it('counts gaps and dropped events, and says why a channel was refused', () => {
    const messages: StreamMessage[] = [
      { type: 'gap', from: 'a', to: 'b', refill: null },
      { type: 'lagged', fromSeq: 1, toSeq: 3, dropped: 3 },
      { type: 'error', error: 'quota_exceeded', isFinal: false },
      { type: 'error', error: 'unknown_channel', isFinal: true },
    ];
    expect(appended(EMPTY_LIST, messages, 1)).toMatchObject({ gaps: 1, dropped: 3, refusal: 'unknown_channel' });
    expect(appended(EMPTY_LIST, messages.slice(0, 3), 1).refusal).toBeNull();
  });

  it('shows long data shortened', () => {
    const long = event(1);
    const text = previewOf({ ...long, data: { ...long.data, payload: 'x'.repeat(1_000) } });
    expect(text.length).toBeLessThan(250);
    expect(previewOf({ type: 'status', state: 'live', since: 7 })).toBe('{"state":"live","since":7}');
  });
});
