import { describe, expect, it } from 'vitest';
import { openTestPublisher } from '../../testing/open-publisher.fixture.ts';
import { earlierQuestion } from './earlier-outcomes.ts';
import {
  asksForMissed,
  MISSED_ATTEMPTS,
  MISSED_PER_MINUTE,
  MissedOutcomes,
  missedQuestion,
} from './missed-outcomes.ts';
import { readFollowed } from './read-followed.ts';

const MINUTE_MS = 60_000;
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

/** Asks for all that is due in some minutes, and gives what was asked in each. */
function walk(missed: MissedOutcomes, minutes: number) {
  return Array.from({ length: minutes }, (_, minute) => {
    const outcomes = missed.due(minute * MINUTE_MS);
    for (const outcome of outcomes) missed.asked(outcome);
    return outcomes;
  });
}

describe('the missed outcomes', () => {
  it('are those between the newest ever listed and the newest listed now that no list held, upwards, each once', () => {
    const missed = new MissedOutcomes();
    missed.list([3, 90, 88]);
    expect([missed.isPending, missed.due(0)]).toEqual([false, []]);
    missed.list([3, 100, 121, 120]);
    expect(walk(missed, 4)).toEqual([range(91, 99).concat(101), range(102, 111), range(112, 119), []]);
    expect(missed.isPending).toBe(false);
    // One that was listed and is no more is nothing that was missed.
    missed.list([3, 121, 122]);
    missed.list([3, 122]);
    expect([missed.isPending, missed.due(9 * MINUTE_MS)]).toEqual([false, []]);
  });

  it('wait for the next minute, and are none that a list holds by then', () => {
    const missed = new MissedOutcomes();
    missed.list([1]);
    missed.list([1, 5]);
    expect(missed.due(0)).toEqual([2, 3, 4]);
    expect(missed.due(MINUTE_MS - 1)).toEqual([]);
    missed.list([1, 2, 4, 5]);
    expect(missed.due(MINUTE_MS)).toEqual([3]);
  });

  it('are none that a list without outcomes leaves out, and none before the first list', () => {
    const missed = new MissedOutcomes();
    missed.list([]);
    missed.list([50]);
    missed.list([]);
    missed.list([50, 51]);
    expect([missed.isPending, missed.due(0)]).toEqual([false, []]);
  });

  it('do not keep anything waiting where the newest one is over by the time it is its turn', () => {
    const missed = new MissedOutcomes();
    missed.list([1]);
    missed.list([1, 4]);
    missed.list([1]);
    expect(walk(missed, 2)).toEqual([[2, 3, 4], []]);
    expect(missed.isPending).toBe(false);
  });

  it('are tried again, and passed over after some attempts', () => {
    const missed = new MissedOutcomes();
    missed.list([1]);
    missed.list([1, 4]);
    const tries = range(1, MISSED_ATTEMPTS).map((minute) => {
      const [first] = missed.due(minute * MINUTE_MS);
      return [first, missed.failed(first!)];
    });
    expect(tries).toEqual([...range(2, MISSED_ATTEMPTS).map(() => [2, false]), [2, true]]);
    expect(missed.due(9 * MINUTE_MS)).toEqual([3]);
  });

  it('go on after a restart where they were, whenever that comes', async () => {
    const { log, codec, publisher } = await openTestPublisher();
    const receive = (request: string, answer: unknown) =>
      publisher.receive({ source: 'venue_a.info', feed: 'venue_a.info', request, payload: JSON.stringify(answer) });
    const list = (...ids: number[]) => {
      receive('{"type":"outcomeMeta"}', { outcomes: ids.map((outcome) => ({ outcome })) });
      for (let more = 0; more < 5; more += 1) receive('{"type":"meta"}', {});
    };
    const restart = async () => {
      await publisher.flush();
      return (await readFollowed(log, codec)).missed;
    };
    list(7, 900);
    receive(earlierQuestion(640), null);
    // Down; up again with a list, and down before anything was asked.
    list(7, 931, 932);
    expect((await restart()).due(0)).toEqual(range(901, 900 + MISSED_PER_MINUTE));
    for (const outcome of range(901, 920)) receive(missedQuestion(outcome), null);
    expect((await restart()).due(0)).toEqual(range(921, 930));
    // The list from before lies too far back to be read; some are asked in each round, which tells how far they are.
    for (let rounds = 0; rounds < 30; rounds += 1) list(7, 931, 932);
    receive(missedQuestion(921), null);
    expect((await restart()).due(0)).toEqual(range(922, 930));
    for (const outcome of range(922, 930)) receive(missedQuestion(outcome), null);
    expect((await restart()).isPending).toBe(false);
    list(7, 932, 933);
    expect((await restart()).isPending).toBe(false);
    await publisher.close();
  });

  it('are asked for in words of their own', () => {
    expect(JSON.parse(missedQuestion(7))).toEqual({ type: 'settledOutcome', outcome: 7 });
    expect([missedQuestion(7), earlierQuestion(7)].map(asksForMissed)).toEqual([true, false]);
  });
});
