import { describe, expect, it } from 'vitest';
import { formatCursor, matchesChannel, parseCursor } from './cursor.ts';

const CHANNEL = 'svc:stream:event:evt_0a1b';

describe('a cursor', () => {
  it.each([
    { epoch: 'abc-1', channel: CHANNEL, seq: 17, offset: 1_234_567 },
    { epoch: 'none', channel: CHANNEL, seq: null, offset: -1 },
  ])('is parsed as it was formatted: %j', (cursor) => {
    const { channel, ...position } = cursor;
    const parsed = parseCursor(formatCursor(cursor))!;
    expect(parsed).toMatchObject(position);
    expect(matchesChannel(parsed, channel)).toBe(true);
  });

  it('belongs to its channel only', () => {
    const parsed = parseCursor(formatCursor({ epoch: 'one', channel: CHANNEL, seq: 1, offset: 1 }))!;
    for (const other of ['svc:stream:event:evt_0a1c', 'svc:stream:arbitrage:evt_0a1b', ''])
      expect(matchesChannel(parsed, other)).toBe(false);
  });

  it('has no larger seq than its offset allows', () => {
    const cursorAt = (seq: number, offset: number) =>
      parseCursor(formatCursor({ epoch: 'one', channel: CHANNEL, seq, offset }))!;
    expect(matchesChannel(cursorAt(5, 4), CHANNEL)).toBe(true);
    expect(matchesChannel(cursorAt(6, 4), CHANNEL)).toBe(false);
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
  ])('is not parsed from %j', (text) => {
    expect(parseCursor(text)).toBeNull();
  });
});
