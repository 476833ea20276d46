import { describe, expect, it } from 'vitest';
import { UpstreamError } from '../../feed/errors.ts';
import { openTestPublisher, silentLogger } from '../../testing/open-publisher.fixture.ts';
import { askSettlements } from './ask-settlements.ts';
import { EARLIER_BEGIN_MS, EarlierOutcomes } from './earlier-outcomes.ts';
import { MissedOutcomes } from './missed-outcomes.ts';
import { readFollowed } from './read-followed.ts';
import { SettledOutcomes, UNLISTED_ATTEMPTS_MAX } from './settled-outcomes.ts';

const never = new AbortController().signal;

/** The venue as these questions see it: `null` for what it has not settled, nothing for what it rejects. */
function setUp() {
  const settledAlready = new Set<number>();
  const rejected = new Set<number>();
  const followed = { settled: new SettledOutcomes(), missed: new MissedOutcomes() };
  let asked: number[] = [];
  const published: { readonly request: string; readonly payload: Buffer }[] = [];
  const questions = {
    ...followed,
    // None is due before its minute.
    earlier: new EarlierOutcomes(null, Date.now() + 3_600_000),
    logger: silentLogger,
    answers: () => published.length,
    ask: async (request: string) => {
      const { outcome } = JSON.parse(request);
      asked.push(outcome);
      if (rejected.has(outcome)) throw new UpstreamError('upstream_rejected', 'rejected', { status: 422 });
      const payload = Buffer.from(settledAlready.has(outcome) ? `{"spec":{"outcome":${outcome}}}` : 'null');
      published.push({ request, payload });
      return payload;
    },
  };
  /** Takes a list and asks what is due. @returns the outcomes that were asked for. */
  const round = async (listed: readonly number[], more: Partial<typeof questions> = {}) => {
    asked = [];
    const all = { ...questions, ...more };
    all.settled.list(listed);
    all.missed.list(listed);
    await askSettlements(all, listed, never);
    return asked;
  };
  return { settledAlready, rejected, published, round };
}

describe('askSettlements', () => {
  it('asks for a missed outcome until it is settled, as for one that was listed', async () => {
    const { settledAlready, round } = setUp();
    expect(await round([10, 11])).toEqual([]);
    // It was away meanwhile: 11 is over, 12 and 13 came and went, and none of them is settled yet.
    expect(await round([10, 14])).toEqual([11, 12, 13]);
    expect(await round([10, 14])).toEqual([11, 12, 13]);
    settledAlready.add(11).add(13);
    expect(await round([10, 14])).toEqual([11, 12, 13]);
    expect(await round([10, 14])).toEqual([12]);
    settledAlready.add(12);
    expect(await round([10, 14])).toEqual([12]);
    expect(await round([10, 14])).toEqual([]);
  });

  it('asks for an earlier outcome until it is settled, too, and then no more', async () => {
    const { settledAlready, round } = setUp();
    const earlier = new EarlierOutcomes(null, Date.now() - EARLIER_BEGIN_MS);
    settledAlready.add(3).add(1);
    expect(await round([4], { earlier })).toEqual([3, 2, 1, 0]);
    expect(await round([4], { earlier })).toEqual([2, 0]);
    settledAlready.add(2).add(0);
    expect(await round([4], { earlier })).toEqual([2, 0]);
    expect(await round([4], { earlier })).toEqual([]);
  });

  it('does not wait for an earlier outcome anew each time that its place is said again', async () => {
    const { round } = setUp();
    const saysAgain = { earlier: new EarlierOutcomes(0, Date.now() - EARLIER_BEGIN_MS), answers: () => 1_000_000 };
    expect(await round([1], saysAgain)).toEqual([0]);
    expect(await round([1], saysAgain)).toEqual([]);
  });

  it('asks again for one that the venue rejects, and gives up after some attempts', async () => {
    const { rejected, round } = setUp();
    await round([1]);
    rejected.add(2);
    let attempts = 0;
    for (let rounds = 0; rounds < 2 * UNLISTED_ATTEMPTS_MAX; rounds += 1) attempts += (await round([1, 3])).length;
    expect(attempts).toBe(UNLISTED_ATTEMPTS_MAX);
  });

  it('goes on asking after a restart for what was not settled, what was listed first', async () => {
    const { settledAlready, published, round } = setUp();
    const { log, codec, publisher } = await openTestPublisher();
    const earlier = new EarlierOutcomes(3, Date.now() - EARLIER_BEGIN_MS);
    settledAlready.add(1).add(12);
    await round([10, 11], { earlier });
    await round([10, 14], { earlier });
    for (const answer of published) publisher.receive({ source: 'venue_a.info', feed: 'venue_a.info', ...answer });
    await publisher.flush();
    const restarted = await readFollowed(log, codec);
    expect(restarted.settled.due()).toEqual([11, 2, 0, 13]);
    expect(await round([10, 14], restarted)).toEqual([11, 2, 0, 13]);
    settledAlready.add(11).add(13).add(2).add(0);
    await round([10, 14], restarted);
    expect(await round([10, 14], restarted)).toEqual([]);
    await publisher.close();
  });
});
