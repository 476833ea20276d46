import { describe, expect, it } from 'vitest';
import { openTestPublisher } from '../../testing/open-publisher.fixture.ts';
import { MISSED_ATTEMPTS_MAX, MISSED_PER_MINUTE, MissedOutcomes } from './missed-outcomes.ts';
import { earlierOutcomeRequest, missedOutcomeRequest } from './outcome-requests.ts';
import { readTrackedOutcomes } from './read-tracked-outcomes.ts';

const MINUTE_MS = 60_000;
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

/** Requests all due outcomes for some minutes, and returns those of each minute. */
function walk(missed: MissedOutcomes, minutes: number) {
  return Array.from({ length: minutes }, (_, minute) => {
    const outcomes = missed.due(minute * MINUTE_MS);
    for (const outcome of outcomes) missed.recordRequested(outcome);
    return outcomes;
  });
}

describe('the missed outcomes', () => {
  it('are the ids between the newest of two lists that no list contained, in ascending order, each once', () => {
    const missed = new MissedOutcomes();
    missed.addList([3, 90, 88]);
    expect([missed.isPending, missed.due(0)]).toEqual([false, []]);
    missed.addList([3, 100, 121, 120]);
    expect(walk(missed, 4)).toEqual([range(91, 99).concat(101), range(102, 111), range(112, 119), []]);
    expect(missed.isPending).toBe(false);
    // An outcome that was listed before was not missed.
    missed.addList([3, 121, 122]);
    missed.addList([3, 122]);
    expect([missed.isPending, missed.due(9 * MINUTE_MS)]).toEqual([false, []]);
  });

  it('wait for the next minute, and exclude those that a list contains by then', () => {
    const missed = new MissedOutcomes();
    missed.addList([1]);
    missed.addList([1, 5]);
    expect(missed.due(0)).toEqual([2, 3, 4]);
    expect(missed.due(MINUTE_MS - 1)).toEqual([]);
    missed.addList([1, 2, 4, 5]);
    expect(missed.due(MINUTE_MS)).toEqual([3]);
  });

  it('exclude ids before the first list, and ignore empty lists', () => {
    const missed = new MissedOutcomes();
    missed.addList([]);
    missed.addList([50]);
    missed.addList([]);
    missed.addList([50, 51]);
    expect([missed.isPending, missed.due(0)]).toEqual([false, []]);
  });

  it('include the newest id if it has ended by the time of its request', () => {
    const missed = new MissedOutcomes();
    missed.addList([1]);
    missed.addList([1, 4]);
    missed.addList([1]);
    expect(walk(missed, 2)).toEqual([[2, 3, 4], []]);
    expect(missed.isPending).toBe(false);
  });

  it('are retried, and skipped after some attempts', () => {
    const missed = new MissedOutcomes();
    missed.addList([1]);
    missed.addList([1, 4]);
    const tries = range(1, MISSED_ATTEMPTS_MAX).map((minute) => {
      const [first] = missed.due(minute * MINUTE_MS);
      return [first, missed.recordFailure(first!)];
    });
    expect(tries).toEqual([...range(2, MISSED_ATTEMPTS_MAX).map(() => [2, false]), [2, true]]);
    expect(missed.due(9 * MINUTE_MS)).toEqual([3]);
  });

  it('continue after a restart at any point', async () => {
    const { log, codec, publisher } = await openTestPublisher();
    const receive = (request: string, answer: unknown) =>
      publisher.receive({ source: 'venue_a.info', feed: 'venue_a.info', request, payload: JSON.stringify(answer) });
    const list = (...ids: number[]) => {
      receive('{"type":"outcomeMeta"}', { outcomes: ids.map((outcome) => ({ outcome })) });
      for (let more = 0; more < 5; more += 1) receive('{"type":"meta"}', {});
    };
    const restart = async () => {
      await publisher.flush();
      return (await readTrackedOutcomes(log, codec)).missed;
    };
    list(7, 900);
    receive(earlierOutcomeRequest(640), null);
    // Stopped; started again with a list, and stopped before any request.
    list(7, 931, 932);
    expect((await restart()).due(0)).toEqual(range(901, 900 + MISSED_PER_MINUTE));
    for (const outcome of range(901, 920)) receive(missedOutcomeRequest(outcome), null);
    expect((await restart()).due(0)).toEqual(range(921, 930));
    // The older list is beyond what is read; requests in each round show the progress.
    for (let rounds = 0; rounds < 30; rounds += 1) list(7, 931, 932);
    receive(missedOutcomeRequest(921), null);
    expect((await restart()).due(0)).toEqual(range(922, 930));
    for (const outcome of range(922, 930)) receive(missedOutcomeRequest(outcome), null);
    expect((await restart()).isPending).toBe(false);
    list(7, 932, 933);
    expect((await restart()).isPending).toBe(false);
    await publisher.close();
  });
});
