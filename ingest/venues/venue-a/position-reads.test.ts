import { expect, it } from 'vitest';
import type { VenueAPositions } from '#schemas/requests/positions';
import type { InfoRequest } from '#schemas/requests/venue-a-info';
import { Budget } from '../../feed/budget.ts';
import { UpstreamError } from '../../feed/errors.ts';
import { REST_PRIORITIES } from './declaration.ts';
import { createPositionReads } from './position-reads.ts';

const USER = `0x${'a'.repeat(40)}`;
const LISTED = [null, { name: 'xyz' }, { name: 'flx' }];

function setUp(answer: (request: InfoRequest) => unknown, dexes?: { names: () => string[]; isRecent: () => boolean }) {
  const reserved = { priority: REST_PRIORITIES.reads, cost: 20, spare: 10 };
  const budget = new Budget({ max: 40, windowMs: 60_000, reserved });
  const sent: InfoRequest[] = [];
  const handler = createPositionReads(async (request) => {
    sent.push(request);
    return { native: request.type === 'perpDexs' ? LISTED : answer(request), fetchedAt: 5, source: 'official' };
  }, dexes && { budget, dexes });
  const read = () =>
    handler.run(
      { address: USER },
      { signal: new AbortController().signal, orgIds: new Set(['org']), requestedAt: Date.now() },
    ) as Promise<VenueAPositions>;
  return { sent, read, handler, budget };
}

it('reads the state of every dex of the list', async () => {
  const { sent, read } = setUp(({ dex }) => ({ of: dex ?? '' }));
  expect((await read()).states).toEqual(
    ['', 'xyz', 'flx'].map((dex) => ({ dex, native: { of: dex }, fetchedAt: 5, failure: null })),
  );
  expect(sent[0]).toEqual({ type: 'perpDexs' });
  expect(sent[1]).toEqual({ type: 'clearinghouseState', user: USER });
});

it('uses the list that is polled while it is recent', async () => {
  const { sent, read } = setUp(() => ({}), { names: () => ['xyz'], isRecent: () => true });
  expect((await read()).states.map(({ dex }) => dex)).toEqual(['', 'xyz']);
  expect(sent).toHaveLength(2);
});

it('returns the failure of a dex beside the states of the others', async () => {
  const { read } = setUp(({ dex }) => {
    if (dex === 'xyz') throw new UpstreamError('upstream_rate_limited', 'no room');
    if (dex === 'flx') throw new UpstreamError('upstream_malformed', 'no JSON');
    return {};
  });
  expect((await read()).states.map(({ failure }) => failure)).toEqual([null, 'rate_limited', 'upstream_failed']);
});

const POLLED = { names: () => ['xyz'], isRecent: () => true };
const reads = (orgId: string) => ({ priority: REST_PRIORITIES.reads, payers: new Set([orgId]) });

it('that waited too long for its turn lacked weight, or waited for a venue that did not answer', async () => {
  const { handler, budget } = setUp(() => ({}), POLLED);
  const because = () => handler.expiredBecause!({ address: USER }, 'org');
  expect(because()).toMatchObject({ code: 'upstream_unavailable', status: null });
  (await budget.reserve(30, reads('org'))).settle();
  expect(because()).toMatchObject({ code: 'upstream_rate_limited', status: null, retryAfterMs: expect.any(Number) });
});

it('waits no longer for weight as its organization when another one joins that has read little', async () => {
  const { handler, budget } = setUp(() => ({}), POLLED);
  (await budget.reserve(30, reads('rushing'))).settle();
  const payers = new Set(['rushing']);
  const waiting = budget.reserve(2, { priority: REST_PRIORITIES.reads, payers });
  payers.add('single');
  handler.onJoin!();
  (await waiting).settle();
  expect(budget.used).toBe(32);
});
