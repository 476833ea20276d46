import { describe, expect, it } from 'vitest';
import { openTestPublisher } from '../../testing/open-publisher.fixture.ts';
import {
  asksForEarlier,
  EARLIER_ATTEMPTS,
  EARLIER_BEGIN_MS,
  EARLIER_PER_MINUTE,
  EARLIER_SAID_EVERY,
  EarlierOutcomes,
  earlierQuestion,
} from './earlier-outcomes.ts';
import { missedQuestion } from './missed-outcomes.ts';
import { readEarlierOutcome } from './read-followed.ts';

const MINUTE_MS = 60_000;

/** Asks for all that is due, minute by minute, and gives what was asked in each. */
function walk(earlier: EarlierOutcomes, listed: readonly number[], minutes: number, answers = 0) {
  return Array.from({ length: minutes }, (_, minute) => {
    const outcomes = earlier.due(listed, answers, EARLIER_BEGIN_MS + minute * MINUTE_MS);
    for (const outcome of outcomes) expect(earlier.asked(outcome, answers)).toBe(true);
    return outcomes;
  });
}

describe('the earlier outcomes', () => {
  it('are all those below the newest listed one that are not listed, downwards, each once', () => {
    const listed = [20, 3, 18, 11];
    const asked = walk(new EarlierOutcomes(null, 0), listed, 5);
    expect(asked.map(({ length }) => length)).toEqual([EARLIER_PER_MINUTE, EARLIER_PER_MINUTE, 1, 0, 0]);
    expect(asked.flat()).toEqual([19, 17, 16, 15, 14, 13, 12, 10, 9, 8, 7, 6, 5, 4, 2, 1, 0]);
  });

  it('wait until the service has run for a while, for a list, and for the next minute', () => {
    const earlier = new EarlierOutcomes(null, 0);
    expect(earlier.due([5], 0, EARLIER_BEGIN_MS - 1)).toEqual([]);
    expect(earlier.due([], 0, EARLIER_BEGIN_MS)).toEqual([]);
    expect(earlier.due([5], 0, EARLIER_BEGIN_MS)).toEqual([4, 3, 2, 1, 0]);
    // Not asked: due again, a minute later.
    expect(earlier.due([5], 0, EARLIER_BEGIN_MS + MINUTE_MS - 1)).toEqual([]);
    expect(earlier.due([5], 0, EARLIER_BEGIN_MS + MINUTE_MS)).toEqual([4, 3, 2, 1, 0]);
  });

  it('go on below the one that was asked for last, and say it again at intervals when all are told', () => {
    const earlier = new EarlierOutcomes(2, 0);
    expect(walk(earlier, [30], 3)).toEqual([[1, 0], [], []]);
    expect(earlier.due([30], EARLIER_SAID_EVERY - 1, EARLIER_BEGIN_MS + 9 * MINUTE_MS)).toEqual([]);
    expect(earlier.due([30], EARLIER_SAID_EVERY, EARLIER_BEGIN_MS + 10 * MINUTE_MS)).toEqual([0]);
    expect(earlier.asked(0, EARLIER_SAID_EVERY)).toBe(false);
  });

  it('are tried again, and passed over after some attempts', () => {
    const earlier = new EarlierOutcomes(null, 0);
    const tries = Array.from({ length: EARLIER_ATTEMPTS }, (_, minute) => {
      const [first] = earlier.due([9], 0, EARLIER_BEGIN_MS + minute * MINUTE_MS);
      return [first, earlier.failed(first!)];
    });
    expect(tries).toEqual([
      [8, false],
      [8, false],
      [8, false],
      [8, false],
      [8, true],
    ]);
    expect(earlier.due([9], 0, EARLIER_BEGIN_MS + 9 * MINUTE_MS)[0]).toBe(7);
  });

  it('are found in the log again, behind other answers', async () => {
    const { log, codec, publisher } = await openTestPublisher();
    const receive = (question: object | string, answer: string) =>
      publisher.receive({
        source: 'venue_a.info',
        feed: 'venue_a.info',
        request: typeof question === 'string' ? question : JSON.stringify(question),
        payload: Buffer.from(answer),
      });
    expect(await readEarlierOutcome(log, codec)).toBeNull();
    for (const outcome of [12, 11]) receive(earlierQuestion(outcome), 'null');
    for (let answers = 0; answers < EARLIER_SAID_EVERY; answers += 1) receive({ type: 'meta' }, '{}');
    await publisher.flush();
    expect(await readEarlierOutcome(log, codec)).toBe(11);
    receive(earlierQuestion(10), 'null');
    await publisher.flush();
    expect(await readEarlierOutcome(log, codec)).toBe(10);
    await publisher.close();
  });

  it('are asked for in words of their own', () => {
    expect(asksForEarlier(earlierQuestion(7))).toBe(true);
    expect(JSON.parse(earlierQuestion(7))).toEqual({ type: 'settledOutcome', outcome: 7 });
    for (const other of ['{"type":"settledOutcome","outcome":7}', missedQuestion(7)]) {
      expect(asksForEarlier(other)).toBe(false);
    }
  });
});
