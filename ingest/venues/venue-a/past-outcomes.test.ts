import { describe, expect, it } from 'vitest';
import { openTestPublisher } from '../../testing/open-publisher.fixture.ts';
import { missedQuestion } from './missed-outcomes.ts';
import {
  asksForPast,
  PAST_ATTEMPTS,
  PAST_BEGIN_MS,
  PAST_PER_MINUTE,
  PAST_SAID_EVERY,
  PastOutcomes,
  pastQuestion,
} from './past-outcomes.ts';
import { readFollowed, readPastOutcome } from './read-followed.ts';

const MINUTE_MS = 60_000;

/** Asks for all that is due, minute by minute, and gives what was asked in each. */
function walk(past: PastOutcomes, listed: readonly number[], minutes: number, answers = 0) {
  return Array.from({ length: minutes }, (_, minute) => {
    const outcomes = past.due(listed, answers, PAST_BEGIN_MS + minute * MINUTE_MS);
    for (const outcome of outcomes) past.asked(outcome, answers);
    return outcomes;
  });
}

describe('the past outcomes', () => {
  it('are all those below the newest listed one that are not listed, downwards, each once', () => {
    const listed = [20, 3, 18, 11];
    const asked = walk(new PastOutcomes(null, 0), listed, 5);
    expect(asked.map(({ length }) => length)).toEqual([PAST_PER_MINUTE, PAST_PER_MINUTE, 1, 0, 0]);
    expect(asked.flat()).toEqual([19, 17, 16, 15, 14, 13, 12, 10, 9, 8, 7, 6, 5, 4, 2, 1, 0]);
  });

  it('wait until the service has run for a while, for a list, and for the next minute', () => {
    const past = new PastOutcomes(null, 0);
    expect(past.due([5], 0, PAST_BEGIN_MS - 1)).toEqual([]);
    expect(past.due([], 0, PAST_BEGIN_MS)).toEqual([]);
    expect(past.due([5], 0, PAST_BEGIN_MS)).toEqual([4, 3, 2, 1, 0]);
    // Not asked: due again, a minute later.
    expect(past.due([5], 0, PAST_BEGIN_MS + MINUTE_MS - 1)).toEqual([]);
    expect(past.due([5], 0, PAST_BEGIN_MS + MINUTE_MS)).toEqual([4, 3, 2, 1, 0]);
  });

  it('go on below the one that was asked for last, and say it again at intervals when all are told', () => {
    const past = new PastOutcomes(2, 0);
    expect(walk(past, [30], 3)).toEqual([[1, 0], [], []]);
    expect(past.due([30], PAST_SAID_EVERY - 1, PAST_BEGIN_MS + 9 * MINUTE_MS)).toEqual([]);
    expect(past.due([30], PAST_SAID_EVERY, PAST_BEGIN_MS + 10 * MINUTE_MS)).toEqual([0]);
  });

  it('are tried again, and passed over after some attempts', () => {
    const past = new PastOutcomes(null, 0);
    const tries = Array.from({ length: PAST_ATTEMPTS }, (_, minute) => {
      const [first] = past.due([9], 0, PAST_BEGIN_MS + minute * MINUTE_MS);
      return [first, past.failed(first!)];
    });
    expect(tries).toEqual([
      [8, false],
      [8, false],
      [8, false],
      [8, false],
      [8, true],
    ]);
    expect(past.due([9], 0, PAST_BEGIN_MS + 9 * MINUTE_MS)[0]).toBe(7);
  });

  it('are found in the log again, behind other answers, and not taken for such that wait for their settlement', async () => {
    const { log, codec, publisher } = await openTestPublisher();
    const receive = (question: object | string, answer: string) =>
      publisher.receive({
        source: 'venue_a.info',
        feed: 'venue_a.info',
        request: typeof question === 'string' ? question : JSON.stringify(question),
        payload: Buffer.from(answer),
      });
    expect(await readPastOutcome(log, codec)).toBeNull();
    for (const outcome of [12, 11]) receive(pastQuestion(outcome), 'null');
    for (let answers = 0; answers < PAST_SAID_EVERY; answers += 1) receive({ type: 'meta' }, '{}');
    receive({ type: 'settledOutcome', outcome: 40 }, 'null');
    await publisher.flush();
    expect(await readPastOutcome(log, codec)).toBe(11);
    receive(pastQuestion(10), 'null');
    await publisher.flush();
    expect(await readPastOutcome(log, codec)).toBe(10);
    expect((await readFollowed(log, codec)).settled.due()).toEqual([40]);
    await publisher.close();
  });

  it('are asked for in words of their own', () => {
    expect(asksForPast(pastQuestion(7))).toBe(true);
    expect(JSON.parse(pastQuestion(7))).toEqual({ type: 'settledOutcome', outcome: 7 });
    for (const other of ['{"type":"settledOutcome","outcome":7}', missedQuestion(7)]) {
      expect(asksForPast(other)).toBe(false);
    }
  });
});
