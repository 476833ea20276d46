import { describe, expect, it } from 'vitest';
import { openTestPublisher } from '../../testing/open-publisher.fixture.ts';
import { EarlierCursor } from './earlier-cursor.ts';
import { EARLIER_ATTEMPTS_MAX, EARLIER_DELAY_MS, EARLIER_PER_MINUTE, EarlierOutcomes } from './earlier-outcomes.ts';

const MINUTE_MS = 60_000;

/** Requests all due outcomes, minute by minute, and returns those of each minute. */
function walk(earlier: EarlierOutcomes, listed: readonly number[], minutes: number) {
  return Array.from({ length: minutes }, (_, minute) => {
    const outcomes = earlier.due(listed, EARLIER_DELAY_MS + minute * MINUTE_MS);
    for (const outcome of outcomes) earlier.recordRequested(outcome);
    return outcomes;
  });
}

describe('the earlier outcomes', () => {
  it('are all unlisted ones below the newest listed one, in descending order, each once', () => {
    const listed = [20, 3, 18, 11];
    const requested = walk(new EarlierOutcomes(null, 0), listed, 5);
    expect(requested.map(({ length }) => length)).toEqual([EARLIER_PER_MINUTE, EARLIER_PER_MINUTE, 1, 0, 0]);
    expect(requested.flat()).toEqual([19, 17, 16, 15, 14, 13, 12, 10, 9, 8, 7, 6, 5, 4, 2, 1, 0]);
  });

  it('wait for the delay after a start, for a list, and for the next minute', () => {
    const earlier = new EarlierOutcomes(null, 0);
    expect(earlier.due([5], EARLIER_DELAY_MS - 1)).toEqual([]);
    expect(earlier.due([], EARLIER_DELAY_MS)).toEqual([]);
    expect(earlier.due([5], EARLIER_DELAY_MS)).toEqual([4, 3, 2, 1, 0]);
    // Not requested: due again a minute later.
    expect(earlier.due([5], EARLIER_DELAY_MS + MINUTE_MS - 1)).toEqual([]);
    expect(earlier.due([5], EARLIER_DELAY_MS + MINUTE_MS)).toEqual([4, 3, 2, 1, 0]);
  });

  it('continue below the last requested one', () => {
    const earlier = new EarlierOutcomes(2, 0);
    expect(walk(earlier, [30], 3)).toEqual([[1, 0], [], []]);
    expect(earlier.cursor).toBe(0);
  });

  it('are retried, and skipped after some attempts', () => {
    const earlier = new EarlierOutcomes(null, 0);
    const tries = Array.from({ length: EARLIER_ATTEMPTS_MAX }, (_, minute) => {
      const [first] = earlier.due([9], EARLIER_DELAY_MS + minute * MINUTE_MS);
      return [first, earlier.recordFailure(first!)];
    });
    expect(tries).toEqual([
      [8, false],
      [8, false],
      [8, false],
      [8, false],
      [8, true],
    ]);
    expect(earlier.due([9], EARLIER_DELAY_MS + 9 * MINUTE_MS)[0]).toBe(7);
  });

  it('continue at the saved cursor, however many answers to reads of clients are in the log', async () => {
    const { log, codec, publisher } = await openTestPublisher();
    const never = new AbortController().signal;
    const cursor = await EarlierCursor.open(log, codec);
    expect(cursor.outcome).toBeNull();
    for (const outcome of [null, 12, 11, 11]) await cursor.save(outcome, never);
    for (let answers = 0; answers < 3_000; answers += 1)
      publisher.receive({ source: 'venue_a.info', feed: 'venue_a.info', request: '{"type":"meta"}', payload: '{}' });
    await publisher.flush();
    const again = await EarlierCursor.open(log, codec);
    expect(again.outcome).toBe(11);
    await again.save(10, never);
    expect((await EarlierCursor.open(log, codec)).outcome).toBe(10);
    await publisher.close();
  });
});
