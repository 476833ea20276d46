import { describe, expect, it } from 'vitest';
import { UpstreamError } from '../../feed/errors.ts';
import { openTestPublisher, silentLogger } from '../../testing/open-publisher.fixture.ts';
import { EARLIER_DELAY_MS, EarlierOutcomes } from './earlier-outcomes.ts';
import { MissedOutcomes } from './missed-outcomes.ts';
import { PendingSettlements, UNLISTED_ATTEMPTS_MAX } from './pending-settlements.ts';
import { readTrackedOutcomes } from './read-tracked-outcomes.ts';
import { requestSettlements } from './request-settlements.ts';

const never = new AbortController().signal;

/** A venue that answers `null` for an unsettled outcome and an error for a rejected one. */
function setUp() {
  const settledAlready = new Set<number>();
  const rejected = new Set<number>();
  const tracked = { pending: new PendingSettlements(), missed: new MissedOutcomes() };
  let requested: number[] = [];
  const saved: (number | null)[] = [];
  const published: { readonly request: string; readonly payload: Buffer }[] = [];
  const requests = {
    ...tracked,
    // None is due before its minute.
    earlier: new EarlierOutcomes(null, performance.now() + 3_600_000),
    logger: silentLogger,
    saveCursor: async (outcome: number | null) => void saved.push(outcome),
    send: async (request: string) => {
      const { outcome } = JSON.parse(request);
      requested.push(outcome);
      if (rejected.has(outcome)) throw new UpstreamError('upstream_rejected', 'rejected', { status: 422 });
      const payload = Buffer.from(settledAlready.has(outcome) ? `{"spec":{"outcome":${outcome}}}` : 'null');
      published.push({ request, payload });
      return payload;
    },
  };
  /** Adds a list and sends the due requests. @returns the requested outcomes. */
  const round = async (listed: readonly number[], more: Partial<typeof requests> = {}) => {
    requested = [];
    const all = { ...requests, ...more };
    all.pending.addList(listed);
    all.missed.addList(listed);
    await requestSettlements(all, listed, never);
    return requested;
  };
  return { settledAlready, rejected, published, saved, round };
}

describe('requestSettlements', () => {
  it('requests a missed outcome until it is settled, like a listed one', async () => {
    const { settledAlready, round } = setUp();
    expect(await round([10, 11])).toEqual([]);
    // While the service was down, 11 ended and 12 and 13 came and went; none of them is settled yet.
    expect(await round([10, 14])).toEqual([11, 12, 13]);
    expect(await round([10, 14])).toEqual([11, 12, 13]);
    settledAlready.add(11).add(13);
    expect(await round([10, 14])).toEqual([11, 12, 13]);
    expect(await round([10, 14])).toEqual([12]);
    settledAlready.add(12);
    expect(await round([10, 14])).toEqual([12]);
    expect(await round([10, 14])).toEqual([]);
  });

  it('requests an earlier outcome until it is settled', async () => {
    const { settledAlready, round } = setUp();
    const earlier = new EarlierOutcomes(null, performance.now() - EARLIER_DELAY_MS);
    settledAlready.add(3).add(1);
    expect(await round([4], { earlier })).toEqual([3, 2, 1, 0]);
    expect(await round([4], { earlier })).toEqual([2, 0]);
    settledAlready.add(2).add(0);
    expect(await round([4], { earlier })).toEqual([2, 0]);
    expect(await round([4], { earlier })).toEqual([]);
  });

  it('pauses the search for earlier outcomes while some are missed, and saves how far it came', async () => {
    const { round, saved } = setUp();
    const earlier = new EarlierOutcomes(2, performance.now() - EARLIER_DELAY_MS);
    await round([10]);
    const missed = Array.from({ length: 30 }, (_, index) => 11 + index);
    expect(await round([10, 41], { earlier })).toEqual(missed.slice(0, 10));
    expect(saved).not.toContain(1);
    expect(await round([10, 41], { earlier, missed: new MissedOutcomes() })).toEqual(expect.arrayContaining([1, 0]));
    expect(saved.at(-1)).toBe(0);
  });

  it('retries a rejected outcome, and gives up after some attempts', async () => {
    const { rejected, round } = setUp();
    await round([1]);
    rejected.add(2);
    let attempts = 0;
    for (let rounds = 0; rounds < 2 * UNLISTED_ATTEMPTS_MAX; rounds += 1) attempts += (await round([1, 3])).length;
    expect(attempts).toBe(UNLISTED_ATTEMPTS_MAX);
  });

  it('continues after a restart with the unsettled outcomes, formerly listed ones first', async () => {
    const { settledAlready, published, round } = setUp();
    const { log, codec, publisher } = await openTestPublisher();
    const earlier = new EarlierOutcomes(3, performance.now() - EARLIER_DELAY_MS);
    settledAlready.add(1).add(12);
    await round([10, 11], { earlier });
    await round([10, 14], { earlier });
    for (const answer of published) publisher.receive({ source: 'venue_a.info', feed: 'venue_a.info', ...answer });
    await publisher.flush();
    const restarted = await readTrackedOutcomes(log, codec);
    expect(restarted.pending.due()).toEqual([11, 2, 0, 13]);
    expect(await round([10, 14], restarted)).toEqual([11, 2, 0, 13]);
    settledAlready.add(11).add(13).add(2).add(0);
    await round([10, 14], restarted);
    expect(await round([10, 14], restarted)).toEqual([]);
    await publisher.close();
  });

  it('continues after a restart also if clients read much since the outcomes ended', async () => {
    const { log, codec, publisher } = await openTestPublisher();
    const receive = (request: object, payload: string) =>
      publisher.receive({ source: 'venue_a.info', feed: 'venue_a.info', request: JSON.stringify(request), payload });
    const list = (...ids: number[]) =>
      receive(
        { type: 'outcomeMeta' },
        JSON.stringify({ outcomes: ids.map((outcome) => ({ outcome })), questions: [] }),
      );
    list(1, 2, 3);
    list(3);
    for (let reads = 0; reads < 5_000; reads += 1) receive({ type: 'l2Book', coin: 'BTC' }, '{}');
    list(3);
    await publisher.flush();
    expect((await readTrackedOutcomes(log, codec)).pending.due()).toEqual([1, 2]);
    await publisher.close();
  });
});
