import { describe, expect, it } from 'vitest';
import { emptyBookReason } from './event-books.ts';

const TS = '2026-01-15T12:10:00.000Z';

describe('the reason why a book has no levels', () => {
  it.each([
    ['closed', TS, 'the market is closed'],
    ['resolved', null, 'the market is resolved'],
    ['recovering', null, 'no book of this market was received'],
    [null, null, 'no book of this market was received'],
    [null, TS, 'nothing is known about the connection to the market'],
    ['live', TS, 'nobody offers anything'],
    ['venue_down', TS, 'nobody offered anything, and the market is venue down'],
  ])('of the state %s with a last update at %s is: %s', (state, ts, reason) => {
    expect(emptyBookReason({ state, ts })).toBe(reason);
  });
});
