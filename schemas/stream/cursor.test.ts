import { describe, expect, it } from 'vitest';
import { formatCursor, isOfChannel, parseCursor } from './cursor.ts';

const CHANNEL = 'svc:stream:event:evt_0a1b';

describe('a cursor', () => {
  it.each([
    { epoch: 'abc-1', channel: CHANNEL, seq: 17, offset: 1_234_567 },
    { epoch: 'none', channel: CHANNEL, seq: null, offset: -1 },
  ])('is read as it was written: %j', (cursor) => {
    const { channel, ...place } = cursor;
    const given = parseCursor(formatCursor(cursor))!;
    expect(given).toMatchObject(place);
    expect(isOfChannel(given, channel)).toBe(true);
  });

  it('belongs to its channel alone', () => {
    const given = parseCursor(formatCursor({ epoch: 'one', channel: CHANNEL, seq: 1, offset: 1 }))!;
    for (const other of ['svc:stream:event:evt_0a1c', 'svc:stream:arbitrage:evt_0a1b', ''])
      expect(isOfChannel(given, other)).toBe(false);
  });

  it('has no more events behind it than the log has records', () => {
    const given = (seq: number, offset: number) =>
      parseCursor(formatCursor({ epoch: 'one', channel: CHANNEL, seq, offset }))!;
    expect(isOfChannel(given(5, 4), CHANNEL)).toBe(true);
    expect(isOfChannel(given(6, 4), CHANNEL)).toBe(false);
  });

  it.each([
    '',
    'yesterday',
    'one.1.1',
    'one.abc..',
    'one.abc.1.1.1',
    'ONE.abc.1.1',
    'one.abc.1.zzzzzzzzzzz',
    'one..1.1',
  ])('is not %j', (text) => {
    expect(parseCursor(text)).toBeNull();
  });
});
