import { describe, expect, it } from 'vitest';
import { openTestPublisher } from '../../testing/open-publisher.fixture.ts';
import {
  EARLIER_ATTEMPTS_MAX,
  EARLIER_CURSOR_EVERY,
  EARLIER_DELAY_MS,
  EARLIER_PER_MINUTE,
  EarlierOutcomes,
} from './earlier-outcomes.ts';
import { earlierOutcomeRequest } from './outcome-requests.ts';
import { readEarlierCursor } from './read-tracked-outcomes.ts';

const MINUTE_MS = 60_000;

/** Requests all due outcomes, minute by minute, and returns those of each minute. */
function walk(earlier: EarlierOutcomes, listed: readonly number[], minutes: number, answers = 0) {
  return Array.from({ length: minutes }, (_, minute) => {
    const outcomes = earlier.due(listed, answers, EARLIER_DELAY_MS + minute * MINUTE_MS);
    for (const outcome of outcomes) expect(earlier.recordRequested(outcome, answers)).toBe(true);
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
    expect(earlier.due([5], 0, EARLIER_DELAY_MS - 1)).toEqual([]);
    expect(earlier.due([], 0, EARLIER_DELAY_MS)).toEqual([]);
    expect(earlier.due([5], 0, EARLIER_DELAY_MS)).toEqual([4, 3, 2, 1, 0]);
    // Not requested: due again a minute later.
    expect(earlier.due([5], 0, EARLIER_DELAY_MS + MINUTE_MS - 1)).toEqual([]);
    expect(earlier.due([5], 0, EARLIER_DELAY_MS + MINUTE_MS)).toEqual([4, 3, 2, 1, 0]);
  });

  it('continue below the last requested one, which is repeated at intervals when all are done', () => {
    const earlier = new EarlierOutcomes({ outcome: 2, answersSince: 0 }, 0);
    expect(walk(earlier, [30], 3)).toEqual([[1, 0], [], []]);
    expect(earlier.due([30], EARLIER_CURSOR_EVERY - 1, EARLIER_DELAY_MS + 9 * MINUTE_MS)).toEqual([]);
    expect(earlier.due([30], EARLIER_CURSOR_EVERY, EARLIER_DELAY_MS + 10 * MINUTE_MS)).toEqual([0]);
    expect(earlier.recordRequested(0, EARLIER_CURSOR_EVERY)).toBe(false);
  });

  it('have their cursor repeated in the first round after a restart if the log shows that it is due', () => {
    const earlier = new EarlierOutcomes({ outcome: 0, answersSince: EARLIER_CURSOR_EVERY - 1 }, 0);
    expect(earlier.due([30], 0, EARLIER_DELAY_MS)).toEqual([]);
    expect(earlier.due([30], 1, EARLIER_DELAY_MS + MINUTE_MS)).toEqual([0]);
  });

  it('are retried, and skipped after some attempts', () => {
    const earlier = new EarlierOutcomes(null, 0);
    const tries = Array.from({ length: EARLIER_ATTEMPTS_MAX }, (_, minute) => {
      const [first] = earlier.due([9], 0, EARLIER_DELAY_MS + minute * MINUTE_MS);
      return [first, earlier.recordFailure(first!)];
    });
    expect(tries).toEqual([
      [8, false],
      [8, false],
      [8, false],
      [8, false],
      [8, true],
    ]);
    expect(earlier.due([9], 0, EARLIER_DELAY_MS + 9 * MINUTE_MS)[0]).toBe(7);
  });

  it('continue at the cursor in the log, also before other answers', async () => {
    const { log, codec, publisher } = await openTestPublisher();
    const receive = (request: object | string, answer: string) =>
      publisher.receive({
        source: 'venue_a.info',
        feed: 'venue_a.info',
        request: typeof request === 'string' ? request : JSON.stringify(request),
        payload: Buffer.from(answer),
      });
    expect(await readEarlierCursor(log, codec)).toBeNull();
    for (const outcome of [12, 11]) receive(earlierOutcomeRequest(outcome), 'null');
    for (let answers = 0; answers < EARLIER_CURSOR_EVERY; answers += 1) receive({ type: 'meta' }, '{}');
    await publisher.flush();
    expect(await readEarlierCursor(log, codec)).toEqual({ outcome: 11, answersSince: EARLIER_CURSOR_EVERY });
    receive(earlierOutcomeRequest(10), 'null');
    await publisher.flush();
    expect(await readEarlierCursor(log, codec)).toEqual({ outcome: 10, answersSince: 0 });
    await publisher.close();
  });
});
